#include "io/staged_files.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "io/local_storage.h"
#include "shardine/environment.h"
#include "support/temp_directory.h"

namespace shardine::staged_files_test {
namespace {

// TMPDIR while it lives.
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const std::string& path) {
    const char* const text = std::getenv("TMPDIR");
    if (text != nullptr) before_ = text;
    ::setenv("TMPDIR", path.c_str(), 1);
    Environment::Read();
  }
  ~TemporaryPlace() {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
    Environment::Read();
  }

 private:
  std::optional<std::string> before_;
};

std::string TextOf(const std::shared_ptr<StagedFile>& file) {
  const auto open = OpenStaged(file);
  REQUIRE(open.ok());
  std::string text((*open)->size(), ' ');
  REQUIRE(
      (*open)->ReadExactly(0, std::as_writable_bytes(std::span(text))).ok());
  return text;
}

TEST_CASE("A staged file holds what was appended, under no name", "[io]") {
  const TempDirectory folder;
  const TemporaryPlace own(folder.path());
  StagedFiles files;
  const auto file = files.Make("s3://b/x/.a.tmp");
  REQUIRE(file.ok());
  CHECK(std::filesystem::is_empty(folder.path()));
  REQUIRE((*file)->Append(AsBytes("one ")).ok());
  REQUIRE((*file)->Append(AsBytes("two")).ok());
  CHECK(TextOf(*file) == "one two");
  const auto size = (*file)->size();
  REQUIRE(size.ok());
  CHECK(*size == 7);
  // Another library of the process writes to it by the path.
  const auto native = LocalStorage().OpenForAppend((*file)->native_path());
  REQUIRE(native.ok());
  REQUIRE((*native)->Append(AsBytes("!")).ok());
  CHECK(TextOf(files.Find("s3://b/x/.a.tmp")) == "one two!");
  // Made again, it is empty.
  REQUIRE(files.Make("s3://b/x/.a.tmp").ok());
  CHECK(TextOf(*file).empty());
}

TEST_CASE("Staged files are found by their folder", "[io]") {
  StagedFiles files;
  for (const std::string path : {"s3://b/x/1", "s3://b/x/2", "s3://b/x/y/3",
                                 "s3://b/xx/4", "s3://b/5"}) {
    REQUIRE(files.Make(path).ok());
  }
  CHECK(files.NamesIn("s3://b/x") == std::vector<std::string>{"1", "2"});
  CHECK(files.NamesIn("s3://b") == std::vector<std::string>{"5"});
  CHECK(files.Remove("s3://b/x/1"));
  CHECK_FALSE(files.Remove("s3://b/x/1"));
  CHECK(files.Find("s3://b/x/1") == nullptr);
  CHECK(files.NamesIn("s3://b/x") == std::vector<std::string>{"2"});
}

TEST_CASE("Where no file can be staged, the folder is named", "[io]") {
  const TemporaryPlace own("/no/such/folder");
  StagedFiles files;
  const auto file = files.Make("s3://b/x");
  REQUIRE_FALSE(file.ok());
  CHECK(file.status().message().find("/no/such/folder") != std::string::npos);
  CHECK(file.status().where().path == "s3://b/x");
}

}  // namespace
}  // namespace shardine::staged_files_test
