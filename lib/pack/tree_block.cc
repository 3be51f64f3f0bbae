#include "pack/tree_block.h"

#include <algorithm>
#include <string>
#include <utility>

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
  return CheckSourceSize(PathOf(source),
                         plan_.source().samples.facts(source).size,
                         policy_.max_payload());
}

// A file that is too large for a record is not read.
SourceBatch TreeBlockPreparer::BatchOf(const PlannedBlock& planned) const {
  SourceBatch batch(storage_);
  const PlannedShard& shard = plan_.shards()[planned.shard];
  for (std::uint64_t i = 0; i < planned.count; ++i) {
    const std::size_t source = plan_.SampleAt(shard, planned.first + i);
    if (!CheckSize(source).ok()) continue;
    batch.Add(PathOf(source), plan_.source().samples.facts(source));
  }
  return batch;
}

Status TreeBlockPreparer::PrepareSample(std::size_t source, SourceBatch& batch,
                                        PreparedBlock& block) const {
  const SourceList& list = plan_.source().samples;
  const std::string path = PathOf(source);
  const Status fits = CheckSize(source);
  if (!fits.ok()) return policy_.AddUnread(source, "too-large", fits, block);
  PreparedVariant& read = block.variants[0];
  PreparedPayload payload;
  payload.offset = read.bytes.size();
  const Status status = batch.ReadNext(read.bytes);
  if (!status.ok()) {
    if (!IsUnreadable(status)) return status;
    read.bytes.Resize(payload.offset);
    return policy_.AddUnread(source, "unreadable", status, block);
  }
  payload.size = static_cast<std::size_t>(list.facts(source).size);
  AddFields(source, read, payload);
  return policy_.Add(source, std::move(payload), {.path = path}, block);
}

// Adds the fields beside the image: boxes, and the fields of a table.
void TreeBlockPreparer::AddFields(std::size_t source, PreparedVariant& read,
                                  PreparedPayload& payload) const {
  const SourceList& list = plan_.source().samples;
  const auto boxes = plan_.source().boxes.Find(list.path(source));
  // The plan looked at all of them.
  auto fields = *ColumnFieldsOf(list.fields(source), plan_.source().columns);
  if (boxes.empty() && fields.empty()) return;
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
