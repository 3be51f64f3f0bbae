#include "verify/locate_damage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/index_entry.h"
#include "io/memory_storage.h"

namespace shardine {
namespace {

constexpr char kShardPath[] = "shard";

struct PieceComparison {
  Xxh3Stream hash;                     // of the written bytes
  std::optional<std::uint64_t> first;  // byte that differs
};

// Takes a writer's bytes, digests them and compares them with a file.
// Shards may be larger than memory and than the free disk: the rewritten one is
// compared piece by piece and never stored.
class ComparingFile : public WritableFile {
 public:
  ComparingFile(const RandomAccessFile& with, PieceComparison& comparison)
      : with_(with), comparison_(comparison) {}

  Status Append(ByteView bytes) override {
    comparison_.hash.Update(bytes);
    // After the first difference reading stops, and only the digest goes on:
    // whether the rewritten shard is the original one is known at its end.
    if (!comparison_.first) {
      there_.Resize(bytes.size());
      SHARDINE_ASSIGN_OR_RETURN(const std::size_t count,
                                with_.ReadAt(offset_, there_.span()));
      // A file that ends early differs at the byte where it ends.
      const auto differs =
          std::mismatch(bytes.begin(), bytes.end(), there_.view().begin(),
                        there_.view().begin() + static_cast<long>(count));
      const auto at = static_cast<std::uint64_t>(differs.first - bytes.begin());
      if (at < bytes.size()) comparison_.first = offset_ + at;
    }
    offset_ += bytes.size();
    return Status();
  }
  Status Sync() override { return Status(); }
  Status Close() override { return Status(); }
  const std::string& path() const override { return with_.path(); }

 private:
  const RandomAccessFile& with_;
  PieceComparison& comparison_;
  ByteBuffer there_;
  std::uint64_t offset_ = 0;
};

class ComparingStorage : public MemoryStorage {
 public:
  ComparingStorage(const RandomAccessFile& with, PieceComparison& comparison)
      : with_(with), comparison_(comparison) {}

  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    // The native index of a shard is small, and is not compared here.
    if (path != kShardPath) return MemoryStorage::Create(path);
    return std::unique_ptr<WritableFile>(
        std::make_unique<ComparingFile>(with_, comparison_));
  }

  // Writers that leave the writing to a library ask how much it was.
  Result<FileInfo> Stat(const std::string& path) override {
    if (path != kShardPath) return MemoryStorage::Stat(path);
    return FileInfo{.kind = FileKind::kRegular, .size = with_.size()};
  }

 private:
  const RandomAccessFile& with_;
  PieceComparison& comparison_;
};

struct RecordContext {
  const Limits& limits;
  const ClassMap& classes;
};

Status Rewrite(const RandomAccessFile& file, const ShardIndex& index,
               const RecordContext& context, ShardWriter& writer) {
  ByteBuffer payload;
  for (std::uint64_t r = 0; r < index.size(); ++r) {
    SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry, index.Entry(r));
    SHARDINE_ASSIGN_OR_RETURN(const std::string key, index.Key(r));
    SHARDINE_RETURN_IF_ERROR(ReadPayload(file, entry, payload));
    const std::vector<FieldView> fields = FieldsOf(entry, payload.view());
    SHARDINE_RETURN_IF_ERROR(
        writer.Append(RecordOf({.id = entry.id,
                                .key = key,
                                .labels = entry.labels,
                                .fields = fields,
                                .facts = &entry.facts},
                               context.limits, context.classes)));
  }
  return writer.Finish().status();
}

}  // namespace

std::optional<std::uint64_t> LocateDamage(const FormatAndLayout& format,
                                          const RandomAccessFile& file,
                                          const ShardIndex& index,
                                          const ShardMaking& making,
                                          const Digest128& expected) {
  PieceComparison comparison;
  ComparingStorage storage(file, comparison);
  const ShardPaths paths{
      kShardPath, format.layout->companion_suffix.empty() ? "" : "companion",
      making.split, ClassFactsOf(making.classes)};
  auto writer = format.format->create_writer(storage, paths, format);
  // A shard that cannot be rewritten is no finding of its own: that it has
  // another digest than the manifest says is reported anyway, without a byte.
  if (!writer.ok() ||
      !Rewrite(file, index, {format.limits(), making.classes}, **writer).ok()) {
    return std::nullopt;
  }
  // Only a rewritten shard with the digest of the manifest is the shard as it
  // once was. In any other the first difference may be the other writer's way
  // of padding, and would send users to the wrong byte.
  if (comparison.hash.Digest() != expected) return std::nullopt;
  return comparison.first;
}

}  // namespace shardine
