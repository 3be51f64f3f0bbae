#include "im2rec/left_out.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/fault_storage.h"
#include "unit/im2rec/list_fixture.h"

namespace shardine::left_out_test {
namespace {

using nlohmann::json;

std::vector<json> ReportIn(MemoryStorage& storage) {
  std::vector<json> lines;
  const std::string report = PackedIn(storage).report;
  for (std::size_t at = 0; at < report.size();) {
    const std::size_t end = report.find('\n', at);
    REQUIRE(end != std::string::npos);
    lines.push_back(json::parse(report.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

TEST_CASE("What cannot be packed is left out, and told of with its reason",
          "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/in/a", "a");
  storage.Put("/in/folder/x", "");
  storage.PutSparse("/in/huge", std::uint64_t{1} << 29);
  storage.Put("/out/a.lst",
              "1\t0\ta\n\n2\t0\tnone\n3\t0\tfolder\nx\t0\ta\n4\t0\thuge\n"
              "5\t0\ta\n");
  const auto packed = PackList(storage, PackingOf(OnBad::kSkip));
  REQUIRE(packed.ok());
  CHECK(packed->records == 2);
  CHECK(packed->rejected == 4);
  CHECK(PackedIn(storage).idx == "1\t0\n5\t36\n");
  const std::vector<json> lines = ReportIn(storage);
  REQUIRE(lines.size() == 4);
  const std::vector<json> expected = {{{"action", "skip"},
                                       {"id", 2},
                                       {"key", "none"},
                                       {"line", 3},
                                       {"reason", "missing"}},
                                      {{"action", "skip"},
                                       {"id", 3},
                                       {"key", "folder"},
                                       {"line", 4},
                                       {"reason", "not-a-file"}},
                                      {{"action", "skip"},
                                       {"key", "x\t0\ta"},
                                       {"line", 5},
                                       {"reason", "malformed-line"}},
                                      {{"action", "skip"},
                                       {"id", 4},
                                       {"key", "huge"},
                                       {"line", 6},
                                       {"reason", "too-large"}}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    json line = lines[i];
    CHECK_FALSE(line["detail"].get<std::string>().empty());
    line.erase("detail");
    if (i == 2) line["key"] = "x\t0\ta";  // its tabs are escaped
    CHECK(line == expected[i]);
  }
  CHECK(lines[2]["key"] == "x\\x090\\x09a");
}

TEST_CASE("An image that does not decode is left out for the decoder's reason",
          "[im2rec]") {
  MemoryStorage storage;
  const auto why = [&](const Status& status) {
    return LeftOutFor(storage, "/in/a", status);
  };
  const auto damaged = why(Status(Code::kCorrupt, "truncated: 12 bytes short")
                               .At({.path = "/in/a", .offset = 7}));
  REQUIRE(damaged);
  CHECK(damaged->reason == "truncated");
  CHECK(damaged->detail == "byte 7: 12 bytes short");
  const auto shrank = why(Status(Code::kCorrupt, "file ends early: at 3"));
  REQUIRE(shrank);
  CHECK(shrank->reason == "unreadable");
  CHECK(shrank->detail == "file ends early: at 3");
}

TEST_CASE("Only what is one file's own fault is left out", "[im2rec]") {
  struct Case {
    int error;
    const char* reason;  // null: the run fails
  };
  const Case refused =
      GENERATE(Case{EACCES, "unreadable"}, Case{EIO, "unreadable"},
               Case{ELOOP, "link-loop"}, Case{EMFILE, nullptr},
               Case{ENOMEM, nullptr}, Case{ENOTCONN, nullptr});
  MemoryStorage memory;
  PutImages(memory, 3);
  // The list is opened first, then images, one by one.
  FaultStorage storage(
      memory,
      {.operation = Operation::kOpen, .call = 2, .error = refused.error});
  const auto packed = PackList(storage, PackingOf(OnBad::kSkip));
  REQUIRE(storage.struck());
  INFO(refused.error);
  CHECK(packed.ok() == (refused.reason != nullptr));
  if (!refused.reason) return;
  REQUIRE(packed.ok());
  const std::vector<json> lines = ReportIn(memory);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["reason"] == refused.reason);
}

TEST_CASE("A list of which nothing is left fails", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/out/a.lst", "0 0 a\n1 0 b\n");
  const Status status = PackList(storage, PackingOf(OnBad::kSkip)).status();
  CHECK(status.code() == Code::kFailed);
  CHECK(status.message() ==
        "none of its 2 lines is an image that can be packed");
  CHECK_FALSE(storage.Get("/out/a.rec").ok());
}

TEST_CASE("A report goes with the .rec that it told of", "[im2rec]") {
  MemoryStorage storage;
  PutImages(storage, 3);
  storage.Put("/out/a.rec.rejected.jsonl", "of an older run");
  REQUIRE(PackList(storage, PackingOf(OnBad::kSkip)).ok());
  CHECK_FALSE(storage.Get("/out/a.rec.rejected.jsonl").ok());
}

}  // namespace
}  // namespace shardine::left_out_test
