#include "pack/tree_block.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "shardine/escape.h"
#include "source/field_file.h"
#include "source/read_source.h"
#include "source/server_threads.h"
#include "source/table_fields.h"

namespace shardine {

unsigned TreeBlockPreparer::min_threads() const {
  return storage_.many_files() == nullptr ? 1 : kServerBlocks;
}

PreparedBlock TreeBlockPreparer::Prepare(const PlannedBlock& planned,
                                         PreparedBlock used,
                                         const std::stop_token& stop) const {
  PreparedBlock block =
      BeginBlock(planned, policy_.variants(), std::move(used));
  const PlannedShard& shard = plan_.shards()[planned.shard];
  SourceBatch batch = BatchOf(planned);
  for (std::uint64_t i = 0; i < planned.count; ++i) {
    if (stop.stop_requested()) {
      block.status = Status(Code::kCancelled, "interrupted");
    } else {
      block.status =
          PrepareSample(plan_.SampleAt(shard, planned.first + i), batch, block);
    }
    if (!block.status.ok()) break;
  }
  return block;
}

std::string TreeBlockPreparer::PathOf(std::size_t source) const {
  const SourceList& list = plan_.source().samples;
  return JoinPath(plan_.source().roots[list.root(source)],
                  std::string(list.path(source)));
}

Status TreeBlockPreparer::CheckSize(std::size_t source) const {
  std::uint64_t size = plan_.source().samples.facts(source).size;
  SHARDINE_RETURN_IF_ERROR(
      CheckSourceSize(PathOf(source), size, policy_.max_payload()));
  for (const SampleFile& each : FilesOfSample(plan_.source(), source)) {
    SHARDINE_RETURN_IF_ERROR(
        CheckSourceSize(each.file.path, each.file.facts.size));
    size += each.file.facts.size;
    SHARDINE_RETURN_IF_ERROR(
        CheckSourceSize(each.file.path, size, policy_.max_payload()));
  }
  return Status();
}

// A file that is too large for a record is not read.
SourceBatch TreeBlockPreparer::BatchOf(const PlannedBlock& planned) const {
  SourceBatch batch(storage_);
  const PlannedShard& shard = plan_.shards()[planned.shard];
  for (std::uint64_t i = 0; i < planned.count; ++i) {
    const std::size_t source = plan_.SampleAt(shard, planned.first + i);
    if (!CheckSize(source).ok()) continue;
    batch.Add(PathOf(source), plan_.source().samples.facts(source));
    for (SampleFile& each : FilesOfSample(plan_.source(), source)) {
      if (!each.file.fault.empty()) continue;
      batch.Add(std::move(each.file.path), each.file.facts);
    }
  }
  return batch;
}

Status TreeBlockPreparer::PrepareSample(std::size_t source, SourceBatch& batch,
                                        PreparedBlock& block) const {
  const Status fits = CheckSize(source);
  if (!fits.ok()) return policy_.AddUnread(source, "too-large", fits, block);
  PreparedVariant& read = block.variants[0];
  PreparedPayload payload;
  payload.offset = read.bytes.size();
  std::string fault;
  const Status status = ReadSample(source, batch, read, payload, fault);
  if (!status.ok()) {
    if (fault.empty()) return status;
    read.bytes.Resize(payload.offset);
    return policy_.AddUnread(source, fault, status, block);
  }
  return policy_.Add(source, std::move(payload), {.path = PathOf(source)},
                     block);
}

// `fault` is set where one file failed. All files of the sample
// are taken from the batch in any case.
Status TreeBlockPreparer::ReadSample(std::size_t source, SourceBatch& batch,
                                     PreparedVariant& read,
                                     PreparedPayload& payload,
                                     std::string& fault) const {
  Status status = batch.ReadNext(read.bytes);
  if (IsUnreadable(status)) fault = "unreadable";
  payload.size = read.bytes.size() - payload.offset;
  std::vector<ByteBuffer> files;
  for (const SampleFile& each : FilesOfSample(plan_.source(), source)) {
    const auto fail = [&](const char* reason, Status why) {
      if (!status.ok()) return;
      fault = reason;
      status = std::move(why).At({.path = each.file.path});
    };
    const std::string name = "field " + EscapeBytes(each.field);
    if (!each.file.fault.empty()) {
      fail("field-unreadable",
           Status(Code::kCorrupt, name + ": " + std::string(each.file.fault)));
      continue;
    }
    const Status next = batch.ReadNext(files.emplace_back());
    const ByteView bytes = files.back().view();
    if (IsUnreadable(next)) {
      fail("field-unreadable", next);
    } else if (!next.ok()) {
      if (status.ok() || !fault.empty()) status = next;
      fault.clear();
    } else if (each.is_text && !IsUtf8(AsText(bytes))) {
      fail("field-not-utf8",
           Status(Code::kCorrupt, name + " is text, and not UTF-8"));
    } else if (!each.is_text && bytes.empty()) {
      fail("field-empty", Status(Code::kCorrupt, name + " has no bytes"));
    }
  }
  if (status.ok()) AddFields(source, std::move(files), read, payload);
  return status;
}

// Fields beside the image: boxes, cells of a table, and other files.
void TreeBlockPreparer::AddFields(std::size_t source,
                                  std::vector<ByteBuffer> files,
                                  PreparedVariant& read,
                                  PreparedPayload& payload) const {
  const SourceList& list = plan_.source().samples;
  const auto boxes = plan_.source().boxes.Find(list.path(source));
  // The plan looked at all of them.
  auto fields = *ColumnFieldsOf(list.fields(source), plan_.source().columns);
  if (boxes.empty() && fields.empty()) return;
  std::size_t file = 0;
  for (ColumnField& field : fields) {
    if (IsOfFiles(field.type)) field.bytes = AsText(files[file++].view());
  }
  for (const auto& [name, coordinate] : kBoxFields) {
    if (boxes.empty()) break;
    ColumnField field{
        .name = name, .dtype = "<f4", .shape = {boxes.size()}, .bytes = {}};
    for (const BoundingBox& box : boxes) AppendLe(box.*coordinate, field.bytes);
    fields.push_back(std::move(field));
  }
  std::ranges::sort(fields, {}, &ColumnField::name);
  ByteBuffer image;
  image.Append(read.bytes.view().subspan(payload.offset));
  read.bytes.Resize(payload.offset);
  payload.fields.emplace();
  const auto add_image = [&] {
    payload.fields->push_back(
        {std::string(kImageField), std::string(kBytesDtype), {}, image.size()});
    read.bytes.Append(image.view());
  };
  bool has_image = false;
  for (ColumnField& field : fields) {
    if (!has_image && field.name > kImageField) {
      add_image();
      has_image = true;
    }
    read.bytes.Append(AsBytes(field.bytes));
    payload.fields->push_back({std::string(field.name),
                               std::string(field.dtype), std::move(field.shape),
                               field.bytes.size()});
  }
  if (!has_image) add_image();
  payload.size = read.bytes.size() - payload.offset;
}

}  // namespace shardine
