#include "remote/crypto_library.h"

#include <catch2/catch.hpp>
#include <span>
#include <string>

#include "base/bytes.h"

namespace shardine::crypto_library_test {
namespace {

TEST_CASE("Sha256Stream gives the digest of all pieces together",
          "[remote][digest]") {
  const auto crypto = CryptoLibrary::Load();
  REQUIRE(crypto.ok());
  const auto digest = [&](std::initializer_list<std::string> pieces) {
    Sha256Stream stream(**crypto);
    for (const std::string& piece : pieces) stream.Update(AsBytes(piece));
    return ToHex(stream.Finish());
  };
  // The example of FIPS 180-4, and the digest of no bytes.
  const std::string abc =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  CHECK(digest({"abc"}) == abc);
  CHECK(digest({"a", "", "bc"}) == abc);
  CHECK(digest({}) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest({std::string(1 << 20, 'x')}) ==
        ToHex((*crypto)->Digest(std::string(1 << 20, 'x'))));
}

}  // namespace
}  // namespace shardine::crypto_library_test
