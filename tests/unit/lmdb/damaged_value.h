// A serialised value with each of its bytes made another, and cut off at each.
#ifndef SHARDINE_TESTS_UNIT_LMDB_DAMAGED_VALUE_H_
#define SHARDINE_TESTS_UNIT_LMDB_DAMAGED_VALUE_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

// A cut value is refused. A damaged one is a value still, or is refused at a
// byte of it.
template <typename Reader>
void CheckEachDamage(Reader& reader, const std::string& whole) {
  constexpr std::uint64_t kBegin = 1000;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CHECK_FALSE(reader.Read(AsBytes(whole.substr(0, at)), kBegin).ok());
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(byte);
      const auto value = reader.Read(AsBytes(damaged), kBegin);
      if (value.ok()) continue;
      const std::uint64_t offset = value.status().where().offset.value_or(0);
      REQUIRE((offset >= kBegin && offset <= kBegin + whole.size()));
    }
  }
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_DAMAGED_VALUE_H_
