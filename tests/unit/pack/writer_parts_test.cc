// A dataset that several writers make, each a part of it, and the join.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "shardine/dataset_writer.h"
#include "shardine/verify.h"
#include "support/draws.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"

namespace shardine::writer_parts_test {
namespace {

using Catch::Contains;

DatasetWriterOptions WriteTo(const std::string& output,
                             const std::string& format = "webdataset") {
  DatasetWriterOptions options;
  options.output = output;
  options.format = format;
  options.shard_samples = 5;
  options.check = ImageCheckLevel::kNone;
  options.lossy_labels = true;
  options.classes = {{"cat", 0, "Felis catus"}, {"dog\xff", 1}};
  return options;
}

struct World {
  std::unique_ptr<DatasetWriter> Begin(const DatasetWriterOptions& options) {
    auto writer = DatasetWriter::Create(options, {.storage = &storage});
    REQUIRE(writer.status().ToString() == "OK");
    return *std::move(writer);
  }
  std::unique_ptr<DatasetWriter> BeginPart(std::uint32_t part,
                                           std::uint32_t parts,
                                           DatasetWriterOptions options) {
    options.part = part;
    options.parts = parts;
    return Begin(options);
  }
  // Sample `number` of those that all tests draw from; images, arrays, several
  // labels, with a key of its own or without, in two splits.
  Status AppendDrawn(DatasetWriter& writer, std::uint32_t number) {
    Draws draws(number);
    const std::uint64_t size = draws.Below(60);
    const std::string noise = NoiseBytes(8 * size, number);
    const FieldView fields[] = {{.name = kImageField, .bytes = AsBytes(jpeg)},
                                {.name = "a",
                                 .dtype = "<f8",
                                 .shape = {&size, 1},
                                 .bytes = AsBytes(noise)}};
    std::vector<Label> labels(draws.Below(4), Label::FromReal(0.25));
    if (labels.size() == 1) labels[0] = Label(1);
    const std::string key = "k\xfe" + std::to_string(number);
    NewSample sample{
        .labels = labels,
        .fields = std::span(fields).first(only_images ? 1 : 1 + draws.Below(2)),
        .split = draws.Below(3) == 0 ? "val" : "train"};
    if (draws.Below(2) == 0) sample.key = key;
    if (has_ids) sample.id = 1000 - number;
    return writer.Append(sample);
  }
  void AppendRange(DatasetWriter& writer, std::uint32_t from,
                   std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      REQUIRE(AppendDrawn(writer, i).ToString() == "OK");
    }
  }
  void WritePart(std::uint32_t part, std::uint32_t parts, std::uint32_t from,
                 std::uint32_t to) {
    const auto writer = BeginPart(part, parts, WriteTo("out"));
    AppendRange(*writer, from, to);
    REQUIRE(writer->Finish().status().ToString() == "OK");
  }
  Result<PackResult> Join(unsigned threads = 1) {
    return JoinParts({.output = "out", .threads = threads},
                     {.storage = &storage});
  }
  Status WhyNoPart(std::uint32_t part, std::uint32_t parts,
                   DatasetWriterOptions options = WriteTo("out")) {
    options.part = part;
    options.parts = parts;
    return DatasetWriter::Create(options, {.storage = &storage}).status();
  }

  MemoryStorage storage;
  bool has_ids = false;
  bool only_images = false;
  const std::string jpeg = MakeJpeg({.width = 40, .height = 30});
};

TEST_CASE_METHOD(World, "Parts that are joined are what one writer makes",
                 "[pack][writer][parts]") {
  Draws draws(GENERATE(range(1U, 9U)));
  has_ids = draws.Below(2) == 0;
  constexpr const char* kFormats[] = {"webdataset", "tfrecord", "recordio"};
  const char* format = kFormats[draws.Below(3)];
  only_images = format == kFormats[2];
  const std::uint32_t count = 40;
  const auto whole = Begin(WriteTo("whole", format));
  AppendRange(*whole, 0, count);
  const auto expected = whole->Finish();
  REQUIRE(expected.status().ToString() == "OK");

  // Some of them are empty, and the last is finished first.
  std::vector<std::uint32_t> cuts = {0, count};
  for (int i = 0; i < 4; ++i) {
    cuts.push_back(static_cast<std::uint32_t>(draws.Below(count + 1)));
  }
  cuts.push_back(cuts.back());
  std::ranges::sort(cuts);
  const auto parts = static_cast<std::uint32_t>(cuts.size() - 1);
  std::vector<std::unique_ptr<DatasetWriter>> writers;
  for (std::uint32_t part = 0; part < parts; ++part) {
    DatasetWriterOptions options = WriteTo("out", format);
    options.threads = part % 3 + 1;
    writers.push_back(BeginPart(part, parts, options));
  }
  for (std::uint32_t part = parts; part-- > 0;) {
    AppendRange(*writers[part], cuts[part], cuts[part + 1]);
    const auto finished = writers[part]->Finish();
    REQUIRE(finished.status().ToString() == "OK");
    CHECK(finished->samples == cuts[part + 1] - cuts[part]);
    CHECK(finished->shards == 0);
  }
  const auto joined = Join(static_cast<unsigned>(1 + draws.Below(3)));
  REQUIRE(joined.status().ToString() == "OK");
  CHECK(joined->samples == count);
  CHECK(joined->content_digest == expected->content_digest);
  CHECK(joined->bytes == expected->bytes);
  CHECK(joined->entry_points.images == expected->entry_points.images);
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
  CHECK_FALSE(storage.Stat("out/.parts").ok());
}

TEST_CASE_METHOD(World, "Joining twice is harmless, and says so",
                 "[pack][writer][parts]") {
  WritePart(0, 1, 0, 7);
  const auto first = Join();
  REQUIRE(first.ok());
  CHECK_FALSE(first->nothing_to_do);
  const Snapshot made = TakeSnapshot(storage, "out");
  const auto second = Join();
  REQUIRE(second.status().ToString() == "OK");
  CHECK(second->nothing_to_do);
  CHECK(second->samples == 7);
  CHECK(second->shards == first->shards);
  CHECK(second->content_digest == first->content_digest);
  CHECK(TakeSnapshot(storage, "out") == made);
  // Files that a kill leaves of the removal are no part of the dataset.
  storage.Put("out/.parts/joined", first->content_digest.ToHex());
  storage.Put("out/.parts/00000-of-00001/samples", "half of it");
  const auto verified =
      Verify({.target = "out", .against = {}}, {.storage = &storage});
  REQUIRE(verified.ok());
  CHECK(verified->findings.empty());
  CHECK(Join()->nothing_to_do);
  CHECK(TakeSnapshot(storage, "out") == made);
}

TEST_CASE_METHOD(World, "A join names all parts that are not there",
                 "[pack][writer][parts]") {
  CHECK(Join().status().code() == Code::kNotFound);
  WritePart(1, 8, 0, 3);
  WritePart(4, 8, 3, 5);
  const Status missing = Join().status();
  CHECK(missing.code() == Code::kNotFound);
  CHECK(missing.message() == "parts 0, 2, 3, 5, 6 and 7 of 8 are missing");
  const auto open = BeginPart(2, 8, WriteTo("out"));
  CHECK(Join().status().message() ==
        "parts 0, 3, 5, 6 and 7 of 8 are missing; part 2 of 8 is being "
        "written, or its writing was interrupted");
  for (const std::uint32_t part : {0U, 3U, 5U, 6U, 7U})
    WritePart(part, 8, 0, 0);
  const Snapshot before = TakeSnapshot(storage, "out");
  const Status unfinished = Join().status();
  CHECK(unfinished.code() == Code::kAlreadyExists);
  CHECK(unfinished.message() ==
        "part 2 of 8 is being written, or its writing was interrupted");
  CHECK(TakeSnapshot(storage, "out") == before);
  REQUIRE(open->Finish().ok());
  CHECK(Join().status().ToString() == "OK");
}

TEST_CASE_METHOD(World, "A part that is given up leaves the others alone",
                 "[pack][writer][parts]") {
  auto given_up = BeginPart(0, 2, WriteTo("out"));
  AppendRange(*given_up, 0, 3);
  WritePart(1, 2, 3, 6);
  const std::string other = "out/.parts/00001-of-00002/samples";
  const auto before = storage.Get(other);
  REQUIRE(before.ok());
  given_up.reset();
  CHECK(*storage.Get(other) == *before);
  CHECK_FALSE(storage.Stat("out/.parts/00000-of-00002").ok());
  WritePart(0, 2, 0, 3);
  CHECK(Join()->samples == 6);
}

TEST_CASE_METHOD(World, "Where all parts are given up nothing is left",
                 "[pack][writer][parts]") {
  auto one = BeginPart(0, 2, WriteTo("out"));
  auto other = BeginPart(1, 2, WriteTo("out"));
  AppendRange(*one, 0, 3);
  one.reset();
  CHECK(storage.Stat("out/.parts").ok());
  // An invalid sample ends the part, too.
  CHECK(other->Append({.key = ""}).code() == Code::kInvalidArgument);
  CHECK(other->Finish().status().code() == Code::kInvalidArgument);
  CHECK_FALSE(storage.Stat("out/.parts").ok());
}

TEST_CASE_METHOD(World, "A part has one writer, and is written once",
                 "[pack][writer][parts]") {
  const auto writer = BeginPart(0, 1, WriteTo("out"));
  const Status second = WhyNoPart(0, 1);
  CHECK(second.code() == Code::kAlreadyExists);
  CHECK_THAT(second.message(), Contains("another run"));
  AppendRange(*writer, 0, 2);
  REQUIRE(writer->Finish().ok());
  const Status finished = WhyNoPart(0, 1);
  CHECK(finished.code() == Code::kAlreadyExists);
  CHECK_THAT(finished.message(), Contains("part 0 of 1 is finished"));
  // The way out that it names.
  REQUIRE(finished.where().path == "out/.parts/00000-of-00001");
  REQUIRE(storage.Remove(finished.where().path + "/samples").ok());
  REQUIRE(storage.Remove(finished.where().path).ok());
  WritePart(0, 1, 0, 4);
  CHECK(Join()->samples == 4);
  CHECK(WhyNoPart(0, 1).code() == Code::kAlreadyExists);
  CHECK_FALSE(storage.Stat("out/.parts").ok());
}

TEST_CASE_METHOD(World, "A part is refused beside anything but parts",
                 "[pack][writer][parts]") {
  storage.Put("out/mine.txt", "mine");
  CHECK(WhyNoPart(0, 2).code() == Code::kAlreadyExists);
  REQUIRE(storage.Remove("out/mine.txt").ok());
  {
    const auto whole = Begin(WriteTo("out"));
    CHECK(WhyNoPart(0, 2).code() == Code::kAlreadyExists);
  }
  WritePart(0, 2, 0, 2);
  CHECK(DatasetWriter::Create(WriteTo("out"), {.storage = &storage})
            .status()
            .code() == Code::kAlreadyExists);
  const auto opened = DatasetReader::Open(storage, "out").status();
  CHECK(opened.code() == Code::kNotFound);
  CHECK_THAT(opened.message(), Contains("parts"));
}

TEST_CASE_METHOD(World, "Numbers of parts that cannot be are refused",
                 "[pack][writer][parts]") {
  CHECK(WhyNoPart(2, 2).code() == Code::kInvalidArgument);
  CHECK(WhyNoPart(1, 0).code() == Code::kInvalidArgument);
  CHECK(WhyNoPart(0, 100'000).code() == Code::kInvalidArgument);
  WritePart(0, 4, 0, 2);
  const Status other = WhyNoPart(1, 8);
  CHECK(other.code() == Code::kInvalidArgument);
  CHECK_THAT(other.message(), Contains("parts of 4, and this is one of 8"));
}

TEST_CASE_METHOD(World, "Parts of different options are named before the work",
                 "[pack][writer][parts]") {
  WritePart(0, 2, 0, 2);
  struct Change {
    void (*change)(DatasetWriterOptions&);
    const char* message;
  };
  const Change changes[] = {
      {[](auto& options) { options.format = "tfrecord"; },
       "format: \"tfrecord/imagenet:label_offset=0\", not \"webdataset\""},
      {[](auto& options) { options.classes.pop_back(); }, "classes: "},
      {[](auto& options) { options.classes[0].text = "x"; }, "classes: "},
      {[](auto& options) { options.shard_samples = 6; },
       "shard_samples: 6, not 5"},
      {[](auto& options) { options.shard_bytes = 1; }, "shard_bytes: 1, not"},
      {[](auto& options) { options.entry_points = EntryPoints::kNone; },
       "entry_points: \"none\", not \"auto\""},
      {[](auto& options) { options.check = ImageCheckLevel::kDecode; },
       "check: \"decode\", not \"none\""},
  };
  for (const Change& each : changes) {
    DatasetWriterOptions options = WriteTo("out");
    each.change(options);
    const Status refused = WhyNoPart(1, 2, options);
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK_THAT(refused.message(),
               Contains("part 1 of 2 has other options than part 0") &&
                   Contains(each.message));
  }
}

TEST_CASE_METHOD(World, "Parts that began with different options do not join",
                 "[pack][writer][parts]") {
  DatasetWriterOptions options = WriteTo("out");
  options.classes.clear();
  const auto other = BeginPart(1, 2, options);
  WritePart(0, 2, 0, 2);
  REQUIRE(other->Finish().ok());
  const Status refused = Join().status();
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(refused.where().path == "out/.parts/00001-of-00002/samples");
  CHECK_THAT(refused.message(), Contains("part 1 has other options"));
  CHECK(storage.Stat("out/.parts/00000-of-00002/samples").ok());
  CHECK_FALSE(storage.Stat("out/.pack").ok());
}

TEST_CASE_METHOD(World, "What only all parts together tell, the join tells",
                 "[pack][writer][parts]") {
  const FieldView image{.name = kImageField, .bytes = AsBytes(jpeg)};
  const auto write = [&](std::uint32_t part, NewSample sample) {
    const auto writer = BeginPart(part, 2, WriteTo("out", "recordio"));
    sample.fields = {&image, 1};
    REQUIRE(writer->Append(sample).ok());
    REQUIRE(writer->Finish().ok());
  };
  const unsigned threads = GENERATE(1U, 3U);
  SECTION("a key that comes twice") {
    write(0, {.key = "a"});
    write(1, {.key = "a"});
  }
  SECTION("an id that comes twice") {
    write(0, {.id = 7});
    write(1, {.id = 7});
  }
  SECTION("ids in some of them alone") {
    write(0, {.id = 7});
    write(1, {});
  }
  SECTION("no sample at all") {
    for (const std::uint32_t part : {0U, 1U}) WritePart(part, 2, 0, 0);
  }
  const Snapshot before = TakeSnapshot(storage, "out");
  const Status refused = Join(threads).status();
  INFO(refused.ToString());
  CHECK(refused.code() == Code::kInvalidArgument);
  CHECK(TakeSnapshot(storage, "out") == before);
}

TEST_CASE_METHOD(World, "A bad image ends its part and no other",
                 "[pack][writer][parts]") {
  DatasetWriterOptions options = WriteTo("out");
  options.check = ImageCheckLevel::kDecode;
  options.threads = GENERATE(1U, 3U);
  const auto writer = BeginPart(0, 2, options);
  REQUIRE(AppendDrawn(*writer, 0).ok());
  const std::string bad = jpeg.substr(0, jpeg.size() / 2);
  const FieldView image{.name = kImageField, .bytes = AsBytes(bad)};
  Status status = writer->Append({.fields = {&image, 1}});
  if (status.ok()) status = writer->Finish().status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().key == "00000001");
  CHECK_FALSE(storage.Stat("out/.parts/00000-of-00002").ok());
}

}  // namespace
}  // namespace shardine::writer_parts_test
