#include "shardine/report.h"

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "io/memory_storage.h"
#include "shardine/dataset_writer.h"
#include "support/jpeg_maker.h"

namespace shardine::report_test {
namespace {

using nlohmann::json;

std::string JpegOf(std::uint32_t seed) {
  JpegSpec spec;
  spec.seed = seed;
  return MakeJpeg(spec);
}

struct Made {
  std::string split;
  std::string key;
  std::string image;
  std::int64_t label = 0;
};

void Write(Storage& storage, const std::vector<Made>& samples,
           const std::vector<NewClass>& classes) {
  DatasetWriterOptions options;
  options.output = "out";
  options.format = "tfrecord";
  options.check = ImageCheckLevel::kNone;
  options.classes = classes;
  const auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.status().ToString() == "OK");
  for (const Made& sample : samples) {
    const FieldView image = {
        kImageField, kBytesDtype, {}, AsBytes(sample.image)};
    const Label label(sample.label);
    const Status appended = (*writer)->Append({.key = sample.key,
                                               .labels = {&label, 1},
                                               .fields = {&image, 1},
                                               .split = sample.split});
    REQUIRE(appended.ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().status().ToString() == "OK");
}

struct Written {
  ReportResult result;
  std::string html;
  json data;
};

// The machine part, as a program reads it.
json DataOf(const std::string& html) {
  const std::string begin = "id=\"report-data\">";
  const std::size_t at = html.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t end = html.find("</script>", at);
  return json::parse(html.substr(at + begin.size(), end - at - begin.size()));
}

Written ReportOf(MemoryStorage& storage, ReportOptions options = {}) {
  options.dataset = "out";
  options.output = "page.html";
  const auto result = Report(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  auto html = storage.Get("page.html");
  REQUIRE(html.ok());
  json data = DataOf(*html);
  return {*result, *std::move(html), std::move(data)};
}

std::vector<NewClass> TwoClasses() { return {{"cat", 0}, {"dog", 1}}; }

TEST_CASE("Report names leaks and conflicts, and what mends them", "[report]") {
  MemoryStorage storage;
  Write(storage,
        {{"train", "a", JpegOf(1), 0},
         {"train", "b", JpegOf(2), 1},
         {"train", "b2", JpegOf(2), 1},
         {"val", "c", JpegOf(1), 1},
         {"val", "d", JpegOf(3), 1}},
        TwoClasses());
  const Written written = ReportOf(storage);
  CHECK(written.result.answer == ReportAnswer::kNo);
  CHECK(written.result.leaking == 1);
  CHECK(written.result.conflicting == 1);
  CHECK(written.result.duplicates == 1);
  CHECK(written.result.shown == 5);
  CHECK(written.result.undecoded == 0);
  CHECK(written.result.bytes == written.html.size());
  CHECK(written.html.find("<strong>No.</strong>") != std::string::npos);
  CHECK(written.html.find("1 of 2 samples of <bdi>val</bdi> (50.0 %) are in "
                          "<bdi>train</bdi>") != std::string::npos);
  CHECK(written.html.find("shardine audit out --clean clean.lst") !=
        std::string::npos);
  std::vector<std::string> kinds;
  for (const json& problem : written.data["verdict"]["problems"]["rows"]) {
    kinds.push_back(problem["kind"]);
  }
  CHECK(kinds == std::vector<std::string>{"leakage", "label-conflict",
                                          "missing-classes", "duplicate"});
  const json& found = written.data["found"]["rows"][0];
  CHECK(found["samples"] ==
        json::array({{"train", "a", "cat", 0}, {"val", "c", "dog", 3}}));
  CHECK(found["picture"].is_number());
  CHECK(written.data["conflicts"]["rows"] == json::array({{"cat", "dog", 1}}));
}

TEST_CASE("Report trusts splits that share nothing", "[report]") {
  MemoryStorage storage;
  Write(storage,
        {{"train", "a", JpegOf(1), 0},
         {"train", "b", JpegOf(2), 1},
         {"val", "c", JpegOf(3), 0},
         {"val", "d", JpegOf(4), 1}},
        TwoClasses());
  CHECK(ReportOf(storage).result.answer == ReportAnswer::kYes);
}

TEST_CASE("Report says where there is one split, and where one lacks a class",
          "[report]") {
  MemoryStorage storage;
  SECTION("one split") {
    Write(storage, {{"train", "a", JpegOf(1), 0}}, TwoClasses());
    CHECK(ReportOf(storage).result.answer == ReportAnswer::kOneSplit);
  }
  SECTION("a class") {
    Write(storage,
          {{"train", "a", JpegOf(1), 0},
           {"train", "b", JpegOf(2), 1},
           {"val", "c", JpegOf(3), 0}},
          TwoClasses());
    CHECK(ReportOf(storage).result.answer == ReportAnswer::kPartly);
  }
}

// The seconds are all that two runs do not have in common.
std::string WithoutTime(const Written& written) {
  json data = written.data;
  data.erase("seconds");
  return data.dump();
}

TEST_CASE("Report shows the same samples again, and others by another seed",
          "[report]") {
  MemoryStorage storage;
  std::vector<Made> samples;
  for (std::uint32_t i = 0; i < 40; ++i) {
    samples.push_back({"train", "key" + std::to_string(i), JpegOf(i), i % 2});
  }
  Write(storage, samples, TwoClasses());
  ReportOptions options;
  options.samples = 10;
  options.seed = 1;
  const Written first = ReportOf(storage, options);
  CHECK(first.result.shown == 10);
  CHECK(first.data["samples"]["rows"].size() == 10);
  CHECK(WithoutTime(first) == WithoutTime(ReportOf(storage, options)));
  options.seed = 2;
  CHECK(first.data["samples"] != ReportOf(storage, options).data["samples"]);
}

TEST_CASE("Report shows a damaged image as that", "[report][damage]") {
  MemoryStorage storage;
  Write(storage, {{"train", "a", JpegOf(1), 0}, {"train", "b", "no image", 1}},
        TwoClasses());
  const Written written = ReportOf(storage);
  CHECK(written.result.undecoded == 1);
  CHECK(written.result.pictures == 1);
  const json& row = written.data["samples"]["rows"][1];
  CHECK(row[0] == "b");
  CHECK(row[8].is_string());
  CHECK_FALSE(row[8].get<std::string>().empty());
}

TEST_CASE("Report survives a payload that is not what was packed",
          "[report][damage]") {
  MemoryStorage storage;
  std::vector<Made> samples;
  for (std::uint32_t i = 0; i < 4; ++i) {
    samples.push_back({"train", std::to_string(i), JpegOf(i), 0});
  }
  Write(storage, samples, TwoClasses());
  const auto list = storage.List("out");
  REQUIRE(list.ok());
  for (const DirEntry& file : *list) {
    const std::string path = "out/" + file.name;
    if (!file.name.starts_with("train-")) continue;
    std::string shard = *storage.Get(path);
    const std::size_t at = shard.find(JpegOf(2));
    REQUIRE(at != std::string::npos);
    shard[at + 40] = static_cast<char>(shard[at + 40] ^ 1);
    storage.Put(path, shard);
  }
  const Written written = ReportOf(storage);
  CHECK(written.result.undecoded == 1);
  CHECK(written.result.damaged == 1);
  CHECK(written.data["sampling"]["damaged"] == 1);
  CHECK(written.data["verdict"]["problems"]["rows"][0]["kind"] == "damaged");
}

TEST_CASE("Report takes the place of a report, and of no other file unasked",
          "[report]") {
  MemoryStorage storage;
  Write(storage, {{"train", "a", JpegOf(1), 0}}, TwoClasses());
  ReportOf(storage);
  ReportOf(storage);
  storage.Put("page.html", "<!DOCTYPE html>\n<html lang=\"en\">\nmine");
  ReportOptions options{.dataset = "out", .output = "page.html"};
  const Job job{.storage = &storage};
  const auto refused = Report(options, job);
  CHECK(refused.status().code() == Code::kInvalidArgument);
  CHECK(storage.Get("page.html")->ends_with("mine"));
  options.overwrite = true;
  CHECK(Report(options, job).ok());
  options.output = "out";
  CHECK(Report(options, job).status().code() == Code::kInvalidArgument);
  options.output = "";
  CHECK(Report(options, job).status().code() == Code::kInvalidArgument);
}

TEST_CASE("Report shows hostile keys and class names as text",
          "[report][hostile]") {
  MemoryStorage storage;
  const std::string script = "</script><script>alert(1)</script>";
  const std::vector<NewClass> classes = {
      {script, 0}, {"\u202Eevil", 1}, {std::string(60'000, '<'), 2}};
  std::vector<Made> samples;
  for (std::uint32_t i = 0; i < 6; ++i) {
    samples.push_back({i % 2 == 0 ? "train" : "val",
                       script + "{{json}}" + std::to_string(i), JpegOf(i / 2),
                       i % 3});
  }
  samples.push_back({"val", std::string(60'000, '&'), JpegOf(9), 2});
  Write(storage, samples, classes);
  const Written written = ReportOf(storage);
  CHECK(written.html.find("alert(1)</script>") == std::string::npos);
  CHECK(written.html.find("\u202E") == std::string::npos);
  CHECK(written.html.size() < 200'000);
  CHECK(written.data["classes"]["rows"][0][0] == script);
  CHECK(written.data["classes"]["rows"][2][0].get<std::string>().size() == 203);
}

// Opening tags, a bound of the nodes beside texts.
std::size_t ElementsOf(const std::string& html) {
  const std::size_t data = html.find("<script type=");
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < data; ++i) {
    const char next = html[i + 1];
    count += html[i] == '<' && next >= 'a' && next <= 'z' ? 1 : 0;
  }
  return count;
}

TEST_CASE("Report of 21,841 classes with long names has at most 5 MB",
          "[report]") {
  constexpr std::int64_t kClasses = 21'841;
  MemoryStorage storage;
  std::vector<NewClass> classes;
  std::vector<Made> samples;
  const std::string image = JpegOf(1);
  for (std::int64_t i = 0; i < kClasses; ++i) {
    classes.push_back({std::to_string(i) + std::string(300, '<'), i});
    samples.push_back(
        {i % 10 == 0 ? "val" : "train", std::to_string(i), image, i});
  }
  Write(storage, samples, classes);
  const Written written = ReportOf(storage);
  CHECK(written.html.size() <= kMostReportBytes);
  CHECK(written.result.shown == 1000);
  CHECK(written.data["samples"]["rows"].size() == 1000);
  CHECK(written.data["classes"]["rows"].size() +
            written.data["classes"]["left_out"].get<std::size_t>() ==
        kClasses);
  CHECK(ElementsOf(written.html) < 1000);
}

TEST_CASE("Report lists 21,841 classes with common names all", "[report]") {
  constexpr std::int64_t kClasses = 21'841;
  MemoryStorage storage;
  std::vector<NewClass> classes;
  std::vector<Made> samples;
  for (std::int64_t i = 0; i < kClasses; ++i) {
    classes.push_back({"n" + std::to_string(10'000'000 + i), i});
  }
  samples.push_back({"train", "a", JpegOf(1), 0});
  Write(storage, samples, classes);
  const Written written = ReportOf(storage);
  CHECK(written.data["classes"]["rows"].size() == kClasses);
  CHECK(written.data["classes"]["left_out"] == 0);
}

}  // namespace
}  // namespace shardine::report_test
