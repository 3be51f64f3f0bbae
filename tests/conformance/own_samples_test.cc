// Samples of the caller's own become a sound dataset in every layout, which
// converts as any other; samples beyond a layout's Limits are refused.
#include <catch2/catch.hpp>
#include <string>

#include "conformance/format_fixture.h"
#include "dataset/manifest.h"
#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/verify.h"

namespace shardine::own_samples_test {
namespace {

Status AppendTo(DatasetWriter& writer, const OwnedSample& sample,
                std::string_view split) {
  std::vector<FieldView> fields;
  // Fields may come in any order.
  for (std::size_t i = sample.fields.size(); i > 0; --i) {
    const OwnedField& field = sample.fields[i - 1];
    fields.push_back(
        {field.name, field.dtype, field.shape, AsBytes(field.bytes)});
  }
  return writer.Append({.key = *sample.key,
                        .id = sample.id,
                        .labels = sample.labels,
                        .fields = fields,
                        .split = split});
}

std::unique_ptr<DatasetWriter> Begin(Storage& storage, const Case& c,
                                     const std::string& output) {
  DatasetWriterOptions options;
  options.output = output;
  options.format = c.name();
  options.shard_samples = 5;
  options.check = ImageCheckLevel::kNone;
  options.lossy_labels = true;
  options.classes = {{"none", 0}, {"one", 1},  {"two", 2}, {"three", 3},
                     {"four", 4}, {"five", 5}, {"six", 6}};
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.status().ToString() == "OK");
  return *std::move(writer);
}

std::vector<OwnedSample> SamplesFor(const Case& c) {
  std::vector<OwnedSample> samples = SmallSamples(23);
  samples[3].labels = {};
  if (c.layout->limits.max_labels > 1) {
    samples[4].labels = {Label(1), Label::FromReal(0.5)};
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = c.Fitted(std::move(samples[i]));
    if (!c.layout->limits.fields) continue;
    samples[i].fields.push_back({"points", "<f4", {2}, "12345678"});
  }
  return samples;
}

TEST_CASE("Samples of one's own become a sound dataset in every layout",
          "[conformance][writer]") {
  for (const Case& c : AllCases()) {
    INFO(c.name());
    MemoryStorage storage;
    const auto writer = Begin(storage, c, "out");
    std::size_t number = 0;
    for (const OwnedSample& sample : SamplesFor(c)) {
      const Status status =
          AppendTo(*writer, sample, number++ % 4 == 3 ? "val" : "train");
      REQUIRE(status.ToString() == "OK");
    }
    const auto written = writer->Finish();
    REQUIRE(written.status().ToString() == "OK");
    CHECK(written->samples == 23);
    CHECK(written->shards == 4 + 1);
    const auto verified =
        Verify({.target = "out", .against = {}}, {.storage = &storage});
    REQUIRE(verified.status().ToString() == "OK");
    for (const Status& finding : verified->findings) {
      FAIL_CHECK(finding.ToString());
    }
    for (const std::string& note : verified->notes) FAIL_CHECK(note);
    REQUIRE(verified->copies.size() == 1);
    CHECK(ToString(verified->copies[0]) == "0 of 5 val samples are in train");
    ConvertOptions options;
    options.input = "out";
    options.output = "again";
    options.lossy_labels = true;
    const auto again = Convert(options, {.storage = &storage});
    REQUIRE(again.status().ToString() == "OK");
    const auto before = ReadManifest(storage, "out");
    const auto after = ReadManifest(storage, "again");
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    CHECK(before->binding_digest() == after->binding_digest());
    CHECK(before->order_digest() == after->order_digest());
    CHECK(before->classes == after->classes);
    for (std::size_t s = 0; s < before->splits.size(); ++s) {
      CHECK(before->splits[s].shards[0].file ==
            after->splits[s].shards[0].file);
    }
  }
}

TEST_CASE("What a layout cannot hold of one's own samples is refused by name",
          "[conformance][writer]") {
  for (const Case& c : AllCases()) {
    INFO(c.name());
    const Limits& limits = c.layout->limits;
    std::vector<OwnedSample> wrong;
    const OwnedSample fine = c.Fitted(MakeSample(1, 30));
    if (!limits.fields) {
      wrong.push_back(fine);
      wrong.back().fields.push_back({"points", "<f4", {2}, "12345678"});
    }
    if (limits.needs_image) {
      wrong.push_back(fine);
      wrong.back().fields.clear();
    }
    if (!limits.array_image) {
      wrong.push_back(fine);
      wrong.back().fields[0] = {"image", "|u1", {3, 4, 4}, std::string(48, 0)};
    }
    if (!limits.encoded_image) wrong.push_back(MakeSample(1, 30));
    if (limits.keys && limits.max_key > 0 && limits.max_key < 65535) {
      wrong.push_back(fine);
      wrong.back().key = std::string(limits.max_key + 1, 'k');
    }
    for (const OwnedSample& sample : wrong) {
      MemoryStorage storage;
      const auto writer = Begin(storage, c, "out");
      const Status status = AppendTo(*writer, sample, "train");
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.where().key == *sample.key);
      CHECK(writer->Finish().status().code() == Code::kUnsupported);
      CHECK_FALSE(storage.Stat("out").ok());
    }
  }
}

}  // namespace
}  // namespace shardine::own_samples_test
