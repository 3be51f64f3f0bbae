#include "conformance/expected_files.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "support/temp_directory.h"

namespace shardine::expected_files_test {
namespace {

using Faults = std::vector<std::string>;

// A folder with one file and its line.
class Folder {
 public:
  Folder() {
    for (const char* name : {"README.md", "make.py", "a.x"}) Put(name, "");
    Put("expected.tsv", "a.x\tlayout\tx\n");
  }
  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(temp_ / name) << text;
  }
  Faults faults() const { return FolderFaults(temp_ / ""); }

 private:
  TempDirectory temp_;
};

TEST_CASE("A folder whose files are all listed has no fault", "[conformance]") {
  CHECK(Folder().faults() == Faults());
}

TEST_CASE("A folder that is empty, or is none, is a fault", "[conformance]") {
  const TempDirectory temp;
  CHECK(FolderFaults(temp / "") ==
        Faults({"no line in an expected.tsv", "README.md is not there",
                "expected.tsv is not there", "make.py is not there"}));
  CHECK(FolderFaults(temp / "none").at(1) == "no such folder");
  const Folder folder;
  folder.Put("expected.tsv", "\n");
  CHECK(folder.faults() ==
        Faults({"no line in an expected.tsv", "no line names a.x"}));
}

TEST_CASE("A file that no line names is a fault, and one that is not there",
          "[conformance]") {
  const Folder folder;
  folder.Put("b.idx", "");
  CHECK(folder.faults() == Faults({"no line names b.idx"}));
  folder.Put("expected.tsv", "a.x\tcompanion\tb.idx\n");
  CHECK(folder.faults() == Faults());
  folder.Put("expected.tsv", "a.x\tcompanion\tb.idx\nc.x\tlayout\tx\n");
  CHECK(folder.faults() == Faults({"c.x is not there"}));
}

TEST_CASE("A line with too few cells or of no known kind is a fault",
          "[conformance]") {
  const Folder folder;
  for (const char* line : {"a.x", "a.x\tlayout", "a.x\tlayout\tx\ty",
                           "a.x\terror\tcorrupt\t0\t-\t-", "a.x\tlayuot\tx"}) {
    folder.Put("expected.tsv", std::string(line) + "\n");
    INFO(line);
    CHECK(folder.faults() == Faults({"a line of another shape about a.x"}));
  }
}

}  // namespace
}  // namespace shardine::expected_files_test
