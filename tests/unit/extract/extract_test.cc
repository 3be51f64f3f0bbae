#include "shardine/extract.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "base/ascii.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/local_storage.h"
#include "support/fault_storage.h"
#include "unit/extract/extracted_tree.h"

namespace shardine::extract_test {
namespace {

namespace fs = std::filesystem;

void Put(const std::string& path, const std::string& contents) {
  fs::create_directories(fs::path(path).parent_path());
  REQUIRE(WriteFileAtomically(LocalStorage(), path, AsBytes(contents)).ok());
}

Result<ExtractResult> Extract(const std::string& dataset,
                              const std::string& directory,
                              bool overwrite = false, const Job& job = {}) {
  return ExtractDataset({.dataset = dataset,
                         .directory = directory,
                         .names = ExtractNames::kKey,
                         .overwrite = overwrite},
                        job);
}

// A file system that keeps the case of names and finds them in any case.
class FoldingStorage : public FaultStorage {
 public:
  FoldingStorage()
      : FaultStorage(LocalStorage(), {.call = ~std::uint64_t{0}}) {}

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    return FaultStorage::Open(Stored(path));
  }
  Result<FileInfo> Stat(const std::string& path) override {
    return FaultStorage::Stat(Stored(path));
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return FaultStorage::Rename(from, Stored(to));
  }

 private:
  static std::string Stored(const std::string& path) {
    const auto entries = LocalStorage().List(DirectoryOf(path));
    if (!entries.ok()) return path;
    for (const DirEntry& entry : *entries) {
      if (LowerAscii(entry.name) != LowerAscii(FileNameOf(path))) continue;
      return JoinPath(DirectoryOf(path), entry.name);
    }
    return path;
  }
};

TEST_CASE("ExtractDataset writes each image under its key", "[extract]") {
  DiskDataset data;
  data.AddShard("train",
                {KeyedSample("a/1.jpg", "one"), KeyedSample("b/2.jpg", "two")});
  data.AddShard("train",
                {KeyedSample("a/deep/er/3.jpg", ""), KeyedSample("4", "four")});
  data.Publish();
  const auto result = Extract(data.path(), data / "new/tree");
  REQUIRE(result.ok());
  CHECK(result->files == 4);
  CHECK(result->bytes == 10);
  CHECK(Tree(data / "new/tree") ==
        std::map<std::string, std::string>{{"a/1.jpg", "one"},
                                           {"b/2.jpg", "two"},
                                           {"a/deep/er/3.jpg", ""},
                                           {"4", "four"}});
}

TEST_CASE("ExtractDataset puts several splits into folders of their own",
          "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a/1.jpg", "one")});
  data.AddShard("val", {KeyedSample("a/1.jpg", "two")});
  data.Publish();
  const auto result = Extract(data.path(), data / "tree");
  REQUIRE(result.ok());
  CHECK(result->files == 2);
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"train/a/1.jpg", "one"},
                                           {"val/a/1.jpg", "two"}});
}

TEST_CASE("ExtractDataset refuses a dataset without an encoded image",
          "[extract]") {
  DiskDataset data;
  data.AddShard("train",
                {{.id = 0, .key = "a", .image = "array", .has_image = false}});
  data.Publish();
  const Status status = Extract(data.path(), data / "tree").status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "no sample has an encoded image, so there are no files to write");
  CHECK(status.where().path == data.path());
  CHECK_FALSE(fs::exists(data / "tree"));
}

TEST_CASE("ExtractDataset writes images and no other field", "[extract]") {
  DiskDataset data;
  data.AddShard("train",
                {{.id = 0, .key = "a", .image = "image", .mask = "m"},
                 {.id = 1, .key = "b", .image = "array", .has_image = false}});
  data.Publish();
  const auto result = Extract(data.path(), data / "tree");
  REQUIRE(result.ok());
  CHECK(result->files == 1);
  CHECK(result->bytes == 5);
  CHECK(result->fields_left == 2);
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"a", "image"}});
}

TEST_CASE("ExtractDataset writes keys of any bytes", "[extract]") {
  const std::string key = "a\n/\"q\"\\\xFF\t.jpg";
  DiskDataset data;
  data.AddShard("train", {KeyedSample(key, "bytes"), KeyedSample("...", "dots"),
                          KeyedSample("..a/b..", "more dots")});
  data.Publish();
  REQUIRE(Extract(data.path(), data / "tree").ok());
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{
            {key, "bytes"}, {"...", "dots"}, {"..a/b..", "more dots"}});
}

TEST_CASE("ExtractDataset refuses every name that could leave the directory",
          "[extract][corruption]") {
  const std::string key = GENERATE(
      as<std::string>{}, "../x", "..", ".", "/tmp/x", "/", "a/../../x",
      "a/../x", "a/..", "a//x", "a/", "./", "./../x", ".//x", "a/./x", "",
      std::string("a\0x", 3), TemporaryName("x"), TemporaryName("a/x"));
  CAPTURE(key);
  DiskDataset data;
  data.AddShard("train", {KeyedSample("good", "1"), KeyedSample(key, "evil")});
  data.Publish();
  const Status status = Extract(data.path(), data / "tree").status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().key == key);
  CHECK(status.where().record == 1u);
  CHECK(Tree(data / "tree").empty());  // names come before the first file
  CHECK_FALSE(fs::exists(data / "x"));
}

TEST_CASE("ExtractDataset overwrites nothing", "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a/1", "one"), KeyedSample("a/2", "two"),
                          KeyedSample("a/3", "three")});
  data.Publish();
  const std::string second = data / "tree/a/2";
  std::string there;
  SECTION("a file") {
    Put(second, "mine");
    there = "mine";
  }
  SECTION("a dangling link") {
    fs::create_directories(data / "tree/a");
    fs::create_symlink(data / "outside", second);
    there = "-> " + (data / "outside");
  }
  SECTION("a link to a file") {
    Put(data / "outside", "theirs");
    fs::create_directories(data / "tree/a");
    fs::create_symlink(data / "outside", second);
    there = "-> " + (data / "outside");
  }
  const bool outside = fs::exists(data / "outside");
  const Status status = Extract(data.path(), data / "tree").status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.where().path == second);
  CHECK(status.where().key == "a/2");
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"a/1", "one"}, {"a/2", there}});
  CHECK(fs::exists(data / "outside") == outside);
}

// semantics review 15.
TEST_CASE("ExtractDataset fails on a folder under a file's name", "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a", "one"), KeyedSample("a/b", "two")});
  data.Publish();
  const Status status = Extract(data.path(), data / "tree").status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK_THAT(status.message(),
             Catch::Contains("would be a file and a folder of one name"));
  CHECK(Tree(data / "tree").empty());
}

TEST_CASE("ExtractDataset does not write the same key twice", "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a", "one"), KeyedSample("a", "two")});
  data.Publish();
  const Status status = Extract(data.path(), data / "tree").status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(Tree(data / "tree").empty());
  // The second is no newer edition of the first.
  CHECK(Extract(data.path(), data / "tree", true).status().code() ==
        Code::kAlreadyExists);
}

TEST_CASE("ExtractDataset keeps what an interrupted run wrote", "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a/1", "one"), KeyedSample("a/2", "two"),
                          KeyedSample("b/3", "three")});
  data.Publish();
  std::stop_source stop;
  const auto stopped =
      ExtractDataset({.dataset = data.path(), .directory = data / "tree"},
                     {.progress =
                          [&](const Progress& progress) {
                            CHECK(progress.samples_total == 3);
                            if (progress.samples == 2) stop.request_stop();
                          },
                      .stop = stop.get_token()});
  CHECK(stopped.status().code() == Code::kCancelled);
  CHECK(Tree(data / "tree").size() == 2);
  const auto resumed = Extract(data.path(), data / "tree");
  REQUIRE(resumed.status().ToString() == "OK");
  CHECK(resumed->kept == 2);
  CHECK(resumed->files == 1);
  CHECK(resumed->bytes == 5);
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{
            {"a/1", "one"}, {"a/2", "two"}, {"b/3", "three"}});
}

TEST_CASE("ExtractDataset replaces what is there when asked to", "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a", "one"), KeyedSample("b", "two"),
                          KeyedSample("c", "three")});
  data.Publish();
  Put(data / "outside", "theirs");
  Put(data / "tree/a", "one");  // equal
  Put(data / "tree/b", "TWO");  // of equal size
  fs::create_symlink(data / "outside", data / "tree/c");
  CHECK(Extract(data.path(), data / "tree").status().where().key == "b");
  const auto replaced = Extract(data.path(), data / "tree", true);
  REQUIRE(replaced.status().ToString() == "OK");
  CHECK(replaced->kept == 1);
  CHECK(replaced->files == 2);
  CHECK(Tree(data / "tree") == std::map<std::string, std::string>{
                                   {"a", "one"}, {"b", "two"}, {"c", "three"}});
  CHECK(Tree(data / "")["outside"] == "theirs");
}

// semantics review 20.
TEST_CASE("ExtractDataset replaces no file that it has written itself",
          "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("x/A.jpg", "one"),
                          KeyedSample("x/a.jpg", "another")});
  data.Publish();
  FoldingStorage folding;
  // A file of an earlier run is replaced; one that this run keeps is not.
  const std::string there = GENERATE("", "old", "one", "another");
  CAPTURE(there);
  if (!there.empty()) Put(data / "tree/x/a.JPG", there);
  const Status status =
      Extract(data.path(), data / "tree", true, {.storage = &folding}).status();
  const std::string first = there.empty() ? "A.jpg" : "a.JPG";
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.where().key == "x/a.jpg");
  CHECK(status.where().path == data / "tree/x/a.jpg");
  CHECK_THAT(status.message(),
             Catch::StartsWith("is the same file as " + first +
                               ", which holds another sample"));
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"x/" + first, "one"}});
  // Names that differ are told apart.
  CHECK(Extract(data.path(), data / "elsewhere", true)->files == 2);
}

TEST_CASE("ExtractDataset keeps no file for two names of equal contents",
          "[extract]") {
  const bool overwrite = GENERATE(false, true);
  DiskDataset data;
  data.AddShard("train",
                {KeyedSample("A.jpg", "one"), KeyedSample("a.jpg", "one")});
  data.Publish();
  FoldingStorage folding;
  const Status status =
      Extract(data.path(), data / "tree", overwrite, {.storage = &folding})
          .status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK_THAT(status.message(),
             Catch::StartsWith("is the same file as A.jpg, which"));
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"A.jpg", "one"}});
  // A file system that tells them apart has both.
  REQUIRE(Extract(data.path(), data / "apart", overwrite).ok());
  CHECK(Tree(data / "apart") ==
        std::map<std::string, std::string>{{"A.jpg", "one"}, {"a.jpg", "one"}});
}

TEST_CASE("ExtractDataset replaces each of several names of one file",
          "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a", "one"), KeyedSample("b", "two")});
  data.Publish();
  Put(data / "tree/a", "old");
  fs::create_hard_link(data / "tree/a", data / "tree/b");
  fs::create_symlink(data / "tree/a", data / "tree/c");
  REQUIRE(Extract(data.path(), data / "tree", true)->files == 2);
  CHECK(Tree(data / "tree")["a"] == "one");
  CHECK(Tree(data / "tree")["b"] == "two");
}

TEST_CASE("ExtractDataset writes no damaged image", "[extract][corruption]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a", "one"), KeyedSample("b", "two")});
  data.Publish();
  data.Flip("train-0.rec", 8);
  const Status status = Extract(data.path(), data / "tree").status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().record == 1u);
  CHECK(status.where().key == "b");
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"a", "one"}});
}

TEST_CASE("ExtractDataset creates nothing for what is no dataset",
          "[extract]") {
  DiskDataset data;
  CHECK(Extract(data / "nowhere", data / "tree").status().code() ==
        Code::kNotFound);
  CHECK_FALSE(fs::exists(data / "tree"));
}

TEST_CASE("ExtractDataset writes through no file or link of others",
          "[extract][corruption]") {
  DiskDataset data;
  const std::string longest(255, 'n');
  data.AddShard("train",
                {KeyedSample("a/1", "one"), KeyedSample("a/" + longest, "two"),
                 KeyedSample("a/.x.tmp", "three")});
  data.Publish();
  fs::create_directories(data / "tree/a");
  // The owner's files, and the rest of a killed extract, here a link to his
  // file.
  Put(data / "tree/a/.1.tmp", "mine");
  Put(data / "mine", "mine");
  fs::create_symlink(data / "mine", TemporaryName(data / "tree/a/1"));
  REQUIRE(Extract(data.path(), data / "tree").status().ToString() == "OK");
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"a/.1.tmp", "mine"},
                                           {"a/.x.tmp", "three"},
                                           {"a/1", "one"},
                                           {"a/" + longest, "two"}});
  CHECK(Tree(data / "").at("mine") == "mine");
}

TEST_CASE("ExtractDataset refuses a folder that another run works on",
          "[extract]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a/1", "one")});
  data.Publish();
  const auto lock = FolderLock::Take(LocalStorage(), data / "tree");
  REQUIRE(lock.ok());
  CHECK(Extract(data.path(), data / "tree").status().code() ==
        Code::kAlreadyExists);
}

}  // namespace
}  // namespace shardine::extract_test
