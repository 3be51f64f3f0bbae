// The treatment of bad images by a writer, in the words that pack has for it.

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dataset/rejects.h"
#include "shardine/dataset_writer.h"
#include "support/dataset_checks.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"

namespace shardine::writer_on_bad_test {
namespace {

using Images = std::vector<std::pair<std::string, std::string>>;

const Images& AllImages() {
  static const Images images = {{"a.jpg", MakeJpeg({.width = 40})},
                                {"page.jpg", "<html>not found</html>"},
                                {"b.jpg", MakeJpeg({.width = 41})},
                                {"empty.jpg", ""},
                                {"c.jpg", MakeJpeg({.width = 42})}};
  return images;
}

Status Append(DatasetWriter& writer, const std::string& key,
              const std::string& image) {
  const FieldView field{.name = kImageField,
                        .dtype = kBytesDtype,
                        .shape = {},
                        .bytes = AsBytes(image)};
  return writer.Append({.key = key, .fields = {&field, 1}});
}

DatasetWriterOptions OptionsOf(const std::string& output, OnBad on_bad) {
  DatasetWriterOptions options;
  options.output = output;
  options.format = "webdataset";
  options.on_bad = on_bad;
  return options;
}

// The images from `first` on, so many of them.
Result<PackResult> Write(MemoryStorage& storage,
                         const DatasetWriterOptions& options,
                         std::size_t first = 0, std::size_t count = 5) {
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  if (!writer.ok()) return std::move(writer).status();
  for (std::size_t i = first; i < first + count; ++i) {
    const auto& [key, image] = AllImages()[i];
    Status status = Append(**writer, key, image);
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

TEST_CASE("A writer leaves bad images out, copies them aside or keeps them",
          "[writer][on-bad]") {
  for (const OnBad on_bad : {OnBad::kSkip, OnBad::kQuarantine, OnBad::kKeep}) {
    MemoryStorage storage;
    const auto written = Write(storage, OptionsOf("out", on_bad));
    REQUIRE(written.status().ToString() == "OK");
    const bool kept = on_bad == OnBad::kKeep;
    CHECK(written->samples == (kept ? 5u : 3u));
    CHECK(written->rejected.size() == 2);
    const auto rejects = ReadRejects(storage, "out/rejected.jsonl");
    REQUIRE(rejects.ok());
    REQUIRE(rejects->size() == 2);
    CHECK((*rejects)[0].key == "page.jpg");
    CHECK((*rejects)[0].reason == "not-an-image");
    CHECK((*rejects)[1].key == "empty.jpg");
    CHECK((*rejects)[1].reason == "empty");
    CHECK(storage.Stat("out/quarantine/train/page.jpg").ok() ==
          (on_bad == OnBad::kQuarantine));
    CheckSound(storage, "out");
    for (const unsigned threads : {2u, 7u}) {
      DatasetWriterOptions options =
          OptionsOf("t" + std::to_string(threads), on_bad);
      options.threads = threads;
      REQUIRE(Write(storage, options).status().ToString() == "OK");
      CHECK((TakeSnapshot(storage, options.output) ==
             TakeSnapshot(storage, "out")));
    }
  }
}

TEST_CASE("A writer fails at a bad image by default, and leaves nothing",
          "[writer][on-bad]") {
  for (const unsigned threads : {1u, 7u}) {
    MemoryStorage storage;
    DatasetWriterOptions options = OptionsOf("out", OnBad::kFail);
    options.threads = threads;
    const Status status = Write(storage, options).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().key == "page.jpg");
    CHECK(TakeSnapshot(storage, "out").empty());
  }
}

TEST_CASE("A join of parts leaves out what one writer leaves out",
          "[writer][parts][on-bad]") {
  MemoryStorage storage;
  REQUIRE(Write(storage, OptionsOf("one", OnBad::kSkip)).ok());
  DatasetWriterOptions options = OptionsOf("out", OnBad::kSkip);
  options.parts = 2;
  REQUIRE(Write(storage, options, 0, 2).status().ToString() == "OK");
  options.part = 1;
  REQUIRE(Write(storage, options, 2, 3).status().ToString() == "OK");
  const auto joined =
      JoinParts({.output = "out", .threads = 2}, {.storage = &storage});
  REQUIRE(joined.status().ToString() == "OK");
  CHECK(joined->samples == 3);
  CHECK(joined->rejected.size() == 2);
  CHECK((TakeSnapshot(storage, "out") == TakeSnapshot(storage, "one")));
}

}  // namespace
}  // namespace shardine::writer_on_bad_test
