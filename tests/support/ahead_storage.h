// AheadStorage: passes reads to another storage, keeps the ranges asked for in
// advance as a server's would, and counts the other reads.
#ifndef SHARDINE_SUPPORT_AHEAD_STORAGE_H_
#define SHARDINE_SUPPORT_AHEAD_STORAGE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "support/storage_over.h"

namespace shardine {

// Thread-safe. Only reads.
class AheadStorage : public StorageOver {
 public:
  // `below` must outlive this, as this must outlive its files and the bytes
  // they keep.
  explicit AheadStorage(ReadableStorage& below);
  ~AheadStorage() override;

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;

  // The answer of its files for every byte: IsAtHand().
  void SetAtHand(bool at_hand);
  // Reads since the last call whose bytes nothing kept had.
  std::uint64_t TakeMissed();
  std::uint64_t kept_bytes() const;  // now
  std::uint64_t most_kept_bytes() const;

 private:
  struct Books;
  class AheadFile;
  const std::shared_ptr<Books> books_;
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_AHEAD_STORAGE_H_
