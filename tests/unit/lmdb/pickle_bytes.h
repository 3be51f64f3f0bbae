// Makers of the pickles of the pickle tests.
#ifndef SHARDINE_TESTS_UNIT_LMDB_PICKLE_BYTES_H_
#define SHARDINE_TESTS_UNIT_LMDB_PICKLE_BYTES_H_

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "lmdb/pickle_reader.h"
#include "lmdb/pickle_writer.h"

namespace shardine {

// "61 62 0a" (blanks anywhere) -> "ab\n".
inline std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  REQUIRE(digits.empty());
  return bytes;
}

// The pickle that `write` makes with a PickleWriter.
template <typename Write>
std::string Pickled(Write write) {
  SplicedBytes bytes;
  PickleWriter pickle(bytes);
  write(pickle);
  pickle.Finish();
  return bytes.ToString();
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_PICKLE_BYTES_H_
