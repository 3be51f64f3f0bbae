// lmdb/datum against protobuf's own writer and parser.
#include "lmdb/datum_codec.h"

#include <cstring>

#include "lmdb/datum.pb.h"
#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::datum_codec_test {
namespace {

std::string FloatBytes(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  return bytes;
}

MadeSample Array(std::string dtype, std::vector<std::uint64_t> shape,
                 std::string bytes) {
  return {.fields = {{.dtype = std::move(dtype),
                      .shape = std::move(shape),
                      .bytes = std::move(bytes)}}};
}

TEST_CASE("A Datum is byte for byte what protobuf writes", "[lmdb][datum]") {
  const auto codec = CodecOf("datum");
  const auto value = [&](const MadeSample& sample) {
    const auto entry = Encoded(*codec, sample);
    REQUIRE(entry.status().ToString() == "OK");
    return entry->value;
  };
  OracleDraws draws(1);
  for (const std::uint32_t size : {0U, 1U, 127U, 128U, 3000U, 16383U, 16384U}) {
    for (const std::int64_t label : {0LL, 7LL, -1LL, 2147483647LL}) {
      caffe::Datum datum;
      datum.set_data(draws.Bytes(size));
      datum.set_label(static_cast<std::int32_t>(label));
      datum.set_encoded(true);
      CHECK(value(Photo(datum.data(), {Label(label)})) ==
            datum.SerializeAsString());
    }
  }
  caffe::Datum plain;
  plain.set_data("jpg");
  plain.set_encoded(true);
  CHECK(value(Photo("jpg")) == plain.SerializeAsString());
  caffe::Datum planes;
  planes.set_channels(3);
  planes.set_height(200);
  planes.set_width(1);
  planes.set_data(draws.Bytes(600));
  CHECK(value(Array("|u1", {3, 200, 1}, planes.data())) ==
        planes.SerializeAsString());
  caffe::Datum floats;
  floats.set_channels(2);
  floats.set_height(1);
  floats.set_width(3);
  const std::vector<float> numbers = {0, 1.5F, -2, 1e30F, -0.0F, 3};
  for (const float number : numbers) floats.add_float_data(number);
  CHECK(value(Array("<f4", {2, 1, 3}, FloatBytes(numbers))) ==
        floats.SerializeAsString());
}

TEST_CASE("Any Datum that protobuf writes is read as protobuf reads it",
          "[lmdb][datum]") {
  const auto codec = CodecOf("datum");
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    OracleDraws draws(seed);
    caffe::Datum datum;
    const std::uint32_t sides[] = {draws.Below(4), draws.Below(9),
                                   draws.Below(40)};
    const std::uint32_t items = sides[0] * sides[1] * sides[2];
    const bool floats = draws.Below(3) == 0;
    const bool encoded = !floats && draws.Below(2) == 0;
    if (!encoded) {
      datum.set_channels(static_cast<std::int32_t>(sides[0]));
      datum.set_height(static_cast<std::int32_t>(sides[1]));
      datum.set_width(static_cast<std::int32_t>(sides[2]));
    }
    std::vector<float> numbers;
    for (std::uint32_t i = 0; floats && i < items; ++i) {
      numbers.push_back(static_cast<float>(draws.Below(1000)) / 8);
      datum.add_float_data(numbers.back());
    }
    if (!floats) datum.set_data(draws.Bytes(encoded ? 50 : items));
    if (encoded) datum.set_encoded(true);
    if (draws.Below(2) == 0) {
      datum.set_label(static_cast<std::int32_t>(draws.Below(~0U)));
    }
    const auto back = Decoded(*codec, {"k", datum.SerializeAsString()});
    INFO("Datum " << seed << ": " << back.status().ToString());
    REQUIRE(back.ok());
    REQUIRE(back->fields.size() == 1);
    const MadeField& image = back->fields[0];
    // Floats are one by one, so they are nowhere in one piece.
    const bool has_floats = !numbers.empty();
    REQUIRE(image.bytes == (has_floats ? FloatBytes(numbers) : datum.data()));
    REQUIRE(image.dtype == (encoded ? "|S" : has_floats ? "<f4" : "|u1"));
    REQUIRE(image.in_place == !has_floats);
    REQUIRE(image.shape.size() == (encoded ? 0 : 3));
    for (std::size_t i = 0; i < image.shape.size(); ++i) {
      REQUIRE(image.shape[i] == sides[i]);
    }
    REQUIRE(back->labels.size() == (datum.has_label() ? 1 : 0));
    if (datum.has_label()) REQUIRE(back->labels[0] == Label(datum.label()));
  }
}

TEST_CASE("lmdb/datum rounds labels to 32 bits, at their nearer end",
          "[lmdb][datum]") {
  const auto codec = CodecOf("datum");
  const auto kept = [&](const Label& label) {
    const auto entry = Encoded(*codec, Photo("jpg", {label}));
    REQUIRE(entry.ok());
    caffe::Datum datum;
    REQUIRE(datum.ParseFromString(entry->value));
    return datum.label();
  };
  CHECK(kept(Label(-2147483648LL)) == -2147483648LL);
  CHECK(kept(Label(2147483648LL)) == 2147483647);
  CHECK(kept(Label(std::int64_t{1} << 62)) == 2147483647);
  CHECK(kept(Label(-(std::int64_t{1} << 62))) == -2147483648LL);
  CHECK(kept(Label::FromReal(2.75)) == 3);
}

TEST_CASE("lmdb/datum takes the number from a key, if that is all it is",
          "[lmdb][datum]") {
  const auto codec = CodecOf("datum");
  const auto key = [&](const std::string& of) {
    const auto entry = Encoded(*codec, Photo("jpg"));
    REQUIRE(entry.ok());
    const auto back = Decoded(*codec, {of, entry->value});
    REQUIRE(back.ok());
    return back->key;
  };
  CHECK(key("00000012_n01/a.jpg") == "n01/a.jpg");
  CHECK(key("00000012_") == "");
  CHECK(key("00000012_7_b") == "7_b");
  CHECK(key("123456789012_a") == "a");  // more than eight digits
  CHECK(key("0000012_a") == "0000012_a");
  CHECK(key("00000012-a") == "00000012-a");
  CHECK(key("00000012") == "00000012");
  CHECK(key("a_00000012_b") == "a_00000012_b");
}

TEST_CASE("lmdb/datum refuses what a Datum cannot hold, saying what it can",
          "[lmdb][datum]") {
  const auto codec = CodecOf("datum");
  MadeSample named = Photo("jpg");
  named.fields[0].name = "photo";
  MadeSample two = Photo("jpg");
  two.fields.push_back({"mask", "|S", {}, "png"});
  const MadeSample refused[] = {
      named,
      two,
      MadeSample{},
      Array("|S", {3}, "123"),  // bytes with a shape
      Array("<f8", {1, 1, 1}, "12345678"),
      Array("|i1", {1, 1, 1}, "1"),
      Array("|u1", {1, 1}, "1"),         // two sides
      Array("|u1", {1, 1, 2}, "1"),      // too few bytes
      Array("<f4", {1, 1, 1}, "12345"),  // too many
      Array("|u1", {std::uint64_t{1} << 31, 0, 0}, ""),
      Array("|u1", {std::uint64_t{1} << 63, 2, 1}, "")};
  for (const MadeSample& sample : refused) {
    CHECK(Refusal(*codec, sample).message() ==
          "lmdb/datum holds one field, \"image\", of plain bytes, or a |u1 or "
          "<f4 array of channels, height and width");
  }
  CHECK(Encoded(*codec, Array("|u1", {2147483647, 0, 0}, "")).ok());
  CHECK(Refusal(*codec, Photo("jpg", {Label(1), Label(2)})).message() ==
        "lmdb/datum holds one label");
  MadeSample key = Photo("jpg");
  key.key = std::string(502, 'k');
  REQUIRE(Encoded(*codec, key).ok());
  CHECK(Encoded(*codec, key)->key.size() == kMaxLmdbKey);
  key.key += 'k';
  CHECK(Refusal(*codec, key).message() ==
        "a key of 503 bytes: lmdb/datum holds up to 502");
}

TEST_CASE("A Datum whose sides do not fit its bytes is refused with both",
          "[lmdb][datum][corruption]") {
  const auto codec = CodecOf("datum");
  const auto said = [&](std::int32_t channels, std::int32_t height,
                        std::int32_t width, const std::string& data) {
    caffe::Datum datum;
    datum.set_channels(channels);
    datum.set_height(height);
    datum.set_width(width);
    datum.set_data(data);
    const auto back = Decoded(*codec, {"k", datum.SerializeAsString()});
    CHECK((back.ok() || back.status().code() == Code::kCorrupt));
    return back.status().message();
  };
  CHECK(said(1, 2, 3, "123456").empty());
  CHECK(said(1, 2, 3, "12345") ==
        "a Datum of 5 bytes that is not encoded and whose channels, height and "
        "width are 1, 2 and 3");
  CHECK_THAT(said(-1, -2, 3, "123456"), Catch::EndsWith("-1, -2 and 3"));
  CHECK_THAT(said(0, 0, 0, "1"), Catch::EndsWith("0, 0 and 0"));
  // 2^62, which times anything is beyond 64 bits.
  CHECK_THAT(said(2147483647, 2147483647, 2147483647, ""),
             Catch::StartsWith("a Datum of 0 bytes"));
  caffe::Datum encoded;
  encoded.set_encoded(true);
  encoded.add_float_data(1);
  CHECK(
      Decoded(*codec, {"k", encoded.SerializeAsString()}).status().message() ==
      "a Datum with floats that are encoded");
}

TEST_CASE("A fault in a Datum is named by its byte in the file",
          "[lmdb][datum][corruption]") {
  const auto codec = CodecOf("datum");
  caffe::Datum datum;
  datum.set_channels(3);
  datum.set_data("abc");
  const std::string bytes = datum.SerializeAsString();
  const Status status = Decoded(*codec, {"k", bytes + "\x07"}).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().offset == 1000 + bytes.size());
}

}  // namespace
}  // namespace shardine::datum_codec_test
