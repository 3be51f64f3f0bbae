// BlockFile: what is kept of one shard: a sparse twin of it, each block at its
// own place, after a table of the CRC-32C of each block. A block that is not as
// its CRC says is not there: one that was being written when a process died or
// the disk was full, that was flipped, cut off or never came. So nothing need
// be synced, and any number of processes write at a time: of one address they
// write the same. A file in which all blocks are there is compared with the
// shard's digest once; from then on it is proved, and nobody writes to it.
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

  // The proved one of the shard's digest, else that of its address. Null: it
  // cannot be kept. The folder must outlive it.
  static std::unique_ptr<BlockFile> Open(CacheFolder& folder,
                                         const KnownFile& file);

  // Of a file of the folder: none of the blocks that are damaged is there from
  // now on. How many there were; of a whole shard with another digest than its
  // name says, all.
  static std::uint64_t ForgetDamaged(CacheFolder& folder,
                                     const std::string& name);

  std::uint64_t blocks() const { return (bytes_ + kBlock - 1) / kBlock; }
  // The bytes of blocks [first, first + count) that the shard has.
  std::uint64_t BytesOf(std::uint64_t first, std::uint64_t count) const;

  // Those bytes of the shard, if all blocks that they are in are there.
  // REQUIRES, here and below: they are in the shard.
  bool Read(std::uint64_t offset, std::span<std::byte> out) const;
  // Reads those blocks that are there into their places; whether each is.
  std::vector<bool> ReadBlocks(std::uint64_t first,
                               std::span<std::byte> out) const;
  // Whole blocks; if there is room for them. A proved file of which something
  // had to be fetched goes.
  void Write(std::uint64_t first, ByteView bytes);
  // None of the blocks that these bytes are in is there from now on; of a
  // proved file, none at all.
  void Forget(std::uint64_t offset, std::uint64_t size);

  // Whether the table says that it is there; the bytes may be damaged.
  bool MayHave(std::uint64_t block) const;
  // How many of all blocks it does not say that of.
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
