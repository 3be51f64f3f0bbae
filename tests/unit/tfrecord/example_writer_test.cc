#include "tfrecord/example_writer.h"

#include "support/example_oracle.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::example_writer_test {
namespace {

std::string Join(std::span<const ByteView> pieces) {
  std::string joined;
  for (const ByteView piece : pieces) joined += AsText(piece);
  return joined;
}

TEST_CASE("ExampleWriter writes small features by name, then payloads",
          "[tfrecord]") {
  ExampleWriter writer;
  writer.AddBytesPayload("image", AsBytes("JPEG"));
  writer.AddInt64("label", 300);
  writer.AddBytes("key", "k");
  CHECK(Join(writer.Serialize()) ==
        ExampleOf({{"key", BytesFeature({"k"})},
                   {"label", Int64Feature({300})},
                   {"image", BytesFeature({"JPEG"})}}));
  writer.Clear();
  CHECK(Join(writer.Serialize()) == FromHex("0a00"));
}

TEST_CASE("ExampleWriter copies no payload", "[tfrecord]") {
  const std::string payload(100'000, 'p');
  ExampleWriter writer;
  writer.AddBytesPayload("a", AsBytes(payload));
  writer.AddFloatPayload("b", AsBytes(payload));
  const auto pieces = writer.Serialize();
  REQUIRE(pieces.size() == 5);
  CHECK(pieces[2].data() == AsBytes(payload).data());
  CHECK(pieces[4].data() == AsBytes(payload).data());
}

TEST_CASE("ExampleWriter writes empty lists and values as protobuf does",
          "[tfrecord]") {
  ExampleWriter writer;
  writer.AddBytesPayload("a", {});
  writer.AddFloatPayload("b", {});
  writer.AddInt64s("c", {});
  CHECK(Join(writer.Serialize()) == ExampleOf({{"c", Int64Feature({})},
                                               {"a", BytesFeature({""})},
                                               {"b", FloatFeature({})}}));
}

TEST_CASE("protobuf reads what ExampleWriter writes, of every length",
          "[tfrecord]") {
  Draws draws(2);
  ExampleWriter writer;
  for (std::uint32_t round = 0; round < 300; ++round) {
    writer.Clear();
    OracleFeatures expected;
    const std::string name(draws.Below(300), 'n');
    // Lengths around those at which one of the lengths takes another byte.
    const std::string image = draws.Bytes(round < 150 ? round : round * 111);
    const std::string floats = draws.Bytes(4 * draws.Below(70));
    writer.AddBytesPayload(name, AsBytes(image));
    expected[name] = {FeatureKind::kBytes, {image}};
    writer.AddFloatPayload("floats", AsBytes(floats));
    expected["floats"].kind = FeatureKind::kFloat;
    for (std::size_t i = 0; i < floats.size(); i += 4) {
      expected["floats"].values.push_back(floats.substr(i, 4));
    }
    const std::int64_t number = -static_cast<std::int64_t>(round) << 40;
    writer.AddInt64("number", number);
    expected["number"] = {FeatureKind::kInt64, {std::to_string(number)}};
    const std::string record = Join(writer.Serialize());
    const auto parsed = ParseByProtobuf(record);
    REQUIRE(parsed);
    REQUIRE((*parsed == expected));
    ExampleReader reader;
    REQUIRE(reader.Parse(AsBytes(record)).ok());
    REQUIRE((FeaturesOf(reader) == expected));
  }
}

}  // namespace
}  // namespace shardine::example_writer_test
