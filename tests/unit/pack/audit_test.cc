// Audits of datasets that have images more than once.

#include "shardine/audit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "shardine/dataset_writer.h"
#include "shardine/pack.h"
#include "support/draws.h"
#include "support/pack_fixture.h"
#include "unit/pack/convert_fixture.h"

namespace shardine::audit_test {
namespace {

struct Made {
  std::string split;
  std::string key;
  std::string image;
  std::vector<Label> labels = {};
  std::string note = {};  // a second field, if it is not empty
};

struct Written {
  std::string output;
  std::string format = "tfrecord";
  std::vector<NewClass> classes = {};
};

void Write(Storage& storage, const std::vector<Made>& samples,
           const Written& written) {
  DatasetWriterOptions options;
  options.output = written.output;
  options.format = written.format;
  options.shard_samples = 7;
  options.check = ImageCheckLevel::kNone;
  options.classes = written.classes;
  const auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.status().ToString() == "OK");
  for (const Made& sample : samples) {
    std::vector<FieldView> fields = {
        {kImageField, kBytesDtype, {}, AsBytes(sample.image)}};
    if (!sample.note.empty()) {
      fields.push_back({"note", kBytesDtype, {}, AsBytes(sample.note)});
    }
    const Status appended = (*writer)->Append({.key = sample.key,
                                               .labels = sample.labels,
                                               .fields = fields,
                                               .split = sample.split});
    REQUIRE(appended.ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().status().ToString() == "OK");
}

// "train/a=1": the samples of an image, as text.
using Copies = std::set<std::set<std::string>>;

struct Audited {
  AuditResult result;
  Copies copies;
  std::uint64_t unproved = 0;
};

Result<Audited> TryAudit(Storage& storage, AuditOptions options) {
  Audited audited;
  const auto visit = [&](const CopiedImage& image) {
    std::set<std::string> samples;
    for (const AuditedSample& sample : image.samples) {
      samples.insert(std::string(sample.split) + "/" + std::string(sample.key) +
                     "=" + std::string(sample.label_text));
    }
    audited.copies.insert(std::move(samples));
    audited.unproved += image.is_proved ? 0 : 1;
    return Status();
  };
  auto result = Audit(options, visit, {.storage = &storage});
  if (!result.ok()) return result.status();
  audited.result = *std::move(result);
  return audited;
}

Audited AuditOf(Storage& storage, AuditOptions options) {
  auto audited = TryAudit(storage, std::move(options));
  REQUIRE(audited.status().ToString() == "OK");
  return *std::move(audited);
}

// Two byte strings of one length and one CRC-32C: the CRC of a sum is the sum
// of the CRCs, so that some of 40 bits cancel each other.
std::string WithSameCrc(std::string bytes) {
  const std::string zeros(bytes.size(), '\0');
  struct Row {
    std::uint32_t crc;
    std::string bits;
  };
  std::vector<Row> rows;
  for (std::size_t bit = 0; bit < 40; ++bit) {
    Row row{0, zeros};
    row.bits[bit / 8] = static_cast<char>(1 << (bit % 8));
    row.crc = Crc32c(AsBytes(row.bits)) ^ Crc32c(AsBytes(zeros));
    for (const Row& other : rows) {
      if ((row.crc ^ other.crc) >= row.crc) continue;
      row.crc ^= other.crc;
      for (std::size_t i = 0; i < 5; ++i) row.bits[i] ^= other.bits[i];
    }
    if (row.crc == 0) {
      for (std::size_t i = 0; i < 5; ++i) bytes[i] ^= row.bits[i];
      return bytes;
    }
    rows.push_back(row);
    std::ranges::sort(rows, std::ranges::greater(), &Row::crc);
  }
  return bytes;
}

}  // namespace

TEST_CASE("An audit finds what a comparison of all images finds", "[audit]") {
  const std::string format =
      GENERATE("recordio", "tfrecord", "webdataset", "lmdb/fields", "hdf5");
  const auto seed = static_cast<std::uint32_t>(GENERATE(range(0, 4)));
  MemoryStorage storage;
  Draws draws(seed);
  const std::vector<std::string> splits = {"test", "train", "val"};
  std::vector<Made> samples;
  std::map<std::string, std::set<std::string>> by_image;
  std::map<std::string, std::map<std::string, std::uint64_t>> in_splits;
  std::map<std::string, std::uint64_t> sizes;
  for (int i = 0; i < 60; ++i) {
    Made made{.split = splits[draws.Below(3)],
              .key = "k" + std::to_string(i),
              .image = NoiseBytes(64, draws.Below(40))};
    const auto label = static_cast<std::int64_t>(draws.Below(2));
    made.labels = {label};
    // Fields beside the image are another matter.
    if (format != "recordio" && draws.Below(2) == 0) made.note = made.key;
    by_image[made.image].insert(made.split + "/" + made.key + "=" +
                                std::to_string(label));
    ++in_splits[made.image][made.split];
    ++sizes[made.split];
    samples.push_back(std::move(made));
  }
  Write(storage, samples, {.output = "in", .format = format});
  Copies expected;
  std::uint64_t leaking = 0;
  std::uint64_t duplicates = 0;
  for (const auto& [image, copies] : by_image) {
    if (copies.size() < 2) continue;
    expected.insert(copies);
    leaking += in_splits[image].size() > 1 ? 1 : 0;
    duplicates += copies.size() - in_splits[image].size();
  }
  const Audited found = AuditOf(storage, {.datasets = {"in"}});
  CHECK(found.copies == expected);
  CHECK(found.unproved == 0);
  CHECK(found.result.samples == 60);
  CHECK(found.result.images == 60);
  CHECK(found.result.leaking == leaking);
  CHECK(found.result.duplicates == duplicates);
  REQUIRE(found.result.splits.size() == 3);
  for (const SplitCopies& pair : found.result.splits) {
    CHECK(pair.samples == sizes[pair.split]);
    CHECK(sizes[pair.split] <= sizes[pair.other]);
    std::uint64_t copies = 0;
    for (auto& [image, in] : in_splits) {
      if (in.contains(pair.other) && in.contains(pair.split)) {
        copies += in[pair.split];
      }
    }
    CHECK(pair.copies == copies);
  }
  const Audited indexed =
      AuditOf(storage, {.datasets = {"in"}, .index_only = true});
  CHECK(indexed.copies == expected);
  CHECK(indexed.unproved == expected.size());
  CHECK(indexed.result.bytes == 0);
}

TEST_CASE("Images of one checksum and length are read before they are copies",
          "[audit]") {
  MemoryStorage storage;
  const std::string image = NoiseBytes(64, 1);
  const std::string other = WithSameCrc(image);
  REQUIRE(image != other);
  REQUIRE(Crc32c(AsBytes(image)) == Crc32c(AsBytes(other)));
  Write(storage, {{"train", "a", image}, {"val", "b", other}},
        {.output = "in"});
  CHECK(AuditOf(storage, {.datasets = {"in"}}).copies.empty());
  const Audited indexed =
      AuditOf(storage, {.datasets = {"in"}, .index_only = true});
  CHECK(indexed.unproved == 1);
  CHECK(indexed.result.leaking == 1);
}

TEST_CASE("Copies under other labels are a conflict, by the classes' names",
          "[audit]") {
  MemoryStorage storage;
  const std::string image = NoiseBytes(64, 1);
  Write(storage, {{"train", "a", image, {0}}},
        {.output = "one", .classes = {{"ant", 0, ""}, {"bee", 1, ""}}});
  Write(storage, {{"train", "b", image, {1}}},
        {.output = "two", .classes = {{"cow", 0, ""}, {"ant", 1, ""}}});
  Write(storage, {{"train", "c", image, {0}}, {"val", "d", image}},
        {.output = "three", .classes = {{"cow", 0, ""}}});
  Audited found = AuditOf(storage, {.datasets = {"one", "two"}});
  CHECK(found.copies == Copies{{"one:train/a=ant", "two:train/b=ant"}});
  CHECK(found.result.conflicting == 0);
  CHECK(found.result.leaking == 1);
  found = AuditOf(storage, {.datasets = {"one", "three"}});
  CHECK(found.result.conflicting == 1);
  // A sample without a label contradicts none.
  found = AuditOf(storage, {.datasets = {"three"}});
  CHECK(found.result.conflicting == 0);
  REQUIRE(found.result.splits.size() == 1);
  CHECK(ToString(found.result.splits[0]) == "1 of 1 val samples are in train");
}

TEST_CASE("A clean list has each image once, in the smallest split",
          "[audit]") {
  MemoryStorage storage;
  const auto image = [](int i) {
    return NoiseBytes(64, static_cast<std::uint64_t>(i));
  };
  Write(storage,
        {{"train", "a", image(1), {1}},
         {"train", "b", image(2), {2}},
         {"train", "c", image(2), {2}},
         {"train", "d", image(3), {3}},
         {"val", "e", image(1), {1}},
         {"val", "f", image(4), {4}}},
        {.output = "in"});
  const Audited found =
      AuditOf(storage, {.datasets = {"in"}, .clean = "c.lst"});
  CHECK(found.result.left_out == 2);
  CHECK(found.result.lists ==
        std::vector<std::string>{"c_train.lst", "c_val.lst"});
  CHECK(*storage.Get("c_train.lst") == "1\t2\tb\n3\t3\td\n");
  CHECK(*storage.Get("c_val.lst") == "4\t1\te\n5\t4\tf\n");

  // A list that cannot hold a key leaves none.
  Write(storage, {{"train", "a\tb", image(1)}, {"val", "c", image(2)}},
        {.output = "tabs"});
  CHECK(TryAudit(storage, {.datasets = {"tabs"}, .clean = "t.lst"})
            .status()
            .code() == Code::kUnsupported);
  CHECK(!storage.Stat("t_train.lst").ok());
  CHECK(!storage.Stat("t_val.lst").ok());
  CHECK(TryAudit(storage, {.datasets = {"in", "tabs"}, .clean = "t.lst"})
            .status()
            .code() == Code::kInvalidArgument);
}

TEST_CASE("An audit names a damaged image that it reads", "[audit]") {
  MemoryStorage storage;
  const std::string image = NoiseBytes(64, 1);
  Write(storage, {{"train", "a", image}, {"train", "b", image}},
        {.output = "in", .format = "recordio"});
  const std::string path = "in/train-00000-of-00001.rec";
  std::string bytes = *storage.Get(path);
  bytes[bytes.rfind(image) + 10] ^= 1;
  storage.Put(path, bytes);
  const Status status = TryAudit(storage, {.datasets = {"in"}}).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == path);
  CHECK(status.where().record == 1);
}

}  // namespace shardine::audit_test
