#include "shard/sealed_page.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/checksum.h"

namespace shardine {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kBindingBytes = 8 + 16 + 16;
constexpr std::size_t kCrcAt = kPageBytes - 4;
constexpr std::size_t kHeaderCrcAt = kPageBytes - 8;
constexpr std::size_t kPageNumberAt = kPageBodyBytes;

std::size_t HeaderUsed(std::size_t numbers) {
  return kMagicBytes + 4 + 4 + 8 * numbers + kBindingBytes;
}

}  // namespace

Status DamagedCompanion(const CompanionKind& kind, std::string_view what) {
  return Status(Code::kCorrupt,
                std::string(kind.name) + ": " + std::string(what));
}

std::uint32_t PageCrc(ByteView page) { return Crc32c(page.first(kCrcAt)); }

void EncodeHeaderPage(const CompanionKind& kind,
                      std::span<const std::uint64_t> numbers,
                      const IndexBinding& binding, std::span<std::byte> page) {
  SHARDINE_CHECK(page.size() == kPageBytes);
  SHARDINE_CHECK(kind.magic.size() == kMagicBytes);
  std::ranges::fill(page, std::byte{0});
  std::memcpy(page.data(), kind.magic.data(), kMagicBytes);
  FieldStore store(page.data() + kMagicBytes);
  store.Put(kind.version);
  store.Put(std::uint32_t{0});
  for (const std::uint64_t number : numbers) store.Put(number);
  store.Put(binding.shard_bytes);
  store.Put(binding.shard_digest);
  store.Put(binding.plan_digest);
  StoreLe(PageCrc(page), page.data() + kCrcAt);
}

std::uint32_t VersionOf(ByteView page) {
  return LoadLe<std::uint32_t>(page.data() + kMagicBytes);
}

Status DecodeHeaderPage(const CompanionKind& kind, ByteView page,
                        std::span<std::uint64_t> numbers,
                        IndexBinding& binding) {
  SHARDINE_CHECK(page.size() == kPageBytes);
  // Magic, CRC and version stand in the same places in every version, and are
  // looked at in this order: so a newer file is told from a damaged one, and
  // nothing else is read of either.
  if (AsText(page.first(kMagicBytes)) != kind.magic) {
    return DamagedCompanion(
        kind, "does not begin with \"" + std::string(kind.magic) + "\"");
  }
  if (LoadLe<std::uint32_t>(page.data() + kCrcAt) != PageCrc(page)) {
    return DamagedCompanion(kind, "the header does not match its CRC");
  }
  FieldLoad load(page.data() + kMagicBytes);
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  load.Get(version);
  load.Get(reserved);
  if (version == 0 || version > kind.version) {
    return Status(Code::kUnsupported, std::string(kind.name) + ": version " +
                                          std::to_string(version) +
                                          "; this program reads version " +
                                          (kind.version > 1 ? "1 to " : "") +
                                          std::to_string(kind.version));
  }
  for (std::uint64_t& number : numbers) load.Get(number);
  load.Get(binding.shard_bytes);
  load.Get(binding.shard_digest);
  load.Get(binding.plan_digest);
  // No writer of these versions sets a byte here: one that did meant something
  // that this reader would pass over in silence.
  const std::size_t used = HeaderUsed(numbers.size());
  const bool zeros =
      std::ranges::all_of(page.subspan(used, kCrcAt - used),
                          [](std::byte byte) { return byte == std::byte{0}; });
  if (reserved != 0 || !zeros) {
    return DamagedCompanion(kind, "the header's padding is not zero");
  }
  return Status();
}

void SealPage(std::uint64_t number, std::uint32_t header_crc,
              std::span<std::byte> page) {
  SHARDINE_CHECK(page.size() == kPageBytes);
  StoreLe(number, page.data() + kPageNumberAt);
  StoreLe(header_crc, page.data() + kHeaderCrcAt);
  StoreLe(PageCrc(page), page.data() + kCrcAt);
}

// A page may be whole and yet be wrong: one that was written to another place,
// or left from a companion that had the same name before.
Status CheckPage(const CompanionKind& kind, std::uint64_t number,
                 std::uint32_t header_crc, ByteView page) {
  SHARDINE_CHECK(page.size() == kPageBytes);
  if (LoadLe<std::uint32_t>(page.data() + kCrcAt) != PageCrc(page)) {
    return DamagedCompanion(kind, "a page of rows does not match its CRC");
  }
  if (LoadLe<std::uint64_t>(page.data() + kPageNumberAt) != number ||
      LoadLe<std::uint32_t>(page.data() + kHeaderCrcAt) != header_crc) {
    return DamagedCompanion(kind, "a page of rows belongs elsewhere");
  }
  return Status();
}

}  // namespace shardine
