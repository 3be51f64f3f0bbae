#include "shardine/source_list_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "support/temp_directory.h"

namespace shardine::source_list_file_test {
namespace {

// A tree on disk: a/1.jpg, a/2.jpg, b/3.jpg.
struct Fixture {
  Fixture() {
    for (const char* key : {"a/1.jpg", "a/2.jpg", "b/3.jpg"}) Put(key);
    options.source.folders = {{"train", directory / "t"}};
  }

  void Put(const std::string& key) {
    const std::string path = directory / ("t/" + key);
    Storage& storage = LocalStorage();
    REQUIRE(storage.CreateDirectories(DirectoryOf(path)).ok());
    REQUIRE(WriteFileAtomically(storage, path, AsBytes("bytes")).ok());
  }
  std::string Read(const std::string& name) {
    const auto text = ReadFile(LocalStorage(), directory / name, 1 << 20);
    return text.ok() ? *text : text.status().message();
  }
  SourceListResult Write() {
    const auto result = WriteSourceList(options);
    INFO(result.status().ToString());
    REQUIRE(result.ok());
    return *result;
  }

  TempDirectory directory;
  SourceListOptions options;
};

const std::string kList = "0\t0\ta/1.jpg\n1\t0\ta/2.jpg\n2\t1\tb/3.jpg\n";

TEST_CASE("WriteSourceList writes a file in id order", "[source_list_file]") {
  Fixture fixture;
  fixture.options.output = fixture.directory / "out.lst";
  const SourceListResult result = fixture.Write();
  CHECK(fixture.Read("out.lst") == kList);
  CHECK(result.samples == 3);
  CHECK(result.classes == 2);
  REQUIRE(result.files.size() == 1);
  CHECK(result.files[0].path == fixture.options.output);
  CHECK(result.files[0].samples == 3);

  // A list as the source comes out in id order, too.
  REQUIRE(WriteFileAtomically(LocalStorage(), fixture.directory / "in.lst",
                              AsBytes("5\t7\tb/3.jpg\n4\t0.5\ta/1.jpg\n"))
              .ok());
  fixture.options.source.list = fixture.directory / "in.lst";
  fixture.Write();
  CHECK(fixture.Read("out.lst") == "4\t0.5\ta/1.jpg\n5\t7\tb/3.jpg\n");
}

TEST_CASE("WriteSourceList gives the text to a sink", "[source_list_file]") {
  Fixture fixture;
  std::string text;
  fixture.options.sink = [&text](std::string_view piece) {
    text += piece;
    return Status();
  };
  CHECK(fixture.Write().files.at(0).path.empty());
  CHECK(text == kList);
  fixture.options.sink = [](std::string_view) {
    return Status(Code::kIo, "closed");
  };
  CHECK(WriteSourceList(fixture.options).status().message() == "closed");
}

TEST_CASE("WriteSourceList writes one file per split", "[source_list_file]") {
  Fixture fixture;
  fixture.options.output = fixture.directory / "a.b/out.lst";
  REQUIRE(LocalStorage().CreateDirectories(fixture.directory / "a.b").ok());
  fixture.options.per_split = true;
  fixture.options.source.folders = {{"train", fixture.directory / "t"},
                                    {"val", fixture.directory / "t"}};
  const SourceListResult result = fixture.Write();
  CHECK(fixture.Read("a.b/out_train.lst") == kList);
  CHECK(fixture.Read("a.b/out_val.lst") ==
        "3\t0\ta/1.jpg\n4\t0\ta/2.jpg\n5\t1\tb/3.jpg\n");
  REQUIRE(result.files.size() == 2);
  CHECK(result.files[1].split == "val");
  CHECK(result.files[1].samples == 3);

  fixture.options.output = fixture.directory / "a.b/plain";
  fixture.Write();
  CHECK(fixture.Read("a.b/plain_train") == kList);
}

TEST_CASE("WriteSourceList counts what is left out by reason",
          "[source_list_file]") {
  Fixture fixture;
  fixture.Put("a/x.txt");
  fixture.Put("a/y.txt");
  fixture.Put(".hidden/z.jpg");
  std::filesystem::create_symlink("nowhere", fixture.directory / "t/b/4.jpg");
  fixture.options.output = fixture.directory / "out.lst";
  const SourceListResult result = fixture.Write();
  REQUIRE(result.ignored.size() == 2);
  CHECK(result.ignored[0].reason == "hidden");
  CHECK(result.ignored[1].reason == "not-an-image-suffix");
  CHECK(result.ignored[1].count == 2);
  REQUIRE(result.bad.size() == 1);
  CHECK(result.bad[0].reason == "dangling-link");
  CHECK(fixture.Read("out.lst") == kList);
}

TEST_CASE("WriteSourceList leaves no file for a key that no line holds",
          "[source_list_file]") {
  Fixture fixture;
  fixture.Put("b/new\nline.jpg");
  fixture.options.output = fixture.directory / "out.lst";
  const Status status = WriteSourceList(fixture.options).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().key == "b/new\nline.jpg");
  CHECK_FALSE(LocalStorage().Stat(fixture.options.output).ok());
}

TEST_CASE("WriteSourceList needs a file name for lists per split",
          "[source_list_file]") {
  Fixture fixture;
  fixture.options.sink = [](std::string_view) { return Status(); };
  fixture.options.per_split = true;
  CHECK(WriteSourceList(fixture.options).status().code() ==
        Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::source_list_file_test
