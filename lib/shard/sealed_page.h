// Pages of 4096 bytes, each closed by its CRC-32C, that the companions of a
// shard (.sdx, .sde) have in common. Drawn in FORMAT.md. Nothing here reads or
// writes files.
#ifndef SHARDINE_SHARD_SEALED_PAGE_H_
#define SHARDINE_SHARD_SEALED_PAGE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "shard/index_binding.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kPageBytes = 4096;
// The body of a page of rows; number, CRC of the header and CRC take the rest.
inline constexpr std::size_t kPageBodyBytes = kPageBytes - 16;

// Fixed-width fields one after the other; bounds are the caller's constants.
class FieldStore {
 public:
  explicit FieldStore(std::byte* at) : at_(at) {}
  template <Scalar T>
  void Put(T value) {
    StoreLe(value, at_);
    at_ += sizeof(T);
  }
  void Put(const Digest128& digest) {
    Put(digest.low);
    Put(digest.high);
  }

 private:
  std::byte* at_;
};

class FieldLoad {
 public:
  explicit FieldLoad(const std::byte* at) : at_(at) {}
  template <Scalar T>
  void Get(T& value) {
    value = LoadLe<T>(at_);
    at_ += sizeof(T);
  }
  void Get(Digest128& digest) {
    Get(digest.low);
    Get(digest.high);
  }

 private:
  const std::byte* at_;
};

// A kind of companion.
struct CompanionKind {
  std::string_view name;      // in messages: "sidecar index"
  std::string_view magic;     // 8 bytes
  std::uint32_t version = 1;  // the newest; older ones are read, too
};

// kCorrupt: the name of `kind`, ": " and `what`.
Status DamagedCompanion(const CompanionKind& kind, std::string_view what);

// The CRC that closes any page; of the header, it also names the file.
// REQUIRES, here and below: one page.
std::uint32_t PageCrc(ByteView page);

// Fills all of the header page. `numbers` stand between version and binding.
void EncodeHeaderPage(const CompanionKind& kind,
                      std::span<const std::uint64_t> numbers,
                      const IndexBinding& binding, std::span<std::byte> page);
// The version of a header page that DecodeHeaderPage took.
std::uint32_t VersionOf(ByteView page);
// Reads as many numbers as there is room for. kUnsupported: a newer version.
Status DecodeHeaderPage(const CompanionKind& kind, ByteView page,
                        std::span<std::uint64_t> numbers,
                        IndexBinding& binding);

// Writes the last 16 bytes of a page of rows: which page of which file it is,
// and its CRC.
void SealPage(std::uint64_t number, std::uint32_t header_crc,
              std::span<std::byte> page);
Status CheckPage(const CompanionKind& kind, std::uint64_t number,
                 std::uint32_t header_crc, ByteView page);

}  // namespace shardine

#endif  // SHARDINE_SHARD_SEALED_PAGE_H_
