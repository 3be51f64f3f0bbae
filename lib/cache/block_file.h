// BlockFile: the kept blocks of one shard: a sparse twin of it, each block at
// its own place, after a table of the CRC-32C of each block. A block that
// differs from its CRC counts as absent: it was being written when a process
// died or the disk was full, was flipped, cut off or never came. So nothing
// need be synced, and any number of processes write at a time: of one address
// they write the same. Once all blocks of a file are present, it is compared
// with the shard's digest; from then on it is proved, and no process writes to
// it.
#ifndef SHARDINE_CACHE_BLOCK_FILE_H_
#define SHARDINE_CACHE_BLOCK_FILE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cache/cache_folder.h"

namespace shardine {

// Thread-safe.
class BlockFile {
 public:
  // Small, so that a sample's bytes take little beside them, and those that it
  // shares with its neighbour are fetched once.
  static constexpr std::uint64_t kBlock = 16 << 10;

  // The proved file of the shard's digest, else the file of its address. Null:
  // it cannot be kept. The folder must outlive it.
  static std::unique_ptr<BlockFile> Open(CacheFolder& folder,
                                         const KnownFile& file);

  // Drops the damaged blocks of a file of the folder from now on, and returns
  // their number; for a whole shard with another digest than its name says, all
  // blocks.
  static std::uint64_t ForgetDamaged(CacheFolder& folder,
                                     const std::string& name);

  std::uint64_t blocks() const { return (bytes_ + kBlock - 1) / kBlock; }
  // The bytes of blocks [first, first + count) that the shard has.
  std::uint64_t BytesOf(std::uint64_t first, std::uint64_t count) const;

  // Reads these bytes of the shard if all blocks that hold them are present.
  // REQUIRES, here and below: they are in the shard.
  bool Read(std::uint64_t offset, std::span<std::byte> out) const;
  // Reads those blocks that are there into their places; whether each is.
  std::vector<bool> ReadBlocks(std::uint64_t first,
                               std::span<std::byte> out) const;
  // Whole blocks; if there is room for them. A proved file of which something
  // had to be fetched goes.
  void Write(std::uint64_t first, ByteView bytes);
  // Drops all blocks that hold these bytes from now on; of a proved file, every
  // block.
  void Forget(std::uint64_t offset, std::uint64_t size);

  // Whether the table says that it is there; the bytes may be damaged.
  bool MayHave(std::uint64_t block) const;
  // How many blocks the table does not list as present.
  std::uint64_t MissingBlocks() const;

 private:
  BlockFile(CacheFolder& folder, std::string name, CacheDescriptor file,
            std::uint64_t bytes);
  static std::unique_ptr<BlockFile> OpenProved(CacheFolder& folder,
                                               const KnownFile& file);
  static std::unique_ptr<BlockFile> OpenOwn(CacheFolder& folder,
                                            const KnownFile& file);
  bool IsOf(const Digest128& digest) const;
  std::vector<std::uint32_t> Table(std::uint64_t first,
                                   std::uint64_t count) const;
  bool is_proved() const { return IsProvedCacheName(name_); }
  void WriteBlocks(const CacheDescriptor& file, std::uint64_t first,
                   ByteView bytes);
  void NoteUse() const;

  CacheFolder& folder_;
  const std::string name_;
  const CacheDescriptor file_;
  const std::uint64_t bytes_;
  const std::uint64_t begin_;                    // of the twin, after the table
  mutable std::atomic<std::int64_t> noted_ = 0;  // second of a steady clock
};

}  // namespace shardine

#endif  // SHARDINE_CACHE_BLOCK_FILE_H_
