
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "pack/scan_tally.h"
#include "shardine/scan.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::scan_tree_test {
namespace {

void Put(MemoryStorage& storage, const std::string& path,
         const std::string& bytes) {
  REQUIRE(storage.CreateDirectories(DirectoryOf(path)).ok());
  auto file = storage.Create(path);
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(AsBytes(bytes)).ok());
  REQUIRE((*file)->Close().ok());
}

Result<ScanResult> ScanOf(MemoryStorage& storage, const std::string& target,
                          ImageCheckLevel check = ImageCheckLevel::kHeader,
                          unsigned threads = 1) {
  return Scan({.target = target, .check = check, .threads = threads},
              {.storage = &storage});
}

std::map<std::string, std::uint64_t> Counts(
    const std::vector<ScanTally>& tallies) {
  std::map<std::string, std::uint64_t> counts;
  for (const ScanTally& tally : tallies) counts[tally.word] = tally.count;
  return counts;
}

using Expected = std::map<std::string, std::uint64_t>;

void PutSomeOfAll(MemoryStorage& storage) {
  JpegSpec gray;
  gray.color = JpegColor::kGray;
  gray.width = 100;
  gray.height = 50;
  JpegSpec cmyk;
  cmyk.color = JpegColor::kCmyk;
  cmyk.progressive = true;
  cmyk.restart_rows = 1;
  const std::string jpeg = MakeJpeg();
  Put(storage, "tree/a/gray.jpg", MakeJpeg(gray));
  Put(storage, "tree/a/cmyk.JPEG", MakeJpeg(cmyk));
  Put(storage, "tree/a/cut.jpg", jpeg.substr(0, jpeg.size() - 2));
  Put(storage, "tree/b/deep/turned.jpg",
      InsertAfterSoi(jpeg, ExifSegment(6, true)));
  Put(storage, "tree/b/twice.jpg", jpeg + jpeg);
  Put(storage, "tree/b/named.jpg", MakePng({.bits = 16}));
  Put(storage, "tree/page.png", "<html>");
  Put(storage, "tree/readme.txt", "text");
  Put(storage, "tree/.hidden/x.jpg", jpeg);
}

TEST_CASE("ScanTree counts kinds, problems and traits", "[scan]") {
  MemoryStorage storage;
  PutSomeOfAll(storage);
  const auto scan = ScanOf(storage, "tree");
  REQUIRE(scan.ok());
  CHECK(scan->files == 7);
  CHECK(scan->bad == 2);
  CHECK(scan->sized == 6);
  CHECK(Counts(scan->kinds) == Expected{{"html", 1}, {"jpeg", 5}, {"png", 1}});
  CHECK(Counts(scan->problems) ==
        Expected{{"no-end-marker", 1}, {"not-an-image", 1}});
  CHECK(Counts(scan->codings) == Expected{{"baseline", 4}, {"progressive", 1}});
  CHECK(Counts(scan->chroma) == Expected{{"4:2:0", 3}, {"4:4:4", 1}});
  CHECK(Counts(scan->traits) == Expected{{"16-bit", 1},
                                         {"cmyk", 1},
                                         {"gray", 1},
                                         {"other-suffix", 1},
                                         {"restart-markers", 1},
                                         {"trailing-bytes", 1},
                                         {"turned", 1}});
  CHECK(Counts(scan->ignored) ==
        Expected{{"hidden", 1}, {"not-an-image-suffix", 1}});
  CHECK(scan->problems[0].keys == std::vector<std::string>{"a/cut.jpg"});
  CHECK(scan->width.min == 19);
  CHECK(scan->width.median == 33);
  CHECK(scan->width.max == 100);
  CHECK(scan->short_side.min == 13);
  CHECK(scan->short_side.max == 50);
}

TEST_CASE("ScanTree says the same for any number of threads", "[scan]") {
  MemoryStorage storage;
  PutSomeOfAll(storage);
  for (int i = 0; i < 40; ++i) {
    Put(storage, "tree/c/" + std::to_string(i) + ".jpg", "no image");
  }
  const auto one = ScanOf(storage, "tree");
  REQUIRE(one.ok());
  for (const unsigned threads : {2U, 7U}) {
    const auto more =
        ScanOf(storage, "tree", ImageCheckLevel::kHeader, threads);
    REQUIRE(more.ok());
    REQUIRE(more->problems.size() == one->problems.size());
    for (std::size_t i = 0; i < one->problems.size(); ++i) {
      CHECK(more->problems[i].keys == one->problems[i].keys);
    }
    CHECK(more->bytes == one->bytes);
  }
  CHECK(Counts(one->problems)["not-an-image"] == 41);
  CHECK(one->problems[1].keys.size() == ScanTally::kKeys);
}

TEST_CASE("ScanTree decodes if it is told to", "[scan]") {
  MemoryStorage storage;
  std::string jpeg = MakeJpeg({.width = 200, .height = 200});
  jpeg.erase(jpeg.size() / 2, jpeg.size() / 2 - 2);
  Put(storage, "tree/a.jpg", jpeg);
  CHECK(ScanOf(storage, "tree")->bad == 0);
  const auto decoded = ScanOf(storage, "tree", ImageCheckLevel::kDecode);
  CHECK(Counts(decoded->problems) == Expected{{"decode-warning", 1}});
}

TEST_CASE("ScanTree takes one file, too", "[scan]") {
  MemoryStorage storage;
  Put(storage, "tree/a.dat", MakeJpeg());
  const auto scan = ScanOf(storage, "tree/a.dat");
  REQUIRE(scan.ok());
  CHECK(scan->files == 1);
  CHECK(Counts(scan->traits) == Expected{{"other-suffix", 1}});
  CHECK(scan->traits[0].keys == std::vector<std::string>{"a.dat"});
}

TEST_CASE("ScanTree fails where there is nothing to look at", "[scan]") {
  MemoryStorage storage;
  CHECK(ScanOf(storage, "tree").status().code() == Code::kNotFound);
  Put(storage, "tree/readme.txt", "text");
  CHECK(ScanOf(storage, "tree").status().code() == Code::kInvalidArgument);
}

TEST_CASE("ScanTree stops when it is asked to", "[scan]") {
  MemoryStorage storage;
  PutSomeOfAll(storage);
  std::stop_source stop;
  stop.request_stop();
  const auto scan =
      Scan({.target = "tree"}, {.stop = stop.get_token(), .storage = &storage});
  CHECK(scan.status().code() == Code::kCancelled);
}

TEST_CASE("SuffixNames knows the suffixes of each kind in any case", "[scan]") {
  CHECK(SuffixNames("a/b.JPEG", ImageKind::kJpeg));
  CHECK(SuffixNames("b.jpg", ImageKind::kJpeg));
  CHECK_FALSE(SuffixNames("b.png", ImageKind::kJpeg));
  CHECK_FALSE(SuffixNames("jpg", ImageKind::kJpeg));
  CHECK_FALSE(SuffixNames("", ImageKind::kPng));
  CHECK(SuffixNames("b.tif", ImageKind::kTiff));
  CHECK_FALSE(SuffixNames("b.gif.png", ImageKind::kGif));
  CHECK(SuffixNames("b.jpg", ImageKind::kHtml));
}

}  // namespace
}  // namespace shardine::scan_tree_test
