#include "pack/tree_block.h"

#include <utility>

#include "base/status_macros.h"
#include "image/check_image.h"
#include "pack/read_source.h"
#include "shard/content_digest.h"

namespace shardine {
namespace {

ImageCheck ToImageCheck(ImageCheckLevel level) {
  switch (level) {
    case ImageCheckLevel::kNone:
      return ImageCheck::kNone;
    case ImageCheckLevel::kHeader:
      return ImageCheck::kHeader;
    case ImageCheckLevel::kDecode:
      return ImageCheck::kDecode;
  }
  return ImageCheck::kHeader;
}

}  // namespace

PreparedBlock TreeBlockPreparer::Prepare(const PlannedBlock& planned,
                                         ByteBuffer memory,
                                         const std::stop_token& stop) const {
  PreparedBlock block = BeginBlock(planned, std::move(memory));
  const PlannedShard& shard = plan_.shards()[planned.shard];
  for (std::uint64_t i = 0; i < planned.count; ++i) {
    if (stop.stop_requested()) {
      block.status = Status(Code::kCancelled, "interrupted");
    } else {
      block.status =
          PrepareSample(plan_.SampleAt(shard, planned.first + i), block);
    }
    if (!block.status.ok()) break;
  }
  return block;
}

Status TreeBlockPreparer::PrepareSample(std::size_t source,
                                        PreparedBlock& block) const {
  const SourceList& list = plan_.source().samples;
  const std::string key(list.key(source));
  const std::string path =
      JoinPath(plan_.source().roots[list.root(source)], key);
  const std::uint64_t size = list.facts(source).size;
  Reject reject{plan_.source().splits[list.split(source)], key, "", "", ""};
  PreparedSample sample;
  sample.source = source;
  sample.offset = block.bytes.size();

  if (size > options_.max_payload) {
    reject.reason = "too-large";
    reject.detail = std::to_string(size) + " bytes; a record of this format " +
                    "holds " + std::to_string(options_.max_payload);
    const Status why(Code::kUnsupported, reject.detail);
    return HandleBad(std::move(reject), why, false, block, sample);
  }
  if (const Status read = ReadSource(storage_, path, size, block.bytes);
      !read.ok()) {
    if (!IsUnreadable(read)) return read;
    reject.reason = "unreadable";
    reject.detail = read.message();
    block.bytes.Resize(sample.offset);
    return HandleBad(std::move(reject), read, false, block, sample);
  }

  sample.size = static_cast<std::size_t>(size);
  return CheckSample(path, std::move(reject), block, std::move(sample));
}

Status TreeBlockPreparer::CheckSample(const std::string& path, Reject reject,
                                      PreparedBlock& block,
                                      PreparedSample sample) const {
  const ByteView bytes = block.bytes.view().subspan(sample.offset);
  const ImageVerdict verdict = CheckImage(bytes, ToImageCheck(options_.check));
  sample.facts = verdict.facts;
  std::vector<Label> labels;
  plan_.source().samples.GetLabels(sample.source, labels);
  const FieldView image{.name = kImageField, .shape = {}, .bytes = bytes};
  sample.digest = ContentDigest(labels, {&image, 1});
  if (!verdict.reason.empty()) {
    reject.reason = verdict.reason;
    reject.detail = verdict.detail;
    const Status why =
        Status(Code::kCorrupt, verdict.reason + ": " + verdict.detail)
            .At({.path = path, .offset = verdict.offset});
    return HandleBad(std::move(reject), why, true, block, sample);
  }
  AddBoxes(block, sample);
  block.samples.push_back(std::move(sample));
  return Status();
}

// Fields beside the image, if the source has boxes for it.
void TreeBlockPreparer::AddBoxes(PreparedBlock& block,
                                 PreparedSample& sample) const {
  const SourceSet& source = plan_.source();
  const auto boxes = source.boxes.Find(
      FileNameOf(std::string(source.samples.key(sample.source))));
  if (boxes.empty()) return;
  sample.fields = {
      {std::string(kImageField), std::string(kBytesDtype), {}, sample.size}};
  for (const auto& [name, coordinate] : kBoxFields) {
    for (const BoundingBox& box : boxes) {
      block.bytes.Append(std::as_bytes(std::span(&(box.*coordinate), 1)));
    }
    sample.fields->push_back(
        {std::string(name), "<f4", {boxes.size()}, boxes.size_bytes() / 4});
  }
  sample.size = block.bytes.size() - sample.offset;
  std::vector<Label> labels;
  source.samples.GetLabels(sample.source, labels);
  sample.digest = ContentDigest(labels, FieldsOf(block, sample));
}

Status TreeBlockPreparer::HandleBad(Reject reject, const Status& why,
                                    bool has_bytes, PreparedBlock& block,
                                    PreparedSample& sample) const {
  if (options_.on_bad == OnBad::kFail) {
    return Status(why).At({.key = reject.key});
  }
  // What cannot be read can only be left out.
  const OnBad done = has_bytes ? options_.on_bad : OnBad::kSkip;
  reject.action = ActionName(done);
  sample.packed = done == OnBad::kKeep;
  if (done == OnBad::kQuarantine) {
    SHARDINE_RETURN_IF_ERROR(
        Quarantine(storage_, options_.output, reject.split, reject.key,
                   block.bytes.view().subspan(sample.offset)));
  }
  if (sample.packed) {
    AddBoxes(block, sample);
  } else {
    block.bytes.Resize(sample.offset);
  }
  sample.reject = std::move(reject);
  block.samples.push_back(std::move(sample));
  return Status();
}

}  // namespace shardine
