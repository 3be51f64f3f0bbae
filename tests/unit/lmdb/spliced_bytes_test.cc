#include "lmdb/spliced_bytes.h"

#include <catch2/catch.hpp>
#include <string>

#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::spliced_bytes_test {
namespace {

ByteView View(std::string_view text) { return AsBytes(text); }

TEST_CASE("SplicedBytes joins its own pieces and those of others in order",
          "[lmdb][spliced]") {
  SplicedBytes bytes;
  CHECK(bytes.ToString().empty());
  bytes.Splice(View("one"));
  bytes.Append(View("-"));
  bytes.Splice(View("two"));
  bytes.Splice(View(""));
  bytes.Splice(View("three"));
  bytes.Append(View("-four"));
  CHECK(bytes.size() == 17);
  CHECK(bytes.ToString() == "one-twothree-four");
  bytes.Clear();
  CHECK(bytes.size() == 0);
  bytes.Append(View("anew"));
  CHECK(bytes.ToString() == "anew");
}

TEST_CASE("SplicedBytes erases and overwrites its own, counted in the whole",
          "[lmdb][spliced]") {
  SplicedBytes bytes;
  bytes.Append(View("ab"));
  bytes.Splice(View("XXXX"));
  bytes.Append(View("cdef"));
  bytes.Overwrite(7, View("DE"));
  CHECK(bytes.ToString() == "abXXXXcDEf");
  bytes.Overwrite(0, View("AB"));
  CHECK(bytes.ToString() == "ABXXXXcDEf");
  bytes.Erase(7, 2);
  CHECK(bytes.ToString() == "ABXXXXcf");
  bytes.Append(View("g"));
  CHECK(bytes.ToString() == "ABXXXXcfg");
  CHECK(bytes.size() == 9);
}

TEST_CASE("SplicedBytes is what a string would be, whatever is put into it",
          "[lmdb][spliced]") {
  const std::string payload(300, 'p');
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    OracleDraws draws(seed);
    SplicedBytes bytes;
    std::string whole;
    std::size_t behind_splice = 0;
    for (int i = 0; i < 40; ++i) {
      const std::uint32_t size = draws.Below(20);
      if (draws.Below(3) == 0) {
        const auto piece = std::string_view(payload).substr(0, size);
        bytes.Splice(View(piece));
        whole += piece;
        behind_splice = whole.size();
        continue;
      }
      const std::string piece = draws.Bytes(size);
      bytes.Append(View(piece));
      whole += piece;
      const auto own = static_cast<std::uint32_t>(whole.size() - behind_splice);
      if (own < 2) continue;
      const std::size_t at = behind_splice + draws.Below(own - 1);
      if (draws.Below(2) == 0) {
        bytes.Erase(at, 1);
        whole.erase(at, 1);
      } else {
        bytes.Overwrite(at, View("!"));
        whole[at] = '!';
      }
    }
    REQUIRE(bytes.size() == whole.size());
    REQUIRE(bytes.ToString() == whole);
  }
}

}  // namespace
}  // namespace shardine::spliced_bytes_test
