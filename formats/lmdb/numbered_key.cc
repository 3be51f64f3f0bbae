#include "lmdb/numbered_key.h"

#include <cstdio>

namespace shardine {
namespace {

constexpr std::uint64_t kMaxPosition = 99'999'999;

}  // namespace

Status CheckPosition(std::uint64_t position) {
  if (position <= kMaxPosition) return {};
  return Status(Code::kUnsupported,
                "more than 100,000,000 samples do not fit keys of eight "
                "digits; make more shards");
}

std::string NumberedKey(std::uint64_t position, std::string_view key) {
  char prefix[24];
  std::snprintf(prefix, sizeof(prefix), "%08llu_",
                static_cast<unsigned long long>(position));
  return std::string(prefix).append(key);
}

std::string_view WithoutNumber(std::string_view key) {
  const std::size_t digits = key.find_first_not_of("0123456789");
  const bool numbered = digits != key.npos &&
                        digits + 1 >= kNumberedKeyPrefix && key[digits] == '_';
  return numbered ? key.substr(digits + 1) : key;
}

bool IsNumbered(std::string_view key, std::string_view prefix) {
  return key.size() > prefix.size() && key.starts_with(prefix) &&
         key.find_first_not_of("0123456789", prefix.size()) == key.npos;
}

}  // namespace shardine
