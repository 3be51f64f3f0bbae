#include "base/compress.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/philox.h"

namespace shardine::compress_test {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 24;

// Keys of a few hundred neighbours, as the sidecar stores them.
std::string SomeKeys() {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "n01440764/n01440764_" + std::to_string(i * 37) + ".JPEG\n";
  }
  return text;
}

std::string Noise(std::size_t size) {
  std::string text;
  for (std::uint32_t i = 0; text.size() < size; ++i) {
    text += static_cast<char>(Philox4x32({i, 0, 0, 0}, {5, 6})[0]);
  }
  return text;
}

Code CodeOf(std::string_view frame, std::size_t max_size = kPlenty) {
  return ZstdDecompress(AsBytes(frame), max_size).status().code();
}

TEST_CASE("A zstd frame gives back what it was made of", "[compress]") {
  for (const std::string& text :
       {std::string(), std::string("x"), SomeKeys(), Noise(100'000),
        std::string(1'000'000, '\0')}) {
    for (const int level : {1, 3, 19}) {
      const std::string frame = ZstdCompress(AsBytes(text), level);
      const auto back = ZstdDecompress(AsBytes(frame), text.size());
      REQUIRE(back.ok());
      CHECK(*back == text);
    }
  }
  CHECK(ZstdCompress(AsBytes(SomeKeys())).size() < SomeKeys().size() / 5);
}

TEST_CASE("A dense zstd frame has no more content than its size allows",
          "[compress]") {
  std::string period;
  for (int i = 0; i < 4'000'000; ++i) period += static_cast<char>(i % 251);
  for (const std::string& text :
       {std::string(), std::string(300, 'x'), SomeKeys(), Noise(100'000),
        std::string(5'000'000, '\0'), period}) {
    const std::string frame = ZstdCompressDense(AsBytes(text));
    CHECK(text.size() <= kZstdMostRatio * frame.size());
    const auto back = ZstdDecompress(AsBytes(frame), text.size());
    REQUIRE(back.ok());
    CHECK(*back == text);
  }
  CHECK(ZstdCompressDense(AsBytes(SomeKeys())) ==
        ZstdCompress(AsBytes(SomeKeys())));
}

TEST_CASE("The same input gives the same zstd frame", "[compress]") {
  CHECK(ZstdCompress(AsBytes(SomeKeys())) == ZstdCompress(AsBytes(SomeKeys())));
}

TEST_CASE("A zstd frame larger than expected is refused by what it states",
          "[compress]") {
  const std::string frame = ZstdCompress(AsBytes(SomeKeys()));
  const auto size = SomeKeys().size();
  CHECK(CodeOf(frame, size) == Code::kOk);
  const Status status = ZstdDecompress(AsBytes(frame), size - 1).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message() == "zstd frame states " + std::to_string(size) +
                                " bytes of content, more than the " +
                                std::to_string(size - 1) + " expected");
}

TEST_CASE("A zstd frame that states a huge size is refused before allocation",
          "[compress]") {
  // Magic, single segment with an 8-byte content size of 2^62, one empty block.
  const std::string frame("\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\0\0\x40\x01\0\0", 16);
  CHECK(CodeOf(frame) == Code::kCorrupt);
}

TEST_CASE("A zstd frame cut at any length is refused", "[compress]") {
  const std::string frame = ZstdCompress(AsBytes(SomeKeys()));
  for (std::size_t size = 0; size < frame.size(); ++size) {
    REQUIRE(CodeOf(frame.substr(0, size)) == Code::kCorrupt);
  }
}

TEST_CASE("A zstd frame with anything behind it is refused", "[compress]") {
  const std::string frame = ZstdCompress(AsBytes(SomeKeys()));
  CHECK(CodeOf(frame + '\0') == Code::kCorrupt);
  CHECK(CodeOf(frame + frame) == Code::kCorrupt);
}

TEST_CASE("A zstd frame with any bit flipped gives the same bytes or an error",
          "[compress]") {
  const std::string text = SomeKeys();
  const std::string frame = ZstdCompress(AsBytes(text));
  int passed = 0;
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    std::string damaged = frame;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto result = ZstdDecompress(AsBytes(damaged), kPlenty);
    if (result.ok()) {
      ++passed;
      REQUIRE(*result == text);
    } else {
      REQUIRE(result.status().code() == Code::kCorrupt);
    }
  }
  // Other sequences of matches may spell the same text, but seldom.
  CHECK(passed < static_cast<int>(frame.size() * 8 / 50));
}

TEST_CASE("Frames that zstd skips or that state no size are refused",
          "[compress]") {
  const std::string skippable("\x50\x2A\x4D\x18\x04\0\0\0data", 12);
  CHECK(CodeOf(skippable) == Code::kCorrupt);
  // Magic, a window of 1 KiB and no content size, one raw block "abc".
  const std::string unsized("\x28\xB5\x2F\xFD\0\0\x19\0\0abc", 12);
  CHECK(CodeOf(unsized) == Code::kCorrupt);
  CHECK(CodeOf("") == Code::kCorrupt);
  CHECK(CodeOf("not a frame at all") == Code::kCorrupt);
}

TEST_CASE("A zstd frame whose content is not what it states is refused",
          "[compress]") {
  // Magic, single segment of 4 bytes, one raw block "abc".
  const std::string shorter("\x28\xB5\x2F\xFD\x20\x04\x19\0\0abc", 12);
  CHECK(CodeOf(shorter) == Code::kCorrupt);
  const std::string longer("\x28\xB5\x2F\xFD\x20\x02\x19\0\0abc", 12);
  CHECK(CodeOf(longer) == Code::kCorrupt);
  const std::string right("\x28\xB5\x2F\xFD\x20\x03\x19\0\0abc", 12);
  CHECK(CodeOf(right) == Code::kOk);
}

}  // namespace
}  // namespace shardine::compress_test
