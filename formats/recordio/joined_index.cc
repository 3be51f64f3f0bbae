#include "recordio/joined_index.h"

#include <cstddef>
#include <string>

#include "base/status_macros.h"
#include "recordio/recordio_index.h"
#include "shard/companion_folder.h"

namespace shardine {
namespace {

constexpr std::size_t kJoinedFlushBytes = std::size_t{64} << 10;

// `base`: bytes of the shards before it.
Status AppendLines(const RandomAccessFile& file,
                   const DatasetFacts::Shard& shard, std::uint64_t base,
                   MetadataSink& sink) {
  IdxReader reader(file);
  std::string lines;
  std::uint64_t records = 0;
  for (;; ++records) {
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, reader.Next());
    if (!entry) break;
    // One from beyond the shard would be a place in the next one.
    if (entry->offset >= shard.bytes) {
      return Status(Code::kCorrupt, "an offset is beyond the end of the shard")
          .At({.path = file.path(),
               .offset = reader.line_offset(),
               .record = reader.line()});
    }
    lines += std::to_string(entry->key) + '\t' +
             std::to_string(base + entry->offset) + '\n';
    if (lines.size() < kJoinedFlushBytes) continue;
    SHARDINE_RETURN_IF_ERROR(sink.Append(lines));
    lines.clear();
  }
  if (records != shard.samples) {
    return Status(Code::kCorrupt, "lists " + std::to_string(records) +
                                      " records; the shard has " +
                                      std::to_string(shard.samples))
        .At({.path = file.path()});
  }
  return sink.Append(lines);
}

}  // namespace

Status WriteJoinedIndex(ReadableStorage& storage, const DatasetFacts& facts,
                        const LayoutChoice& layout, MetadataSink& sink) {
  if (layout.value(kMetadataParameter) != kJoinedIndex) return Status();
  for (const DatasetFacts::Split& split : facts.splits) {
    // Its programs get it by path. Beside the shards it would confuse programs
    // that take an .idx for each .rec.
    SHARDINE_RETURN_IF_ERROR(
        sink.Begin(InCompanionFolder(split.name + ".idx")));
    std::uint64_t base = 0;
    for (const DatasetFacts::Shard& shard : split.shards) {
      if (shard.companion.empty()) {
        return Status(Code::kUnsupported, "has no .idx that could be joined")
            .At({.path = JoinPath(facts.directory, shard.path)});
      }
      SHARDINE_ASSIGN_OR_RETURN(
          const auto file,
          storage.Open(JoinPath(facts.directory, shard.companion)));
      SHARDINE_RETURN_IF_ERROR(AppendLines(*file, shard, base, sink));
      base += shard.bytes;
    }
  }
  return Status();
}

}  // namespace shardine
