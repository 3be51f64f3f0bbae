#include "shardine/status.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"

namespace shardine::status_test {
namespace {

Status Damaged() { return Status(Code::kCorrupt, "bad CRC"); }

TEST_CASE("Status is ok until it is given a failure", "[status]") {
  const Status ok;
  CHECK(ok.ok());
  CHECK(ok.code() == Code::kOk);
  CHECK(ok.message().empty());
  CHECK(ok.where().path.empty());
  CHECK(ok.system_error() == 0);
  CHECK(ok.ToString() == "OK");
  const Status failed = Damaged();
  CHECK_FALSE(failed.ok());
  CHECK(failed.code() == Code::kCorrupt);
  CHECK(failed.message() == "bad CRC");
  CHECK(failed.system_error() == 0);
}

TEST_CASE("Status words an errno and keeps its number", "[status]") {
  const Status status = Status::FromErrno(ENOSPC, "write", "d/a.rec");
  CHECK(status.code() == Code::kIo);
  CHECK(status.system_error() == ENOSPC);
  CHECK(status.message() == "write: no space left on the disk");
  CHECK(status.where().path == "d/a.rec");
  CHECK(status.ToString() == "d/a.rec: write: no space left on the disk");
}

TEST_CASE("Status tells missing and existing files by their code", "[status]") {
  CHECK(Status::FromErrno(ENOENT, "open", "a").code() == Code::kNotFound);
  CHECK(Status::FromErrno(EEXIST, "open", "a").code() == Code::kAlreadyExists);
  CHECK(Status::FromErrno(EIO, "open", "a").code() == Code::kIo);
  CHECK(Status::FromErrno(ENOENT, "open", "a").system_error() == ENOENT);
}

TEST_CASE("Annotate fills in what is unknown and keeps what is known",
          "[status]") {
  Status status = Damaged();
  status.Annotate({.record = 3});
  status.Annotate({.path = "inner", .record = 9, .key = "k"});
  status.Annotate({.path = "outer", .offset = 7, .record = 1, .key = "other"});
  CHECK(status.where().path == "inner");
  CHECK(status.where().offset == 7);
  CHECK(status.where().record == 3);
  CHECK(status.where().key == "k");
  CHECK(status.message() == "bad CRC");
}

TEST_CASE("Annotate knows zero and the empty key from unknown", "[status]") {
  Status status = Damaged();
  status.Annotate({.offset = 0, .record = 0, .key = ""});
  status.Annotate({.offset = 5, .record = 5, .key = "k"});
  CHECK(status.where().offset == 0);
  CHECK(status.where().record == 0);
  CHECK(status.where().key == "");
}

TEST_CASE("Annotate leaves an ok Status ok", "[status]") {
  Status ok;
  ok.Annotate({.path = "a"});
  CHECK(ok.ok());
  CHECK(ok.where().path.empty());
  CHECK(Status().At({.path = "a"}).ok());
}

TEST_CASE("ToString names the parts that are known", "[status]") {
  const auto text = [](const Where& where) {
    return Damaged().At(where).ToString();
  };
  CHECK(text({}) == "bad CRC");
  CHECK(text({.path = "p"}) == "p: bad CRC");
  CHECK(text({.offset = 120}) == "byte 120: bad CRC");
  CHECK(text({.record = 3}) == "record 3: bad CRC");
  CHECK(text({.key = "k"}) == "key k: bad CRC");
  CHECK(text({.path = "p", .offset = 120}) == "p: byte 120: bad CRC");
  CHECK(text({.offset = 120, .record = 3}) == "record 3, byte 120: bad CRC");
  CHECK(text({.record = 3, .key = "k"}) == "record 3 (key k): bad CRC");
  CHECK(text({.offset = 1, .key = "k"}) == "key k, byte 1: bad CRC");
  CHECK(text({.path = "p", .offset = 120, .record = 3, .key = "n01/a.jpg"}) ==
        "p: record 3 (key n01/a.jpg), byte 120: bad CRC");
}

TEST_CASE("ToString escapes paths and keys", "[status]") {
  const Status status = Damaged().At({.path = "a\nb", .key = "k\xFF\\"});
  CHECK(status.ToString() == "a\\x0Ab: key k\\xFF\\x5C: bad CRC");
}

TEST_CASE("Copies of a Status are deep", "[status]") {
  const Status original = Damaged();
  Status copy = original;
  copy.Annotate({.path = "a"});
  CHECK(original.where().path.empty());
  CHECK(copy.where().path == "a");
  Status assigned;
  assigned = copy;
  copy.Annotate({.record = 1});
  CHECK(assigned.where().path == "a");
  CHECK_FALSE(assigned.where().record);
  const Status& self = assigned;
  assigned = self;
  CHECK(assigned.message() == "bad CRC");
  assigned = Status();
  CHECK(assigned.ok());
}

TEST_CASE("A moved Status carries the failure along", "[status]") {
  Status from = Damaged();
  const Status to = std::move(from);
  CHECK(to.message() == "bad CRC");
}

TEST_CASE("Result holds a value or the reason why not", "[status]") {
  Result<std::string> value(std::string("v"));
  CHECK(value.ok());
  CHECK(value.status().ok());
  CHECK(*value == "v");
  CHECK(value->size() == 1);
  *value = "w";
  CHECK(*std::as_const(value) == "w");
  const Result<std::string> failure(Damaged());
  CHECK_FALSE(failure.ok());
  CHECK(failure.status().code() == Code::kCorrupt);
}

TEST_CASE("Result moves values that cannot be copied", "[status]") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = *std::move(result);
  CHECK(*taken == 5);
  Result<std::unique_ptr<int>> failure(Damaged());
  CHECK(std::move(failure).status().message() == "bad CRC");
}

Status FailIf(bool fail) { return fail ? Damaged() : Status(); }
Result<std::unique_ptr<int>> MakeUnless(bool fail) {
  if (fail) return Damaged();
  return std::make_unique<int>(5);
}

Result<int> UseMacros(bool fail_first, bool fail_second, int& steps) {
  SHARDINE_RETURN_IF_ERROR(FailIf(fail_first));
  ++steps;
  SHARDINE_ASSIGN_OR_RETURN(const auto made, MakeUnless(fail_second));
  ++steps;
  return *made;
}

TEST_CASE("The macros return the first failure and go on otherwise",
          "[status]") {
  int steps = 0;
  CHECK(*UseMacros(false, false, steps) == 5);
  CHECK(steps == 2);
  CHECK(UseMacros(true, false, steps).status().code() == Code::kCorrupt);
  CHECK(steps == 2);
  CHECK(UseMacros(false, true, steps).status().code() == Code::kCorrupt);
  CHECK(steps == 3);
}

}  // namespace
}  // namespace shardine::status_test
