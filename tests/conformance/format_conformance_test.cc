// The promises of every format, for each line of the format table. Names no
// format.
#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "conformance/format_fixture.h"
#include "shardine/format.h"
#include "support/fault_storage.h"

namespace shardine::format_conformance_test {
namespace {

// Writes, then checks that the scan returns the samples that the layout keeps,
// in order, with extents at which the file holds the same bytes.
void CheckRoundTrip(const Case& c, const std::vector<OwnedSample>& samples) {
  MemoryStorage storage;
  REQUIRE(c.Write(storage, samples).ToString() == "OK");
  const Scanned scanned = ScanFile(c, storage, c.paths().shard);
  REQUIRE(scanned.status.ToString() == "OK");
  const std::vector<OwnedSample> kept = c.Kept(samples);
  REQUIRE(scanned.samples.size() == kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    INFO("sample " << i);
    REQUIRE((scanned.samples[i] == kept[i]));
    for (std::size_t f = 0; f < kept[i].fields.size(); ++f) {
      REQUIRE((scanned.at_extents[i][f] == kept[i].fields[f].bytes));
    }
  }
}

TEST_CASE("A format holds a shard without samples", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) { CheckRoundTrip(c, {}); }
  }
}

TEST_CASE("A format holds one sample", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) { CheckRoundTrip(c, {MakeSample(7, 12)}); }
  }
}

TEST_CASE("A format holds samples of every small size in order",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) { CheckRoundTrip(c, SmallSamples(200)); }
  }
}

TEST_CASE("A format holds samples far larger than any buffer",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      CheckRoundTrip(c, {MakeSample(1, 100), MakeSample(2, 2'500'003),
                         MakeSample(3, 1 << 20), MakeSample(4, 5)});
    }
  }
}

TEST_CASE("A format that keeps ids keeps any id", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      std::vector<OwnedSample> samples = SmallSamples(5);
      const std::uint64_t ids[] = {~0ULL, 0, 1ULL << 63, 1ULL << 32, 12345};
      for (std::size_t i = 0; i < 5; ++i) samples[i].id = ids[i];
      CheckRoundTrip(c, samples);
    }
  }
}

TEST_CASE("A format that keeps keys keeps any bytes", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      std::vector<OwnedSample> samples = SmallSamples(4);
      samples[0].key = "a\nb\t\"c\"/\\d";
      samples[1].key = std::string("zero\0 inside", 12);
      samples[2].key = "\xff\xfe\x80";
      samples[3].key = std::string(200, 'k');
      CheckRoundTrip(c, samples);
    }
  }
}

TEST_CASE("A format holds up to its number of labels, rounded to their type",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      const std::uint64_t most =
          std::min<std::uint64_t>(c.layout->limits.max_labels, 1000);
      std::vector<OwnedSample> samples;
      for (const std::uint64_t count :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, most}) {
        if (count > most) continue;
        OwnedSample sample = MakeSample(count, 50);
        sample.labels.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
          const auto value = static_cast<std::int64_t>(i);
          sample.labels.push_back(
              i % 3 == 0 ? Label(value << 40 | value)
                         : Label::FromReal(0.1 * static_cast<double>(-value)));
        }
        samples.push_back(std::move(sample));
      }
      CheckRoundTrip(c, samples);
    }
  }
}

// Samples that the layout's Limits exclude, as far as the test can try them.
std::vector<OwnedSample> Excluded(const Limits& limits) {
  std::vector<OwnedSample> excluded;
  // Where there are none, the fixture leaves them out.
  if (limits.max_labels > 0 && limits.max_labels < 100'000) {
    excluded.push_back(MakeSample(90, 10));
    excluded.back().labels.assign(limits.max_labels + 1, Label(1));
  }
  if (limits.keys && limits.max_key > 0) {
    excluded.push_back(MakeSample(91, 10));
    excluded.back().key = std::string(limits.max_key + 1, 'k');
  }
  if (!limits.fields) {
    excluded.push_back(MakeSample(92, 10));
    excluded.back().fields.push_back({"points", "<f8", {1}, "12345678"});
  }
  return excluded;
}

TEST_CASE("A format refuses by key what its Limits exclude and is unharmed",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      const std::vector<OwnedSample> samples = SmallSamples(10);
      MemoryStorage storage;
      REQUIRE(c.Write(storage, samples, "plain").ok());

      const auto writer = c.NewWriter(storage, "tried");
      REQUIRE(writer.ok());
      for (const OwnedSample& sample : samples) {
        for (const OwnedSample& excluded : Excluded(c.layout->limits)) {
          const Status status = c.Append(**writer, excluded);
          CHECK(status.code() == Code::kUnsupported);
          CHECK(status.where().key == excluded.key);
          CHECK_FALSE(status.message().empty());
        }
        REQUIRE(c.Append(**writer, sample).ok());
      }
      const auto summary = (*writer)->Finish();
      REQUIRE(summary.ok());
      CHECK(summary->samples == samples.size());
      CHECK((FileOf(storage, c.paths("plain").shard) ==
             FileOf(storage, c.paths("tried").shard)));
    }
  }
}

TEST_CASE("A format refuses a payload above its limit without reading it",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      const std::uint64_t max = c.layout->limits.max_payload;
      // Address space, not memory: the test touches no page of it.
      if (max > std::uint64_t{1} << 40) continue;
      void* pages = mmap(nullptr, max + 1, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      REQUIRE(pages != MAP_FAILED);
      MemoryStorage storage;
      const auto writer = c.NewWriter(storage);
      REQUIRE(writer.ok());
      const FieldView image{.name = kImageField,
                            .dtype = kBytesDtype,
                            .shape = {},
                            .bytes = {static_cast<std::byte*>(pages), max + 1}};
      const Label label(1);
      const Status status = (*writer)->Append({.id = 1,
                                               .key = "huge.jpg",
                                               .labels = {&label, 1},
                                               .fields = {&image, 1}});
      munmap(pages, max + 1);
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.where().key == "huge.jpg");
      REQUIRE((*writer)->Finish().ok());
      CHECK(ScanFile(c, storage, c.paths().shard).samples.empty());
    }
  }
}

TEST_CASE("A format holds an image of 16 MiB", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      CheckRoundTrip(
          c, {MakeSample(1, 7), MakeSample(2, 16 << 20), MakeSample(3, 8)});
    }
  }
}

TEST_CASE("A format that holds fields holds 64 of them, of any type and shape",
          "[conformance]") {
  const std::pair<const char*, std::size_t> types[] = {
      {"|u1", 1}, {"|i1", 1}, {"<u2", 2}, {"<i4", 4},
      {"<i8", 8}, {"<f4", 4}, {"<f8", 8}, {"|S", 0}};
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      if (!c.layout->limits.fields) continue;
      std::vector<OwnedSample> samples;
      for (std::uint64_t id = 0; id < 3; ++id) {
        OwnedSample sample = MakeSample(id, 100 + id);
        for (std::size_t f = 0; f < 64; ++f) {
          const auto& [dtype, size] = types[f % 8];
          OwnedField field = MakeSample(f, 6 * size + f).fields[0];
          // After "image", in the order of their names.
          field.name = "k" + std::string(1, static_cast<char>('a' + f / 8)) +
                       std::to_string(f % 8);
          field.dtype = dtype;
          if (size > 0) {
            field.shape = {2, 3};
            field.bytes.resize(6 * size);
          }
          sample.fields.push_back(std::move(field));
        }
        samples.push_back(std::move(sample));
      }
      CheckRoundTrip(c, samples);
    }
  }
}

TEST_CASE("A format that holds fields holds empty ones and scalars",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      if (!c.layout->limits.fields) continue;
      std::vector<OwnedSample> samples = SmallSamples(3);
      for (OwnedSample& sample : samples) {
        sample.fields.push_back({"k0", "<f8", {0, 4}, ""});
        sample.fields.push_back({"k1", "<f8", {}, "12345678"});
        sample.fields.push_back({"k2", "|S", {}, ""});
      }
      CheckRoundTrip(c, samples);
    }
  }
}

TEST_CASE("A format that holds arrays holds them as images", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      if (!c.layout->limits.array_image) continue;
      std::vector<OwnedSample> samples;
      for (std::uint64_t id = 0; id < 5; ++id) {
        samples.push_back(MakeSample(id, 48));
        samples.back().fields[0].dtype = "|u1";
        samples.back().fields[0].shape = {3, 4, 4};
      }
      CheckRoundTrip(c, samples);
    }
  }
}

// Writes one plain sample, then tries `tried`: it is held, or refused by key
// without harm to the shard.
void CheckHeldOrRefused(const Case& c, const OwnedSample& tried, bool held) {
  MemoryStorage storage;
  const auto writer = c.NewWriter(storage);
  REQUIRE(writer.ok());
  const OwnedSample plain = MakeSample(500, 9);
  REQUIRE(c.Append(**writer, plain).ToString() == "OK");
  const Status status = c.Append(**writer, tried);
  CHECK(status.ok() == held);
  if (!held) {
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == tried.key);
  }
  REQUIRE((*writer)->Finish().status().ToString() == "OK");
  const Scanned scanned = ScanFile(c, storage, c.paths().shard);
  CHECK(scanned.status.ToString() == "OK");
  REQUIRE(scanned.samples.size() == (held ? 2 : 1));
  CHECK((scanned.samples[0] == c.Kept(plain)));
  if (held) CHECK((scanned.samples[1] == c.Kept(tried)));
}

TEST_CASE("A format holds long, foreign and double keys, or refuses them",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      const Limits& limits = c.layout->limits;
      const bool native = limits.keys && limits.max_key > 0;
      OwnedSample sample = MakeSample(7, 30);
      sample.key = "\xe5\x9b\xbe\xe5\x83\x8f/\xc3\xa9t\xc3\xa9.jpg";
      CheckHeldOrRefused(c, sample, true);
      sample.key = std::string(4000, 'k');
      CheckHeldOrRefused(c, sample, !native || limits.max_key >= 4000);
      sample.key = MakeSample(500, 9).key;
      CheckHeldOrRefused(c, sample, !limits.unique_keys);
    }
  }
}

}  // namespace
}  // namespace shardine::format_conformance_test
