// The numbers of fields, whatever their type is.
#ifndef SHARDINE_SHARD_FIELD_NUMBERS_H_
#define SHARDINE_SHARD_FIELD_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace shardine {

// Calls use(T()) with the type of that name; |b1 and |u1 have one type. False:
// it is no type of numbers.
template <typename Use>
bool WithNumber(std::string_view dtype, const Use& use) {
  const auto is = [&]<typename T>(std::string_view name, T value) {
    if (dtype != name) return false;
    use(value);
    return true;
  };
  return is("<i8", std::int64_t()) || is("<f4", float()) ||
         is("<i4", std::int32_t()) || is("|u1", std::uint8_t()) ||
         is("|b1", std::uint8_t()) || is("|i1", std::int8_t()) ||
         is("<i2", std::int16_t()) || is("<u2", std::uint16_t()) ||
         is("<u4", std::uint32_t()) || is("<u8", std::uint64_t()) ||
         is("<f8", double());
}

// Whether these are numbers of a type below: |b1, |i1, |u1, <i2, <u2, <i4, <u4,
// <i8, <u8, <f4 or <f8.
bool AreNumbers(std::string_view dtype);

// The elements of an array, to the end of `numbers`. REQUIRES: AreNumbers;
// whole elements.
void AppendNumbers(std::string_view dtype, ByteView bytes,
                   std::vector<double>& numbers);

// One element; no bytes: the type is another, or does not have the number.
std::vector<std::byte> ElementOf(std::string_view dtype, double number);

}  // namespace shardine

#endif  // SHARDINE_SHARD_FIELD_NUMBERS_H_
