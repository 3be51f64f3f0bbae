// The numbers of fields, whatever their type is.
#ifndef SHARDINE_SHARD_FIELD_NUMBERS_H_
#define SHARDINE_SHARD_FIELD_NUMBERS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace shardine {

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
