#include "base/sealed_text.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::sealed_text_test {
namespace {

constexpr char kMagic[] = "magic 1\n";

TEST_CASE("A sealed text gives what stands after its magic", "[sealed_text]") {
  CHECK(UnsealText(SealText("magic 1\n{}\n"), kMagic) == "{}\n");
  CHECK(UnsealText(SealText(kMagic), kMagic) == "");
  CHECK(SealText("magic 1\n{}\n").size() == 11 + 33);
}

TEST_CASE("A sealed text that was changed or cut anywhere is none",
          "[sealed_text][corruption]") {
  const std::string sealed = SealText("magic 1\n{\"a\": 1}\n");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK(!UnsealText(changed, kMagic));
    CHECK(!UnsealText(sealed.substr(0, i), kMagic));
  }
  CHECK(!UnsealText(sealed + "\n", kMagic));
  CHECK(!UnsealText(sealed, "magic 2\n"));
}

}  // namespace
}  // namespace shardine::sealed_text_test
