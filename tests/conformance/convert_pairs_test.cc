// Every ordered pair of layouts: a dataset in the one becomes one in the other
// and comes back, with the same content, names and order, and the first
// layout's shards are byte for byte those it began with.
#include <catch2/catch.hpp>

#include "conformance/format_fixture.h"
#include "dataset/dataset_summary.h"
#include "dataset/index_entry.h"
#include "dataset/manifest.h"
#include "image/probe.h"
#include "io/atomic_file.h"
#include "shard/shard_index.h"
#include "shardine/convert.h"
#include "support/dataset_checks.h"

namespace shardine::convert_pairs_test {
namespace {

constexpr Digest128 kPlanDigest{1, 2};

void WriteRecords(Storage& storage, const Case& c, const ShardPaths& paths,
                  std::span<const OwnedSample> samples) {
  const auto writer = c.format->create_writer(storage, paths, {c.choice()});
  REQUIRE(writer.ok());
  for (const OwnedSample& sample : samples) {
    std::vector<FieldView> fields;
    for (const OwnedField& field : sample.fields) {
      fields.push_back(
          {field.name, field.dtype, field.shape, AsBytes(field.bytes)});
    }
    const ImageFacts facts = ProbeImage(AsBytes(sample.fields[0].bytes)).facts;
    const Status status = (*writer)->Append(RecordOf({.id = *sample.id,
                                                      .key = *sample.key,
                                                      .labels = sample.labels,
                                                      .fields = fields,
                                                      .facts = &facts},
                                                     c.layout->limits, {}));
    REQUIRE(status.ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().status().ToString() == "OK");
}

// The sidecar of a shard of these samples, with all that records may lose.
void WriteSidecar(Storage& storage, const Case& c, const std::string& path,
                  std::span<const OwnedSample> samples) {
  const auto file = storage.Open(path);
  REQUIRE(file.ok());
  const auto scanner = c.format->open_scanner(**file, c.choice());
  REQUIRE(scanner.ok());
  ShardIndexWriter index;
  for (const OwnedSample& sample : samples) {
    const auto scanned = (*scanner)->Next();
    REQUIRE(scanned.status().ToString() == "OK");
    REQUIRE(scanned->has_value());
    index.Add(MakeIndexEntry(**scanned, *sample.id, sample.labels),
              *sample.key);
  }
  IndexBinding binding{(*file)->size(), {}, kPlanDigest};
  binding.shard_digest = DescribeFile(storage, ".", path)->digest;
  const std::string name = SidecarName(path);
  REQUIRE(storage.CreateDirectories(DirectoryOf(name)).ok());
  auto sidecar = AtomicFile::Create(storage, name);
  REQUIRE(sidecar.ok());
  REQUIRE(index.WriteTo(*sidecar, binding).ok());
  REQUIRE(sidecar->Publish().ok());
}

// A dataset of these samples in `shards` shards.
void WriteDataset(Storage& storage, const std::string& directory, const Case& c,
                  std::span<const OwnedSample> samples, std::size_t shards) {
  REQUIRE(storage.CreateDirectories(directory).ok());
  std::vector<FinishedShard> finished;
  for (std::size_t s = 0; s < shards; ++s) {
    const std::size_t first = samples.size() * s / shards;
    const auto part =
        samples.subspan(first, samples.size() * (s + 1) / shards - first);
    const std::string stem =
        "train-0000" + std::to_string(s) + "-of-0000" + std::to_string(shards);
    const ShardPaths names = c.paths(stem);
    const auto in = [&](const std::string& name) {
      return name.empty() ? name : JoinPath(directory, name);
    };
    WriteRecords(storage, c, {in(names.shard), in(names.companion)}, part);
    WriteSidecar(storage, c, in(names.shard), part);
    finished.push_back({"train", names.shard, names.companion, ""});
  }
  const auto summary = SummarizeShards(storage, directory, finished);
  REQUIRE(summary.status().ToString() == "OK");
  Manifest manifest;
  manifest.format = c.name();
  manifest.splits = summary->splits;
  manifest.plan_digest = kPlanDigest;
  REQUIRE(WriteManifest(storage, directory, manifest).ok());
}

void Convert(Storage& storage, const std::string& input,
             const std::string& output, const Case& to) {
  ConvertOptions options;
  options.input = input;
  options.output = output;
  options.format = to.name();
  options.lossy_labels = true;
  options.threads = 2;
  const auto result = shardine::Convert(options, {.storage = &storage});
  INFO(input << " to " << output << " as " << to.name());
  REQUIRE(result.status().ToString() == "OK");
}

void CheckSame(const Manifest& a, const Manifest& b) {
  CHECK(a.content_digest() == b.content_digest());
  CHECK(a.names_digest() == b.names_digest());
  CHECK(a.order_digest() == b.order_digest());
  CHECK(a.classes == b.classes);
}

// `samples` through a and b, for each pair of cases that hold them.
void CheckPairs(const std::vector<OwnedSample>& samples,
                bool (*holds)(const Limits&)) {
  std::vector<Case> cases;
  for (const Case& c : AllCases()) {
    if (holds(c.layout->limits)) cases.push_back(c);
  }
  REQUIRE_FALSE(cases.empty());
  for (const Case& a : cases) {
    MemoryStorage storage;
    WriteDataset(storage, "a", a, samples, 3);
    CheckSound(storage, "a");
    const Manifest first = ManifestOf(storage, "a");
    for (const Case& b : cases) {
      INFO(a.name() << " to " << b.name() << " and back");
      const std::string there = "there-" + b.name();
      const std::string back = "back-" + b.name();
      Convert(storage, "a", there, b);
      CheckSound(storage, there);
      CheckSame(ManifestOf(storage, there), first);
      Convert(storage, there, back, a);
      const Manifest returned = ManifestOf(storage, back);
      CheckSame(returned, first);
      for (std::size_t s = 0; s < first.splits[0].shards.size(); ++s) {
        CHECK(returned.splits[0].shards[s].file ==
              first.splits[0].shards[s].file);
      }
    }
  }
}

TEST_CASE("Photos survive every pair of layouts and back",
          "[conformance][convert]") {
  std::vector<OwnedSample> samples = SmallSamples(40);
  samples.push_back(MakeSample(1000, 700'001));
  // Labels that most records cannot hold.
  samples[3].labels = {Label::FromReal(0.1)};
  samples[4].labels = {Label(std::int64_t{1} << 60)};
  samples[5].labels = {};
  samples[6].labels = {Label(1), Label(2), Label::FromReal(-3.5)};
  CheckPairs(samples, [](const Limits& l) { return l.encoded_image; });
}

TEST_CASE("Samples with fields survive every pair of layouts and back",
          "[conformance][convert]") {
  std::vector<OwnedSample> samples = SmallSamples(12);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    OwnedField points = MakeSample(100 + i, 5 * 7 * 2 * 8).fields[0];
    points.name = "points";
    points.dtype = "<f8";
    points.shape = {5, 7, 2};
    samples[i].fields.push_back(
        {"caption", "|S", {}, "text " + *samples[i].key});
    samples[i].fields.push_back(std::move(points));
    std::ranges::sort(samples[i].fields, {}, &OwnedField::name);
  }
  CheckPairs(samples,
             [](const Limits& l) { return l.fields && l.encoded_image; });
}

TEST_CASE("Arrays as images survive every pair of layouts and back",
          "[conformance][convert]") {
  std::vector<OwnedSample> samples;
  for (std::uint64_t id = 0; id < 9; ++id) {
    samples.push_back(MakeSample(id, 48));
    samples.back().fields[0].dtype = "|u1";
    samples.back().fields[0].shape = {3, 4, 4};
  }
  CheckPairs(samples, [](const Limits& l) { return l.array_image; });
}

}  // namespace
}  // namespace shardine::convert_pairs_test
