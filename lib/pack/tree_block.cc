#include "pack/tree_block.h"

#include <span>
#include <string>
#include <utility>

#include "source/read_source.h"

namespace shardine {

PreparedBlock TreeBlockPreparer::Prepare(const PlannedBlock& planned,
                                         PreparedBlock used,
                                         const std::stop_token& stop) const {
  PreparedBlock block =
      BeginBlock(planned, policy_.variants(), std::move(used));
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
  const std::string name(list.path(source));
  const std::string path =
      JoinPath(plan_.source().roots[list.root(source)], name);
  const SourceFacts facts = list.facts(source);
  const std::uint64_t size = facts.size;
  const Status fits = CheckSourceSize(path, size, policy_.max_payload());
  if (!fits.ok()) return policy_.AddUnread(source, "too-large", fits, block);
  PreparedVariant& read = block.variants[0];
  PreparedPayload payload;
  payload.offset = read.bytes.size();
  const Status status = ReadSource(storage_, path, facts, read.bytes);
  if (!status.ok()) {
    if (!IsUnreadable(status)) return status;
    read.bytes.Resize(payload.offset);
    return policy_.AddUnread(source, "unreadable", status, block);
  }
  payload.size = static_cast<std::size_t>(size);
  AddBoxes(name, read, payload);
  return policy_.Add(source, std::move(payload), {.path = path}, block);
}

// Fields beside the image, if the source has boxes for it.
void TreeBlockPreparer::AddBoxes(const std::string& path, PreparedVariant& read,
                                 PreparedPayload& payload) const {
  const auto boxes = plan_.source().boxes.Find(FileNameOf(path));
  if (boxes.empty()) return;
  payload.fields = {
      {std::string(kImageField), std::string(kBytesDtype), {}, payload.size}};
  for (const auto& [name, coordinate] : kBoxFields) {
    for (const BoundingBox& box : boxes) {
      read.bytes.Append(std::as_bytes(std::span(&(box.*coordinate), 1)));
    }
    payload.fields->push_back(
        {std::string(name), "<f4", {boxes.size()}, boxes.size_bytes() / 4});
  }
  payload.size = read.bytes.size() - payload.offset;
}

}  // namespace shardine
