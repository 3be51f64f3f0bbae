#include "shard/content_digest.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::content_digest_test {
namespace {

using namespace std::string_literals;

// The digest of a byte string that the test writes by hand.
Digest128 Of(const std::string& bytes) { return Xxh3_128(AsBytes(bytes)); }

FieldView Image(std::string_view bytes) {
  return {.name = kImageField, .bytes = AsBytes(bytes)};
}

TEST_CASE("ContentDigest of a labelled photo covers label, name and bytes",
          "[digest]") {
  const Label labels[] = {Label(258)};
  const FieldView fields[] = {Image("abc")};
  CHECK(ContentDigest(labels, fields) == Of("\1\0\0\0"
                                            "i\2\1\0\0\0\0\0\0"
                                            "\1\0\0\0"
                                            "\5\0\0\0image"
                                            "\2\0\0\0|S"
                                            "\0\0\0\0"
                                            "\3\0\0\0\0\0\0\0abc"s));
}

TEST_CASE("ContentDigest of nothing is that of two zero counts", "[digest]") {
  CHECK(ContentDigest({}, {}) == Of("\0\0\0\0\0\0\0\0"s));
}

TEST_CASE("ContentDigest writes real labels as f and integral ones as i",
          "[digest]") {
  const Label labels[] = {Label::FromReal(0.5), Label::FromReal(-0.0),
                          Label(-1)};
  CHECK(ContentDigest(labels, {}) == Of("\3\0\0\0"
                                        "f\0\0\0\0\0\0\xE0\x3F"
                                        "i\0\0\0\0\0\0\0\0"
                                        "i\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
                                        "\0\0\0\0"s));
}

TEST_CASE("ContentDigest covers dtype and shape of each field", "[digest]") {
  const std::uint64_t shape[] = {2, 1};
  const std::string pixels = "\1\2"s;
  const FieldView fields[] = {Image(""),
                              {.name = "mask",
                               .dtype = "|u1",
                               .shape = shape,
                               .bytes = AsBytes(pixels)}};
  CHECK(ContentDigest({}, fields) == Of("\0\0\0\0"
                                        "\2\0\0\0"
                                        "\5\0\0\0image"
                                        "\2\0\0\0|S"
                                        "\0\0\0\0"
                                        "\0\0\0\0\0\0\0\0"
                                        "\4\0\0\0mask"
                                        "\3\0\0\0|u1"
                                        "\2\0\0\0"
                                        "\2\0\0\0\0\0\0\0"
                                        "\1\0\0\0\0\0\0\0"
                                        "\2\0\0\0\0\0\0\0\1\2"s));
}

TEST_CASE("ContentDigest is the same however large labels and payload are",
          "[digest]") {
  for (const std::size_t size : {0u, 200u, 255u, 256u, 257u, 100'000u}) {
    CAPTURE(size);
    std::vector<Label> labels;
    std::string expected;
    AppendLe(static_cast<std::uint32_t>(size / 10), expected);
    for (std::size_t i = 0; i < size / 10; ++i) {
      labels.emplace_back(static_cast<std::int64_t>(i));
      expected += 'i';
      AppendLe(static_cast<std::int64_t>(i), expected);
    }
    const std::string payload(size, 'p');
    const FieldView fields[] = {Image(payload)};
    expected += "\1\0\0\0\5\0\0\0image\2\0\0\0|S\0\0\0\0"s;
    AppendLe(static_cast<std::uint64_t>(size), expected);
    expected += payload;
    CHECK(ContentDigest(labels, fields) == Of(expected));
  }
}

TEST_CASE("ContentDigest tells samples apart that share their bytes",
          "[digest]") {
  const Label one[] = {Label(1)};
  const Label two[] = {Label(2)};
  const FieldView image[] = {Image("ab")};
  const FieldView other[] = {{.name = "thumb", .bytes = AsBytes("ab")}};
  const FieldView split[] = {Image("a"), {.name = "j", .bytes = AsBytes("b")}};
  const Digest128 digest = ContentDigest(one, image);
  CHECK_FALSE(digest == ContentDigest(two, image));
  CHECK_FALSE(digest == ContentDigest({}, image));
  CHECK_FALSE(digest == ContentDigest(one, other));
  CHECK_FALSE(digest == ContentDigest(one, split));
}

TEST_CASE("NameDigest covers id, split and key", "[digest]") {
  CHECK(NameDigest(513, "val", "a/b") ==
        Of("\1\2\0\0\0\0\0\0\3\0\0\0val\3\0\0\0a/b"s));
  const std::string key = "\xFF\0\n"s + std::string(300, 'k');
  std::string expected = "\0\0\0\0\0\0\0\0\0\0\0\0\x2F\1\0\0"s + key;
  CHECK(NameDigest(0, "", key) == Of(expected));
  CHECK_FALSE(NameDigest(1, "ab", "c") == NameDigest(1, "a", "bc"));
}

TEST_CASE("BindingDigest covers id, split, key and content", "[digest]") {
  const Digest128 content{0x0102, 0x0304};
  CHECK(BindingDigest(513, "val", "a/b", content) ==
        Of("\1\2\0\0\0\0\0\0\3\0\0\0val\3\0\0\0a/b"
           "\2\1\0\0\0\0\0\0\4\3\0\0\0\0\0\0"s));
  const Digest128 digest = BindingDigest(1, "a", "b", content);
  CHECK_FALSE(digest == BindingDigest(2, "a", "b", content));
  CHECK_FALSE(digest == BindingDigest(1, "b", "a", content));
  CHECK_FALSE(digest == BindingDigest(1, "a", "c", content));
  CHECK_FALSE(digest == BindingDigest(1, "a", "b", {0x0304, 0x0102}));
}

TEST_CASE("Binding digests of samples that swap contents have another sum",
          "[digest]") {
  const Digest128 one{1, 2};
  const Digest128 two{3, 4};
  Digest128 sum = BindingDigest(0, "s", "a", one);
  sum += BindingDigest(1, "s", "b", two);
  Digest128 swapped = BindingDigest(0, "s", "a", two);
  swapped += BindingDigest(1, "s", "b", one);
  CHECK_FALSE(sum == swapped);
}

}  // namespace
}  // namespace shardine::content_digest_test
