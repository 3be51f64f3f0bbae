#include <catch2/catch.hpp>
#include "base/checksum.h"
#include "shardine/escape.h"
using namespace shardine;
TEST_CASE("Crc32c equals the published check value", "[checksum]") {
  CHECK(Crc32c(AsBytes("123456789")) == 0xe3069283u);
  CHECK(Crc32c(AsBytes("456789"), Crc32c(AsBytes("123"))) == 0xe3069283u);
  CHECK(Xxh3_128(AsBytes("")).ToHex() == "99aa06d3014798d86001c324468d497f");
}
