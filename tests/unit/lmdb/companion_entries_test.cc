// Entries beside bare images: texts, lists of words and counts, which are told
// by their keys, whatever their values look like (field reports B6, B7).
#include "io/memory_storage.h"
#include "lmdb/lmdb_format.h"
#include "lmdb/lmdb_layouts.h"
#include "lmdb/lmdb_scanner.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::companion_entries_test {
namespace {

const std::string kJpeg = "\xff\xd8\xff\xe0 and more";

// "image: label, ...; " for each sample, and how the scan ended.
std::string ScanOf(const Entries& entries) {
  OracleDb db;
  db.Begin();
  for (const auto& [key, value] : entries) db.Put(key, value);
  db.Commit();
  const std::string bytes = db.File();
  MemoryStorage storage;
  storage.Put("x.lmdb", bytes);
  const auto file = storage.Open("x.lmdb");
  REQUIRE(file.ok());
  const auto layout = DetectLmdbLayout(**file);
  if (!layout.ok()) return layout.status().ToString();
  const auto scanner = OpenLmdbScanner(**file, *layout);
  if (!scanner.ok()) return scanner.status().ToString();
  std::string text;
  for (;;) {
    const auto sample = (*scanner)->Next();
    if (!sample.ok()) return text + sample.status().ToString();
    if (!*sample) {
      const auto warnings = (*scanner)->Warnings();
      REQUIRE(warnings.ok());
      for (const std::string& warning : *warnings) text += warning;
      return text;
    }
    text += (*sample)->key.value_or("none");
    for (const ScannedField& field : (*sample)->fields) {
      if (field.name == "image") continue;
      text += " " + std::string(field.name) + "=" +
              std::string(AsText(field.bytes));
      REQUIRE(field.extents.size() == 1);
      CHECK(AsBytes(bytes).subspan(static_cast<std::size_t>(
                field.extents[0].offset))[0] == field.bytes[0]);
    }
    text += "; ";
  }
}

TEST_CASE("A text beside an image is a text, whatever it looks like",
          "[lmdb][images]") {
  // A pickle of an empty dict, one of msgpack, numbers, letters, a pickle.
  for (const std::string& text :
       {std::string("}."), std::string("8"), std::string("co."),
        std::string("\x81\x01\x02"), std::string("K\1."), std::string("a"),
        BytesOfHex("80047d2e"), std::string("(dp0.")}) {
    INFO(text);
    CHECK(ScanOf({{"image-000000001", kJpeg},
                  {"image-000000002", kJpeg},
                  {"label-000000001", text},
                  {"label-000000002", "word"},
                  {"num-samples", "2"}}) ==
          "image-000000001 label=" + text + "; image-000000002 label=word; ");
  }
}

TEST_CASE("Lists of words, and texts of images in two sizes, are fields",
          "[lmdb][images]") {
  CHECK(ScanOf({{"image-1", kJpeg},
                {"label-1", "a"},
                {"lexicon-1", "a,b"},
                {"num-samples", "1"}}) == "image-1 label=a lexicon=a,b; ");
  CHECK(ScanOf({{"image_hr-1", kJpeg},
                {"image_lr-1", kJpeg},
                {"label-1", "8"},
                {"num-samples", "1"}}) ==
        "image_hr-1 label=8; image_lr-1 label=8; ");
}

TEST_CASE("A count beside images is held against what is there",
          "[lmdb][images]") {
  const Entries images = {{"image-1", kJpeg}, {"image-2", kJpeg}};
  const auto said = [&](const std::string& name, const std::string& count) {
    Entries entries = images;
    entries[name] = count;
    return ScanOf(entries);
  };
  CHECK_THAT(said("num-samples", "2"), Catch::EndsWith("image-2; "));
  CHECK_THAT(said("num-samples", "20"),
             Catch::Contains("num-samples says 20 where there are 2 samples"));
  CHECK_THAT(said("length", "1"),
             Catch::Contains("length says 1 where there are 2 samples"));
  // An entry that is no number says nothing.
  CHECK_THAT(said("length", "many"), Catch::EndsWith("image-2; "));
}

// rosinality's prepare_data.py writes each image in several sizes.
TEST_CASE("A count may be of each series of images", "[lmdb][images]") {
  const auto said = [](std::size_t smaller, const std::string& name,
                       const std::string& count) {
    Entries entries;
    for (std::size_t i = 0; i < 3; ++i) {
      entries["128-0000" + std::to_string(i)] = kJpeg;
      entries["256-0000" + std::to_string(i)] = kJpeg;
      if (i < smaller) entries["64-0000" + std::to_string(i)] = kJpeg;
    }
    entries[name] = count;
    return ScanOf(entries);
  };
  CHECK_THAT(said(3, "length", "3"), Catch::EndsWith("64-00002; "));
  CHECK_THAT(said(3, "length", "9"), Catch::EndsWith("64-00002; "));
  CHECK_THAT(said(3, "length", "4"), Catch::Contains("length says 4 where"));
  CHECK_THAT(said(2, "length", "3"), Catch::Contains("length says 3 where"));
  CHECK_THAT(said(2, "length", "2"), Catch::Contains("length says 2 where"));
}

TEST_CASE("A length without a list of keys is held against what is there",
          "[lmdb][images]") {
  const auto said = [](const std::string& length) {
    return ScanOf({{"a", kJpeg}, {"b", kJpeg}, {"__len__", length}});
  };
  for (const std::string& right :
       {std::string("2"), std::string("\2"), std::string("K\2."),
        BytesOfHex("80044b022e"), std::string("many")}) {
    INFO(right);
    CHECK(said(right) == "a; b; ");
  }
  for (const std::string& wrong :
       {std::string("3"), std::string("\3"), BytesOfHex("80044b032e")}) {
    INFO(wrong);
    CHECK_THAT(said(wrong),
               Catch::Contains("__len__ says 3 where there are 2"));
  }
}

TEST_CASE("Entries under keys of another form are left out and said",
          "[lmdb][images]") {
  const Entries images = {
      {"img000", kJpeg}, {"img001", kJpeg}, {"img002", kJpeg}};
  const std::string samples = "img000; img001; img002; ";
  const auto with = [&](const Entries& others) {
    Entries entries = images;
    entries.insert(others.begin(), others.end());
    return ScanOf(entries);
  };
  // A text, JSON, a number, pickles, msgpack; before the images and after them.
  for (const std::string& value :
       {std::string("jpg, png"), std::string("{\"n\": 3}"), std::string("8"),
        BytesOfHex("80047d2e"), BytesOfHex("80047d8c016e4b03732e"),
        std::string("\x81\x01\x02"), std::string("co."), std::string("")}) {
    INFO(value);
    CHECK(with({{"meta", value}}) ==
          samples +
              "1 entry is no sample and is left "
              "out, by the form of the keys: \"meta\"");
    CHECK(with({{"Info", value}}) ==
          samples +
              "1 entry is no sample and is left "
              "out, by the form of the keys: \"Info\"");
  }
  CHECK(with({{"img000.txt", "a"},
              {"img001.txt", "b"},
              {"img002.txt", "c"},
              {"keys", "img000"},
              {"num-samples", "3"}}) ==
        samples +
            "4 entries are no samples and are left out, by the form of the "
            "keys: \"img000.txt\", \"img001.txt\", \"img002.txt\", ...");
  // An image is a sample under any key.
  CHECK(with({{"cover", kJpeg}}) == "cover; " + samples);
  // A key like the others is to be a sample's.
  CHECK_THAT(with({{"img003", "co."}}), Catch::Contains("of no serialiser"));
}

TEST_CASE("Names of files have a form, too", "[lmdb][images]") {
  CHECK(ScanOf({{"cat.jpg", kJpeg}, {"dog.jpg", kJpeg}, {"meta", "co."}}) ==
        "cat.jpg; dog.jpg; 1 entry is no sample and is left out, by the form "
        "of the keys: \"meta\"");
}

TEST_CASE("What is no image among images is not called damage",
          "[lmdb][images]") {
  for (const char* value : {"co.", "8", "}x.", "jpg, png", "\x9f"}) {
    INFO(value);
    OracleDb db;
    db.Begin();
    db.Put("a", kJpeg);
    db.Put("meta", value);
    db.Commit();
    MemoryStorage storage;
    storage.Put("x", db.File());
    const auto file = storage.Open("x");
    const auto layout = DetectLmdbLayout(**file);
    REQUIRE(layout.ok());
    const auto scanner = OpenLmdbScanner(**file, *layout);
    REQUIRE((*scanner)->Next().ok());
    CHECK((*scanner)->Next().status().code() == Code::kUnsupported);
  }
}

}  // namespace
}  // namespace shardine::companion_entries_test
