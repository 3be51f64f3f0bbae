#include "source/neighbours.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "source/field_file.h"
#include "source/shard_plan.h"
#include "unit/source/source_fixture.h"

namespace shardine::neighbours_test {
namespace {

SourceOptions Asking(const std::string& fields, const std::string& pairs = "") {
  SourceOptions options = TreeOptions();
  if (!fields.empty()) options.stem_fields = *ParseStemFields(fields);
  if (!pairs.empty()) options.pairs = *ParsePairs(pairs);
  return options;
}

// "key name=path name=path" for each sample; text fields with a "~".
Strings FilesOf(const SourceSet& set) {
  Strings rows;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    std::string row(set.samples.key(i));
    for (const SampleFile& file : FilesOfSample(set, i)) {
      row += " " + file.field + (file.is_text ? "~" : "=") + file.file.path;
      if (!file.file.fault.empty()) row += "!" + std::string(file.file.fault);
    }
    rows.push_back(row);
  }
  return rows;
}

TEST_CASE("Files of an image's stem are fields of its sample", "[neighbours]") {
  MemoryStorage storage;
  PutAll(storage,
         {"t/cat/1.jpg", "t/cat/1.txt", "t/cat/1_mask.png", "t/cat/2.JPG",
          "t/cat/2.TXT", "t/dog/a.b.png", "t/dog/a.b.txt", "t/dog/a.txt",
          "t/dog/z_mask.PNG", "t/dog/.c.txt", "t/dog/x/7.txt"});
  const SourceSet set = Load(storage, Asking("caption=.txt,mask=_mask.png"));
  CHECK(FilesOf(set) ==
        Strings{"cat/1.jpg caption~t/cat/1.txt mask=t/cat/1_mask.png",
                "cat/2.JPG caption~t/cat/2.TXT",
                "dog/a.b.png caption~t/dog/a.b.txt"});
  // Ids run on over the images alone.
  CHECK(set.samples.id(2) == 2);
  CHECK(set.text_fields == Strings{"caption"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"hidden dog/.c.txt", "neighbour-without-image dog/x/7.txt",
                "field-missing cat/2_mask.png",
                "neighbour-without-image dog/a.txt",
                "neighbour-without-image dog/z_mask.PNG",
                "field-missing dog/a.b_mask.png"});
  CHECK(set.notes == Strings{"field mask: 2 of 3 samples have no file"});
}

TEST_CASE("Each other suffix is a field by its own name", "[neighbours]") {
  MemoryStorage storage;
  PutAll(storage, {"t/cat/1.jpg", "t/cat/1.txt", "t/cat/1.En.Txt",
                   "t/cat/2.jpg", "t/cat/2.seg.png", "t/cat/2.npy",
                   "t/cat/note.txt", "t/cat/1.x y", "t/cat/1.image"});
  const SourceSet set = Load(storage, Asking("auto"));
  CHECK(FilesOf(set) ==
        Strings{"cat/1.jpg en_txt~t/cat/1.En.Txt txt~t/cat/1.txt",
                "cat/2.jpg npy=t/cat/2.npy", "cat/2.seg.png"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"not-an-image-suffix cat/1.image",
                "not-an-image-suffix cat/1.x y",
                "not-an-image-suffix cat/note.txt", "field-missing cat/1.npy",
                "field-missing cat/2.en.txt", "field-missing cat/2.txt",
                "field-missing cat/2.seg.en.txt", "field-missing cat/2.seg.txt",
                "field-missing cat/2.seg.npy"});
}

TEST_CASE("A neighbour that could be of two is refused", "[neighbours]") {
  MemoryStorage storage;
  PutAll(storage, {"t/cat/1.jpg", "t/cat/1.txt"});
  SECTION("two images have its stem") {
    PutAll(storage, {"t/cat/1.png"});
    CHECK(LoadError(storage, Asking("caption=.txt")).ToString() ==
          "t/cat/1.txt: could be field caption of cat/1.jpg or of cat/1.png");
  }
  SECTION("two files are one field") {
    PutAll(storage, {"t/cat/1.TXT"});
    CHECK(LoadError(storage, Asking("caption=.txt")).ToString() ==
          "t/cat/1.txt: two files could be field caption, by suffixes that "
          "differ in case alone");
  }
  SECTION("two images have one file of a pair") {
    PutAll(storage, {"t/dog/1.jpg", "t/m/1.png"});
    CHECK(LoadError(storage, Asking("", "mask=m/{stem}.png")).ToString() ==
          "m/1.png: could be field mask of cat/1.jpg or of dog/1.jpg");
  }
  SECTION("no image has one") {
    CHECK(LoadError(storage, Asking("caption=.txt,meta=.json")).ToString() ==
          "t: no image has a file of field meta, .json");
    CHECK(LoadError(storage, Asking("", "mask=m/{stem}.png")).ToString() ==
          "t: no image has a file of field mask, m/{stem}.png");
  }
}

TEST_CASE("Pairs are files of other trees", "[neighbours]") {
  MemoryStorage storage;
  PutAll(storage, {"t/cat/1_rgb.jpg", "t/cat/2_rgb.jpg", "t/cat/x.jpg",
                   "t/masks/cat/1_ids.png", "t/masks/cat/9_ids.png",
                   "t/masks/read.me", "t/u/cat/2_rgb.json"});
  const SourceSet set =
      Load(storage, Asking("",
                           "mask=masks/{class}/{stem-_rgb}_ids.png,"
                           "meta=u/{dir}/{stem}.json"));
  // Neither is a class, nor is a file of a pair an image.
  CHECK(ClassesOf(set) == Strings{"0 cat x3"});
  CHECK(FilesOf(set) == Strings{"cat/1_rgb.jpg mask=t/masks/cat/1_ids.png",
                                "cat/2_rgb.jpg meta~t/u/cat/2_rgb.json",
                                "cat/x.jpg"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"field-missing u/cat/1_rgb.json",
                "field-missing masks/cat/2_ids.png", "field-missing cat/x.jpg",
                "field-missing u/cat/x.json",
                "neighbour-without-image masks/cat/9_ids.png",
                "neighbour-without-image masks/read.me"});
}

TEST_CASE("A pattern below the source has no way out of it", "[neighbours]") {
  for (const char* text :
       {"m=../masks/{stem}.png", "m=a/../../{stem}.png", "m={stem}/../x",
        "m=masks/x.png", "m=masks/{name}.png", "m=masks/{stem.png",
        "m=", "{stem}.png", "m={stem}{stem}{stem}{stem}{stem}",
        "m={stem},m={stem}"}) {
    CAPTURE(text);
    CHECK_FALSE(ParsePairs(text).ok());
  }
  CHECK(ParsePairs("m=/data/../masks/{stem}.png").ok());
  for (const char* text : {"caption=txt", "caption", "=.txt", "a=.txt,a=.json",
                           "a=.txt,", "a=x/.txt", "a b=.txt", ""}) {
    CAPTURE(text);
    CHECK_FALSE(ParseStemFields(text).ok());
  }
  for (const char* text : {"auto", "a=.txt,b=_m.png"}) {
    CHECK(StemFieldsText(*ParseStemFields(text)) == text);
  }
}

TEST_CASE("A list's images have neighbours, but no others", "[neighbours]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg", "t/a/1.txt", "t/b/2.jpg", "t/b/2.txt",
                   "t/b/3.jpg", "t/b/3.txt"});
  storage.Put("l.csv",
              "path,label,age\nb/2.jpg,x,3\na/1.jpg,y,4\nb/2.jpg,z,5\n");
  SourceOptions options = Asking("caption=.txt");
  options.list = "l.csv";
  const SourceSet set = Load(storage, options);
  CHECK(FilesOf(set) == Strings{"b/2.jpg caption~t/b/2.txt",
                                "a/1.jpg caption~t/a/1.txt",
                                "b/2#2.jpg caption~t/b/2.txt"});
  CHECK(set.ignored.empty());
  options.stem_fields = *ParseStemFields("age=.txt");
  CHECK(LoadError(storage, options).message() ==
        "two fields have the name \"age\"");
}

TEST_CASE("A plan's digest has the sizes of neighbours, not their paths",
          "[neighbours]") {
  const auto digest = [](const std::string& text, std::int64_t) {
    MemoryStorage storage;
    PutAll(storage, {"t/cat/1.jpg", "t/cat/2.jpg"});
    storage.Put("t/cat/1.txt", text);
    ShardPlanOptions options;
    options.suffix = ".rec";
    return ShardPlan::Make(Load(storage, Asking("caption=.txt")), options)
        ->digest();
  };
  CHECK(digest("abc", 0) == digest("xyz", 1));
  CHECK_FALSE(digest("abc", 0) == digest("abcd", 0));
}

}  // namespace
}  // namespace shardine::neighbours_test
