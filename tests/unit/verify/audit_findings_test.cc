// Counts and omissions of images that were compared two by two.

#include "verify/audit_findings.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shardine/source.h"
#include "source/source_set.h"

namespace shardine::audit_findings_test {
namespace {

// Files by split and name, which are one another's copies as `pairs` say.
class Fixture {
 public:
  explicit Fixture(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) storage_.Put(path, "image " + path);
    SourceOptions options;
    options.unlabelled = true;
    auto folders = ParseSourceArguments({"test=test", "train=train"});
    REQUIRE(folders.ok());
    options.folders = *std::move(folders);
    auto files = LoadSource(storage_, options);
    REQUIRE(files.status().ToString() == "OK");
    files_ = *std::move(files);
  }

  void Find(const std::vector<LikePair>& pairs) {
    const Status listed =
        copies_.FindFiles(storage_, files_, PositionsOf(pairs));
    REQUIRE(listed.ToString() == "OK");
    const AuditFindings::Visit visit = [&](const CopiedImage& image) {
      std::string text;
      for (std::size_t i = 0; i < image.samples.size(); ++i) {
        text += (i > 0 && i == image.second ? " / " : " ");
        text += image.samples[i].key.substr(0, 1);
      }
      shown_.push_back(text.substr(1));
      return Status();
    };
    AuditFindings findings(copies_, visit, result_);
    REQUIRE(findings.AddCopies().ok());
    REQUIRE(findings.AddNear(pairs).ok());
    left_out_ = findings.LeftOut();
  }

  const AuditResult& result() const { return result_; }
  const std::vector<std::string>& shown() const { return shown_; }
  const std::vector<bool>& left_out() const { return left_out_; }

 private:
  MemoryStorage storage_;
  SourceSet files_;
  ImageCopies copies_;
  AuditResult result_;
  std::vector<std::string> shown_;
  std::vector<bool> left_out_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("Images that are alike through a third one are no finding",
          "[audit_findings]") {
  Fixture found({"test/a.jpg", "train/b.jpg", "train/c.jpg", "train/d.jpg"});
  found.Find({{.first = 0, .second = 1}, {.first = 1, .second = 2}});
  CHECK(found.shown() == Texts{"a / b", "b / c"});
  CHECK(found.result().near_pairs == 2);
  CHECK(found.result().near_leaking == 1);
  CHECK(found.result().near_duplicates == 1);
  REQUIRE(found.result().near_splits.size() == 1);
  CHECK(ToString(found.result().near_splits[0]) ==
        "1 of 1 test samples are in train");
  // c stays: it was compared with none that does.
  CHECK(found.left_out() == std::vector<bool>{false, true, false, false});
}

TEST_CASE("A sample that several are like is counted once",
          "[audit_findings]") {
  Fixture found({"test/a.jpg", "train/b.jpg", "train/c.jpg", "train/d.jpg"});
  found.Find({{.first = 0, .second = 1},
              {.first = 0, .second = 2},
              {.first = 1, .second = 2}});
  CHECK(found.result().near_pairs == 3);
  CHECK(found.result().near_splits[0].copies == 1);
  CHECK(found.result().near_duplicates == 1);
  CHECK(found.left_out() == std::vector<bool>{false, true, true, false});
}

TEST_CASE("Images of the same pixels are one, whatever was compared",
          "[audit_findings]") {
  Fixture found({"test/a.jpg", "train/b.jpg", "train/c.jpg", "train/d.jpg"});
  found.Find({{.first = 0, .second = 1, .kind = CopyKind::kPixels},
              {.first = 1, .second = 2, .kind = CopyKind::kPixels},
              {.first = 2, .second = 3}});
  CHECK(found.shown() == Texts{"a b c", "a b c / d"});
  CHECK(found.result().same_pixels == 1);
  CHECK(found.result().near_pairs == 1);
  CHECK(found.result().near_duplicates == 2);
  CHECK(found.left_out() == std::vector<bool>{false, true, true, true});
}

}  // namespace shardine::audit_findings_test
