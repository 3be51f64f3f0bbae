#include "im2rec/im2rec.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "im2rec/cpp_style.h"
#include "im2rec/python_arguments.h"
#include "im2rec/python_style.h"
#include "io/memory_storage.h"

namespace shardine::im2rec_test {
namespace {

using Words = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome Run(MemoryStorage& storage, const Words& words) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = RunIm2rec(words, storage, {.out = out, .err = err});
  return {code, out.str(), err.str()};
}

void PutTree(MemoryStorage& storage) {
  storage.Put("/in/a/1.jpg", "one");
  storage.Put("/in/a/2.jpg", "two");
  storage.Put("/in/b/3.jpg", "three");
  storage.Put("/out/x.lst", "0\t0\ta/1.jpg\n2\t1\tb/3.jpg\n");
}

Words With(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kCpp = {"/out/x.lst", "/in/", "/out/x.rec"};
const Words kPython = {"/out/x", "/in"};

TEST_CASE("im2rec packs in the style of im2rec.cc, without an index",
          "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  const Outcome outcome = Run(storage, With(kCpp, {"unchanged=1"}));
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "/out/x.rec: 2 records, 76 bytes\n");
  CHECK(outcome.err == "");
  CHECK(storage.Get("/out/x.rec")->size() == 76);
  CHECK_FALSE(storage.Get("/out/x.idx").ok());
}

TEST_CASE("im2rec puts the root of im2rec.cc in front of a path as it is",
          "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  storage.Put("/in/pre-1.jpg", "x");
  storage.Put("/out/x.lst", "0 0 1.jpg\n");
  CHECK(Run(storage, {"/out/x.lst", "/in/pre-", "/out/x.rec", "unchanged=1"})
            .code == 0);
  const Outcome missing =
      Run(storage, {"/out/x.lst", "/in", "/out/x.rec", "unchanged=1"});
  CHECK(missing.code == 1);
  CHECK(missing.err ==
        "im2rec: /out/x.lst: byte 0: line 1: /in1.jpg: open: no such file or "
        "folder\n");
}

TEST_CASE("im2rec names the parts of a split list", "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  CHECK(Run(storage, With(kCpp, {"unchanged=1", "nsplit=2", "part=1"})).code ==
        0);
  CHECK(storage.Get("/out/x.rec.part001").ok());
  CHECK(Run(storage, With(kCpp, {"unchanged=1", "nsplit=2000", "part=1234"}))
            .code == 0);
  CHECK(*storage.Get("/out/x.rec.part1234") == "");
  CHECK_FALSE(storage.Get("/out/x.rec").ok());
}

TEST_CASE("im2rec packs every list that begins with the prefix of im2rec.py",
          "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  storage.Put("/out/x2.lst", "1\t0\ta/2.jpg\n");
  storage.Put("/out/y.lst", "bad\n");
  const Outcome outcome = Run(storage, With(kPython, {"--pass-through"}));
  CHECK(outcome.code == 0);
  CHECK(outcome.out ==
        "/out/x.rec: 2 records, 76 bytes\n/out/x2.rec: 1 records, 36 bytes\n");
  CHECK(*storage.Get("/out/x.idx") == "0\t0\n2\t36\n");
  CHECK(storage.Get("/out/x2.rec").ok());
  CHECK_FALSE(storage.Get("/out/y.rec").ok());
}

TEST_CASE("FindLists looks inside a prefix that is a folder", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/out/b.lst", "");
  storage.Put("/out/a.lst", "");
  storage.Put("/out/a.lst.txt", "");
  storage.Put("/out/c.lst/x", "");
  storage.PutSymlink("/out/gone.lst", "/nowhere");
  CHECK(*FindLists(storage, "/out") == Words{"/out/a.lst", "/out/b.lst"});
  CHECK(*FindLists(storage, "/out/b") == Words{"/out/b.lst"});
  CHECK(FindLists(storage, "/none/b").status().code() ==
        Code::kInvalidArgument);
}

TEST_CASE("im2rec lists a tree and prints its labels", "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  const Outcome outcome =
      Run(storage, {"/out/n", "/in", "--list", "--recursive", "--no-shuffle"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "a 0\nb 1\n");
  CHECK(*storage.Get("/out/n.lst") ==
        "0\t0.000000\ta/1.jpg\n1\t0.000000\ta/2.jpg\n2\t1.000000\tb/3.jpg\n");
}

TEST_CASE("im2rec fails and writes no list where it finds no image",
          "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  const Outcome outcome = Run(storage, {"/out/n", "/in", "--list"});
  CHECK(outcome.code == 1);
  CHECK(outcome.err ==
        "im2rec: /in: no images in this folder (--recursive looks below)\n");
  CHECK_FALSE(storage.Get("/out/n.lst").ok());
}

TEST_CASE("im2rec says what has no effect", "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  storage.Put("/in/top.jpg", "");
  CHECK(
      Run(storage, With(kCpp, {"resize=9", "unchanged=1", "quality=3"})).err ==
      "im2rec: note: resize, quality: no effect with unchanged=1\n");
  CHECK(Run(storage, With(kPython, {"--pass-through", "--chunks", "2"})).err ==
        "im2rec: note: --chunks: no effect with --pass-through\n");
  CHECK(Run(storage,
            {"/out/n", "/in", "--list", "--test-ratio=0.5", "--color", "-1"})
            .err ==
        "im2rec: note: --color: no effect with --list\n"
        "im2rec: note: --test-ratio: no effect while --train-ratio is 1\n");
  CHECK(Run(storage, {"/out/n", "/in", "--list", "--train-ratio", "0.5",
                      "--test-ratio=0.5"})
            .err ==
        "im2rec: note: 1 images are in no list: the ratios round down\n");
}

TEST_CASE("im2rec tells of records that hold an empty file", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/in/a", "");
  storage.Put("/out/x.lst", "0\t0\ta\n");
  const Outcome outcome = Run(storage, With(kPython, {"--pass-through"}));
  CHECK(outcome.code == 0);
  CHECK(outcome.err ==
        "im2rec: note: /out/x.rec: 1 of the records hold an empty file\n");
}

TEST_CASE("im2rec tells of labels that its records lack or round", "[im2rec]") {
  MemoryStorage storage;
  PutTree(storage);
  storage.Put("/out/x.lst",
              "0\t0\ta/1.jpg\n1\t1\t7\ta/2.jpg\n2\t16777217\t8\tb/3.jpg\n");
  const Outcome plain = Run(storage, With(kPython, {"--pass-through"}));
  CHECK(plain.code == 0);
  CHECK(plain.err ==
        "im2rec: note: /out/x.lst: labels after the first are dropped, as "
        "always without pack-label, in 2 lines, first in line 2\n"
        "im2rec: note: /out/x.lst: float32 rounds a label in line 3: 16777217 "
        "becomes 16777216\n");
  const Outcome packed =
      Run(storage, With(kPython, {"--pass-through", "--pack-label"}));
  CHECK(packed.err ==
        "im2rec: note: /out/x.lst: float32 rounds a label in line 3: 16777217 "
        "becomes 16777216\n");
}

TEST_CASE("im2rec prints help on demand only", "[im2rec]") {
  MemoryStorage storage;
  const Outcome help = Run(storage, {"--help"});
  CHECK(help.code == 0);
  CHECK(help.out.starts_with("usage: im2rec "));
  CHECK(help.out.find("--test-ratio R") != std::string::npos);
  CHECK(Run(storage, {"a", "b", "-h"}).code == 0);
  CHECK(Run(storage, {}).code == 2);
}

struct Usage {
  Words words;
  const char* message;  // the end of the one line
};

void CheckUsage(const Usage& usage) {
  MemoryStorage storage;
  PutTree(storage);
  const Outcome outcome = Run(storage, usage.words);
  INFO(Catch::Detail::stringify(usage.words));
  CHECK(outcome.code == 2);
  CHECK(outcome.out == "");
  CHECK_THAT(outcome.err,
             Catch::StartsWith("im2rec: ") &&
                 Catch::EndsWith(usage.message + std::string("\n")));
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  CHECK(storage.List("/out")->size() == 1);
}

TEST_CASE("im2rec refuses in one line what im2rec.cc ignored", "[im2rec]") {
  const std::string unchanged = "unchanged=1";
  const std::vector<Usage> usages = {
      {{}, "see --help"},
      {{"/out/x.lst"}, "see --help"},
      {With(kCpp, {unchanged, "9"}), "\"9\" is not of the form key=value"},
      {With(kCpp, {unchanged, "size=9"}), "\"size\" is not a known key"},
      {With(kCpp, {unchanged, "=9"}), "\"\" is not a known key"},
      {With(kCpp, {"unchanged=2"}), "\"2\" is not a whole number from 0 to 1"},
      {With(kCpp, {"unchanged="}), "\"\" is not a whole number from 0 to 1"},
      {With(kCpp, {unchanged, "color=2"}),
       "\"2\" is not a whole number from -1 to 1"},
      {With(kCpp, {unchanged, "resize=big"}),
       "\"big\" is not a whole number of at most 65500"},
      {With(kCpp, {unchanged, "resize=9px"}),
       "\"9px\" is not a whole number of at most 65500"},
      {With(kCpp, {"resize=65501"}),
       "\"65501\" is not a whole number of at most 65500"},
      {With(kCpp, {unchanged, "quality=0"}),
       "\"0\" is not a whole number from 1 to 100"},
      {With(kCpp, {unchanged, "inter_method=5"}),
       "is none of 0, 1, 2, 3, 4, 9, 10"},
      {With(kCpp, {unchanged, "encoding=.gif"}),
       "encoding: \".gif\" is neither .jpg nor .png"},
      {With(kCpp, {unchanged, "pixels="}),
       "pixels: \"\" is neither pillow nor opencv"},
      {With(kCpp, {unchanged, "label_width=0"}),
       "\"0\" is not a whole number from 1 to 1048576"},
      {With(kCpp, {unchanged, "pack_label=1"}),
       "pack_label=1 needs label_width > 1"},
      {With(kCpp, {unchanged, "nsplit=0"}),
       "\"0\" is not a whole number from 1 to 1000000"},
      {With(kCpp, {unchanged, "nsplit=2", "part=2"}),
       "part=2 is not below nsplit=2"},
      {With(kCpp, {unchanged, "part=-1"}),
       "\"-1\" is not a whole number from 0 to 999999"},
      {{"/out/x.lst", "/in/", "unchanged=1"},
       "\"unchanged=1\" is a key: the output is missing"},
      {{"/out/x.lst", "/in/", "/out/x.lst", unchanged}, "is the list itself"},
      {{"/out/none.lst", "/in/", "/out/x.rec", unchanged},
       "/out/none.lst: stat: no such file or folder"},
      {{"/out", "/in/", "/out/x.rec", unchanged}, "/out: is not a file"},
  };
  for (const Usage& usage : usages) CheckUsage(usage);
}

TEST_CASE("im2rec refuses in one line what im2rec.py let through", "[im2rec]") {
  const std::string pass = "--pass-through";
  const std::vector<Usage> usages = {
      {{"/out/x", "--list"}, "1 positional arguments are given"},
      {{"/out/x", "/in", "/more", pass}, "3 positional arguments are given"},
      {{"--list", "True", "/out/x", "/in"},
       "where the oldest im2rec.py had --list True or --list=1"},
      {{"--recursive=1", "/out/x", "/in"},
       "where the oldest im2rec.py had --list True or --list=1"},
      {With(kPython, {"--lists"}), "unrecognised option '--lists'"},
      {With(kPython, {"--resize"}),
       "the required argument for option '--resize' is missing"},
      {With(kPython, {"--p"}),
       "option '--p' is ambiguous and matches '--pack-label', "
       "'--pass-through', and '--pixels'"},
      {With(kPython, {"--list", "--chunks", "0"}),
       "--chunks: \"0\" is not a whole number from 1 to 1000000"},
      {With(kPython, {"--list", "--chunks=2.5"}),
       "\"2.5\" is not a whole number from 1 to 1000000"},
      {With(kPython, {"--list", "--train-ratio", "1.5"}),
       "--train-ratio: \"1.5\" is not a number from 0 to 1"},
      {With(kPython, {"--list", "--test-ratio", "nan"}),
       "\"nan\" is not a number from 0 to 1"},
      {With(kPython, {"--list", "--train-ratio=0.9", "--test-ratio=0.2"}),
       "--train-ratio and --test-ratio are more than 1 together"},
      {With(kPython, {"--list", "--exts", "jpg"}),
       "--exts: \"jpg\" is not a suffix with one dot: .jpg"},
      {With(kPython, {"--list", "--exts", ".tar.gz"}),
       "\".tar.gz\" is not a suffix with one dot: .jpg"},
      {With(kPython, {pass, "--num-thread", "0"}),
       "--num-thread: \"0\" is not a whole number from 1 to 1024"},
      {With(kPython, {pass, "--color", "2"}),
       "--color: \"2\" is not a whole number from -1 to 1"},
      {With(kPython, {pass, "--quality", "101"}),
       "\"101\" is not a whole number from 1 to 100"},
      {With(kPython, {pass, "--resize", "-1"}),
       "--resize: \"-1\" is not a whole number from 0 to 65500"},
      {With(kPython, {pass, "--encoding", "jpg"}),
       "--encoding: \"jpg\" is neither .jpg nor .png"},
      {With(kPython, {pass, "--pixels", "cv2"}),
       "--pixels: \"cv2\" is neither pillow nor opencv"},
      {{"/out/none", "/in", pass},
       "/out/none: no list (.lst) has a name that begins with this"},
      {{"/none/x", "/in", pass}, "/none: stat: no such file or folder"},
      {{"/out/n", "/none", "--list"}, "/none: stat: no such file or folder"},
      {{"/out/n", "/out/x.lst", "--list"}, "/out/x.lst: is not a folder"},
  };
  for (const Usage& usage : usages) CheckUsage(usage);
}

TEST_CASE("ParseCppArguments reads every key, the last of each counts",
          "[im2rec]") {
  const Result<CppArguments> parsed = ParseCppArguments(
      With(kCpp, {"label_width=2", "label_width=3", "pack_label=1",
                  "unchanged=1", "nsplit=12", "part=7", "encoding=.png"}));
  REQUIRE(parsed.ok());
  CHECK(parsed->list == "/out/x.lst");
  CHECK(parsed->root == "/in/");
  CHECK(parsed->rec == "/out/x.rec.part007");
  CHECK(parsed->label_width == 3);
  CHECK(parsed->pack_label);
  CHECK(parsed->nsplit == 12);
  CHECK(parsed->part == 7);
  CHECK(parsed->without_effect == Words{"encoding"});
  CHECK_FALSE(parsed->pixels);
}

TEST_CASE("ParseCppArguments has the original's defaults for pixels",
          "[im2rec]") {
  const Result<CppArguments> parsed = ParseCppArguments(kCpp);
  REQUIRE(parsed.ok());
  REQUIRE(parsed->pixels);
  CHECK(parsed->pixels->short_side == 0);
  CHECK_FALSE(parsed->pixels->center_crop);
  CHECK(parsed->pixels->color == 1);
  CHECK(parsed->pixels->encoding == Encoding::kJpeg);
  CHECK(parsed->pixels->quality == 95);
  CHECK(parsed->pixels->inter_method == InterMethod::kBilinear);
}

TEST_CASE("ParseCppArguments reads every key of pixels", "[im2rec]") {
  const Result<CppArguments> parsed = ParseCppArguments(
      With(kCpp, {"resize=9", "center_crop=1", "color=-1", "encoding=.png",
                  "quality=7", "inter_method=10", "pixels=opencv"}));
  REQUIRE(parsed.ok());
  REQUIRE(parsed->pixels);
  CHECK(parsed->pixels->short_side == 9);
  CHECK(parsed->pixels->center_crop);
  CHECK(parsed->pixels->color == -1);
  CHECK(parsed->pixels->encoding == Encoding::kPng);
  CHECK(parsed->pixels->png_level == 7);
  CHECK(parsed->pixels->inter_method == InterMethod::kRandom);
  CHECK(parsed->pixels->rule == PixelRule::kOpenCv);
  CHECK(parsed->without_effect.empty());
}

TEST_CASE(
    "A crop of im2rec.cc needs a resize, and a level of PNG is 3 where "
    "it cannot be",
    "[im2rec]") {
  const Result<CppArguments> parsed = ParseCppArguments(
      With(kCpp, {"center_crop=1", "resize=-1", "inter_method=3", "color=0",
                  "encoding=.png", "quality=10"}));
  REQUIRE(parsed.ok());
  CHECK_FALSE(parsed->pixels->center_crop);
  CHECK(parsed->pixels->short_side == 0);
  CHECK(parsed->pixels->png_level == 3);
  CHECK(parsed->without_effect == Words{"center_crop", "inter_method"});
}

TEST_CASE("ParsePythonArguments reads every option of pixels", "[im2rec]") {
  const Result<PythonArguments> plain = ParsePythonArguments({"/a", "/in"});
  REQUIRE(plain.ok());
  REQUIRE(plain->pixels);
  CHECK(plain->pixels->short_side == 0);
  CHECK(plain->pixels->quality == 95);
  CHECK(plain->pixels->color == 1);
  CHECK(plain->pixels->rule == PixelRule::kPillow);
  const Result<PythonArguments> parsed = ParsePythonArguments(
      {"/a", "/in", "--resize", "9", "--center-crop", "--color=0", "--encoding",
       ".png", "--quality", "50", "--chunks", "2", "--pixels", "opencv"});
  REQUIRE(parsed.ok());
  REQUIRE(parsed->pixels);
  CHECK(parsed->pixels->short_side == 9);
  CHECK(parsed->pixels->center_crop);
  CHECK(parsed->pixels->color == 0);
  CHECK(parsed->pixels->encoding == Encoding::kPng);
  CHECK(parsed->pixels->png_level == 9);
  CHECK(parsed->pixels->rule == PixelRule::kOpenCv);
  CHECK(parsed->without_effect == Words{"--chunks"});
  CHECK_FALSE(ParsePythonArguments({"/a", "/in", "--pass-through"})->pixels);
  CHECK_FALSE(ParsePythonArguments({"/a", "/in", "--list"})->pixels);
}

TEST_CASE("ParsePythonArguments reads every option, cut short or twice",
          "[im2rec]") {
  const Result<PythonArguments> list = ParsePythonArguments(
      {"--list", "--list", "/out/../a/", "/in/", "--exts", ".PNG", ".gif",
       "--chunks", "2", "--chunks=4", "--train=0.25", "--test-ratio", "0.5",
       "--rec", "--no-shuffle"});
  REQUIRE(list.ok());
  CHECK(list->list);
  CHECK(list->listing.prefix == "/a");
  CHECK(list->root == "/in");
  CHECK(list->suffixes == Words{".png", ".gif"});
  CHECK(list->listing.chunks == 4);
  CHECK(list->listing.train_ratio == 0.25);
  CHECK(list->listing.test_ratio == 0.5);
  CHECK(list->recursive);
  CHECK_FALSE(list->listing.shuffle);
  const Result<PythonArguments> pack =
      ParsePythonArguments({"/a", "/in", "--pass-through", "--num-thread", "3",
                            "--pack-label", "--center-crop"});
  REQUIRE(pack.ok());
  CHECK_FALSE(pack->list);
  CHECK(pack->threads == 3);
  CHECK(pack->pack_label);
  CHECK(pack->without_effect == Words{"--center-crop"});
  CHECK(ParsePythonArguments({"--list", "--", "/a", "--b"})
            ->root.ends_with("/--b"));
}

TEST_CASE("ParsePythonArguments has the original's defaults", "[im2rec]") {
  const Result<PythonArguments> parsed =
      ParsePythonArguments({"/a", "/in", "--list"});
  REQUIRE(parsed.ok());
  CHECK(parsed->suffixes == Words{".jpeg", ".jpg", ".png"});
  CHECK(parsed->listing.chunks == 1);
  CHECK(parsed->listing.train_ratio == 1.0);
  CHECK(parsed->listing.test_ratio == 0.0);
  CHECK(parsed->listing.shuffle);
  CHECK_FALSE(parsed->recursive);
  CHECK(parsed->threads == 1);
  CHECK_FALSE(parsed->pack_label);
}

TEST_CASE("im2rec ends with 5 when the system refuses a file", "[im2rec]") {
  MemoryStorage memory;
  PutTree(memory);
  // A file where a folder is needed: ENOTDIR.
  std::ostringstream out;
  std::ostringstream err;
  const int code =
      RunIm2rec({"/out/x.lst", "/in/", "/out/x.lst/y.rec", "unchanged=1"},
                memory, {.out = out, .err = err});
  CHECK(code == 5);
  CHECK(err.str().find("a part of the path is a file") != std::string::npos);
}

}  // namespace
}  // namespace shardine::im2rec_test
