// AheadStorage: passes reads to another storage, as a server's would keep what
// it is asked for in advance, and counts what was not.
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
  // `below` must outlive this, as this must its files and what they keep.
  explicit AheadStorage(ReadableStorage& below);
  ~AheadStorage() override;

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override;

  // What its files say of every byte: IsAtHand().
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
