#include "hdf5/sandbox/sandbox_greeting.h"

#include <catch2/catch.hpp>

#include "unit/hdf5/fake_sandbox.h"

namespace shardine::sandbox_greeting_test {
namespace {

TEST_CASE("A greeting survives the way, and every cut of it is refused",
          "[hdf5][greeting]") {
  const std::string text = Encoded(OwnGreeting());
  const auto back = DecodeGreeting(AsBytes(text));
  REQUIRE(back.ok());
  CHECK(*back == OwnGreeting());
  CHECK(back->build.find('+') != std::string::npos);
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(DecodeGreeting(AsBytes(text.substr(0, size))).ok());
  }
  CHECK_FALSE(DecodeGreeting(AsBytes(text + "x")).ok());
}

TEST_CASE("A greeting with any other byte is no greeting or another's",
          "[hdf5][greeting]") {
  const std::string text = Encoded(OwnGreeting());
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int flip = 1; flip < 256; ++flip) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const auto back = DecodeGreeting(AsBytes(changed));
      // Its size decides alone whether it is one.
      REQUIRE(back.ok() == (at < 4 || at >= 8));
      if (back.ok()) REQUIRE(*back != OwnGreeting());
    }
  }
}

TEST_CASE("A greeting's build has at most 100 bytes, of any kind",
          "[hdf5][greeting]") {
  for (const std::size_t size : {0UL, 1UL, 100UL}) {
    const SandboxGreeting greeting{7, std::string(size, '\xff')};
    const auto back = DecodeGreeting(AsBytes(Encoded(greeting)));
    REQUIRE(back.ok());
    CHECK(*back == greeting);
  }
  const SandboxGreeting talkative{7, std::string(101, 'x')};
  CHECK_FALSE(DecodeGreeting(AsBytes(Encoded(talkative))).ok());
  // Its words are shown on a terminal.
  CHECK(ToText({3, "1.0\x1b[2J\n"}) == "1.0\\x1B[2J\\x0A, protocol 3");
}

}  // namespace
}  // namespace shardine::sandbox_greeting_test
