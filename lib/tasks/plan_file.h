// The plan file: all that is decided before a byte moves, in a form in which a
// task finds its own part without reading the others'. Layout: tasks/FORMAT.md.
#ifndef SHARDINE_TASKS_PLAN_FILE_H_
#define SHARDINE_TASKS_PLAN_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "io/atomic_file.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"
#include "source/shard_plan.h"
#include "source/source_set.h"
#include "tasks/plan_head.h"

namespace shardine {

// A zstd frame of the file.
struct PlanFrame {
  std::uint64_t offset = 0;
  std::uint64_t stored = 0;  // bytes
  std::uint64_t plain = 0;   // bytes
  std::uint32_t crc = 0;     // CRC-32C of the stored bytes
};

struct PlanShard {
  PlannedShard planned = {};
  std::uint64_t bytes = 0;  // of its images
  Digest128 facts = {};     // FactsDigest() (pack/shard_notes.h)
  PlanFrame rows = {};
};

// Thread-compatible. Ends in Finish() or destruction, which abandons.
class PlanFileWriter {
 public:
  static Result<PlanFileWriter> Begin(Storage& storage, const std::string& path,
                                      const PlanHead& head,
                                      const PlanLists& lists = {});

  // The next shard, with rows as EncodePlanRows() gives them. `rows` of it is
  // filled in here.
  Status Add(PlanShard shard, const std::string& rows);
  // The file has its name then.
  Status Finish();

  std::uint64_t bytes() const { return at_; }

 private:
  explicit PlanFileWriter(AtomicFile file) : file_(std::move(file)) {}
  Status Append(ByteView bytes);
  Result<PlanFrame> AppendFrame(ByteView plain, const char* too_large);

  AtomicFile file_;
  Xxh3Stream digest_;
  std::uint64_t at_ = 0;
  PlanFrame head_;
  PlanFrame lists_;
  std::vector<PlanShard> shards_;
};

// Thread-safe.
class PlanFile {
 public:
  // Reads head and table, and checks them. kCorrupt: the file is none, is
  // damaged there, or contradicts itself; kNotFound; kChanged: another version
  // of this program made it.
  static Result<std::unique_ptr<PlanFile>> Open(ReadableStorage& storage,
                                                const std::string& path,
                                                const FormatRegistry& formats);

  const std::string& path() const { return file_->path(); }
  const PlanHead& head() const { return head_; }
  // No task needs them; each call reads them. kCorrupt: they are damaged or
  // impossible.
  Result<PlanLists> ReadLists() const;
  const std::vector<PlanShard>& shards() const { return shards_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t bytes() const { return bytes_; }  // of images

  std::uint64_t tasks() const;
  // The shards of a task, which follow each other. REQUIRES: task < tasks().
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;  // not one of them
  };
  Range ShardsOf(std::uint64_t task) const;

  // Adds the samples of a shard to `source`, which is head().Source() or has
  // others of them, and, for a plan with an input, their numbers in it to
  // `numbers`, unless that is null. kCorrupt: they are damaged or impossible.
  Status ReadRows(const PlanShard& shard, SourceSet& source,
                  std::vector<std::uint64_t>* numbers = nullptr) const;

  // The rows of a shard of a kind that has rows of its own.
  Result<std::string> RowsOf(const PlanShard& shard) const {
    return ReadFrame(shard.rows);
  }

  // The digest at the end of the file.
  const Digest128& digest() const { return digest_; }
  // kCorrupt: some byte of the file has changed since it was written.
  Status CheckDigest() const;

 private:
  explicit PlanFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}
  Status ReadAll(const FormatRegistry& formats);
  Status ReadTable(const PlanFrame& table, std::uint64_t first);
  Status CheckTable(std::uint64_t first, std::uint64_t end);
  void NameShards(const FormatRegistry& formats);
  Status ReadHead(const PlanFrame& head);
  Result<std::string> ReadFrame(const PlanFrame& frame) const;
  Status Damaged(std::string what, std::uint64_t offset) const;

  std::unique_ptr<RandomAccessFile> file_;
  PlanHead head_;
  PlanFrame lists_;
  Digest128 digest_;
  std::vector<PlanShard> shards_;
  std::uint64_t samples_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_FILE_H_
