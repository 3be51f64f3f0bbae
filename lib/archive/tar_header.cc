#include "archive/tar_header.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace shardine {
namespace {

struct FieldPlace {
  std::size_t offset;
  std::size_t size;
};

constexpr FieldPlace kName{0, kTarNameBytes};
constexpr FieldPlace kMode{100, 8};
constexpr FieldPlace kUid{108, 8};
constexpr FieldPlace kGid{116, 8};
constexpr FieldPlace kSize{124, 12};
constexpr FieldPlace kMtime{136, 12};
constexpr FieldPlace kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr FieldPlace kLink{157, kTarNameBytes};
constexpr std::size_t kMagicAt = 257;
constexpr FieldPlace kDevMajor{329, 8};
constexpr FieldPlace kDevMinor{337, 8};
constexpr FieldPlace kPrefix{345, 155};
// The magic with its NUL is POSIX's; GNU's has spaces and uses the prefix
// otherwise.
constexpr std::string_view kPosixMagic{"ustar\0", 6};

std::string_view TextAt(ByteView block, FieldPlace place) {
  const std::string_view text = AsText(block.subspan(place.offset, place.size));
  return text.substr(0, text.find('\0'));
}

// Reads octal digits between blanks and NULs; nothing at all is zero.
std::optional<std::uint64_t> ParseOctal(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return 0;
  std::uint64_t value = 0;
  std::size_t at = begin;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '7'; ++at) {
    value = value * 8 + static_cast<std::uint64_t>(text[at] - '0');
  }
  // Fields have twelve characters at most, 36 bits, so nothing overflows.
  const std::string_view rest = text.substr(at);
  const bool ends = rest.empty() || rest[0] == ' ' || rest[0] == '\0';
  return ends ? std::optional(value) : std::nullopt;
}

// A number is octal, or in GNU's base-256 form, which the top bit announces.
std::optional<std::uint64_t> ParseNumber(ByteView field) {
  const auto first = std::to_integer<unsigned>(field[0]);
  if ((first & 0x80) == 0) return ParseOctal(AsText(field));
  std::uint64_t value = first & 0x7f;
  for (const std::byte byte : field.subspan(1)) {
    if (value >> 55 != 0) return std::nullopt;  // 2^63 or more, or negative
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return value;
}

struct Sums {
  std::uint64_t of_unsigned = 0;
  std::uint64_t of_signed = 0;
};

// The sums add the block with blanks in place of its checksum.
Sums SumsOf(ByteView block) {
  std::uint32_t all = 0;
  std::uint32_t high = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    all += std::to_integer<std::uint32_t>(block[i]);
    high += std::to_integer<std::uint32_t>(block[i] >> 7);
  }
  for (std::size_t i = 0; i < kChecksum.size; ++i) {
    const std::byte byte = block[kChecksum.offset + i];
    all -= std::to_integer<std::uint32_t>(byte);
    high -= std::to_integer<std::uint32_t>(byte >> 7);
  }
  all += static_cast<std::uint32_t>(' ') * kChecksum.size;
  // As a signed char, a byte from 0x80 on is 256 less; modulo 2^32, like the
  // number a program would have printed.
  return {all, all - 256 * high};
}

bool ChecksumFits(ByteView block) {
  const auto stated =
      ParseOctal(AsText(block.subspan(kChecksum.offset, kChecksum.size)));
  const Sums sums = SumsOf(block);
  return stated && (*stated == sums.of_unsigned || *stated == sums.of_signed);
}

void PutOctal(std::uint64_t value, FieldPlace place, char* block) {
  char* digit = block + place.offset + place.size - 1;
  *digit = '\0';
  while (digit > block + place.offset) {
    *--digit = static_cast<char>('0' + (value & 7));
    value >>= 3;
  }
}

}  // namespace

bool IsZeroBlock(ByteView block) {
  // The block is compared with itself one byte on, at the speed of memcmp.
  return block.empty() ||
         (block[0] == std::byte{0} &&
          std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0);
}

bool BeginsWithTarHeader(ByteView head) {
  return head.size() >= kTarBlock && !IsZeroBlock(head.first(kTarBlock)) &&
         ChecksumFits(head.first(kTarBlock));
}

Result<TarHeader> ParseTarHeader(ByteView block) {
  if (!ChecksumFits(block)) {
    return Status(Code::kCorrupt, "the checksum of a tar header is wrong");
  }
  TarHeader header;
  header.name = TextAt(block, kName);
  header.link = TextAt(block, kLink);
  header.type = static_cast<char>(block[kType]);
  if (AsText(block.subspan(kMagicAt, kPosixMagic.size())) == kPosixMagic) {
    const std::string_view prefix = TextAt(block, kPrefix);
    if (!prefix.empty()) {
      header.name = std::string(prefix) + "/" + header.name;
    }
  }
  const auto size = ParseNumber(block.subspan(kSize.offset, kSize.size));
  if (!size) {
    return Status(Code::kCorrupt, "the size in a tar header is no number");
  }
  header.size = *size;
  return header;
}

void AppendTarHeader(std::string_view name, std::uint64_t size, char type,
                     std::string& to) {
  char block[kTarBlock] = {};
  std::memcpy(block, name.data(), std::min(name.size(), kTarNameBytes));
  PutOctal(0644, kMode, block);
  PutOctal(0, kUid, block);
  PutOctal(0, kGid, block);
  PutOctal(size < kTarSizeLimit ? size : 0, kSize, block);
  PutOctal(0, kMtime, block);
  block[kType] = type;
  std::ranges::copy(std::string_view("ustar\00000", 8), block + kMagicAt);
  PutOctal(0, kDevMajor, block);
  PutOctal(0, kDevMinor, block);
  const Sums sums = SumsOf(std::as_bytes(std::span(block)));
  // Alone of all numbers, the checksum ends with NUL and a blank.
  PutOctal(sums.of_unsigned, {kChecksum.offset, kChecksum.size - 1}, block);
  block[kChecksum.offset + kChecksum.size - 1] = ' ';
  to.append(block, kTarBlock);
}

}  // namespace shardine
