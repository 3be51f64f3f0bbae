#include "shardine/digest.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::digest_test {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

TEST_CASE("A digest is printed high half first and read back", "[digest]") {
  const Digest128 digest{0x0123456789ABCDEF, 0xFEDCBA9876543210};
  CHECK(digest.ToHex() == "fedcba98765432100123456789abcdef");
  CHECK(Digest128::FromHex(digest.ToHex()) == digest);
  CHECK(Digest128{}.ToHex() == std::string(32, '0'));
  CHECK(Digest128{1, 0}.ToHex() == std::string(31, '0') + "1");
  CHECK(Digest128::FromHex(std::string(32, 'f')) == Digest128{kMax, kMax});
}

TEST_CASE("FromHex takes exactly 32 lower-case digits", "[digest]") {
  const std::string good = "fedcba98765432100123456789abcdef";
  CHECK_FALSE(Digest128::FromHex(""));
  CHECK_FALSE(Digest128::FromHex(good.substr(1)));
  CHECK_FALSE(Digest128::FromHex(good + "0"));
  for (const char c : {'F', 'g', ' ', '-', 'x', '\0', '/', ':', '`'}) {
    for (const std::size_t at : {0u, 15u, 16u, 31u}) {
      std::string bad = good;
      bad[at] = c;
      CHECK_FALSE(Digest128::FromHex(bad));
    }
  }
}

TEST_CASE("Digests add and subtract modulo 2^128", "[digest]") {
  Digest128 sum{kMax, 0};
  sum += Digest128{1, 0};
  CHECK(sum == Digest128{0, 1});
  sum -= Digest128{1, 0};
  CHECK(sum == Digest128{kMax, 0});
  sum += Digest128{kMax, kMax};
  CHECK(sum == Digest128{kMax - 1, 0});
  sum -= Digest128{kMax, kMax};
  CHECK(sum == Digest128{kMax, 0});
  Digest128 zero;
  zero -= Digest128{1, 0};
  CHECK(zero == Digest128{kMax, kMax});
  zero += Digest128{1, 0};
  CHECK(zero == Digest128{});
}

TEST_CASE("A sum of digests does not depend on their order", "[digest]") {
  const Digest128 a{kMax - 3, 5};
  const Digest128 b{17, kMax};
  const Digest128 c{kMax, kMax - 9};
  Digest128 forward = a;
  (forward += b) += c;
  Digest128 backward = c;
  (backward += b) += a;
  CHECK(forward == backward);
  (forward -= b) -= c;
  CHECK(forward == a);
}

TEST_CASE("A digest added to itself is doubled, taken from itself is zero",
          "[digest]") {
  Digest128 digest{std::uint64_t{1} << 63, 1};
  const Digest128& self = digest;
  digest += self;
  CHECK(digest == Digest128{0, 3});
  digest -= self;
  CHECK(digest == Digest128{});
}

}  // namespace
}  // namespace shardine::digest_test
