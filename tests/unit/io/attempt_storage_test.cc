// Several attempts at the same work, in one storage.
#include "io/attempt_storage.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>

#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/temp_directory.h"

namespace shardine::attempt_storage_test {
namespace {

TEST_CASE("Attempts do not touch each other's unfinished files",
          "[io][attempt]") {
  MemoryStorage below;
  REQUIRE(below.CreateDirectories("d").ok());
  AttemptStorage one(below, "one");
  AttemptStorage other(below, "other");
  const std::string path = TemporaryName("d/x");
  const auto first = one.Create(path);
  const auto second = other.Create(path);
  REQUIRE((first.ok() && second.ok()));
  REQUIRE((*first)->Append(AsBytes("first")).ok());
  REQUIRE((*second)->Append(AsBytes("other")).ok());
  CHECK(*ReadFile(one, path, 10) == "first");
  CHECK(*ReadFile(other, path, 10) == "other");
  CHECK_FALSE(below.Stat(path).ok());
  // A sweep finds both.
  const auto entries = below.List("d");
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 2);
  for (const DirEntry& entry : *entries) CHECK(IsTemporaryName(entry.name));
  REQUIRE(one.Remove(path).ok());
  CHECK(one.Stat(path).status().code() == Code::kNotFound);
  CHECK(*ReadFile(other, path, 10) == "other");
}

TEST_CASE("Writers of one file without a lock publish whole files (review 11)",
          "[io][attempt]") {
  MemoryStorage below;
  REQUIRE(below.CreateDirectories("d").ok());
  OwnAttempt one(below, "d/x");
  OwnAttempt other(below, "d/x");
  auto first = AtomicFile::Create(one, "d/x");
  auto second = AtomicFile::Create(other, "d/x");
  REQUIRE((first.ok() && second.ok()));
  REQUIRE(first->Append(AsBytes("AAAA")).ok());
  REQUIRE(second->Append(AsBytes("BBBB first half")).ok());
  CHECK(first->Publish().ok());
  CHECK(*ReadFile(below, "d/x", 100) == "AAAA");
  REQUIRE(second->Append(AsBytes(", second half")).ok());
  CHECK(second->Publish().ok());
  CHECK(*ReadFile(below, "d/x", 100) == "BBBB first half, second half");
  CHECK(below.List("d")->size() == 1);
}

TEST_CASE("What a kill left of an attempt goes after an hour",
          "[io][attempt]") {
  const TempDirectory directory;
  Storage& local = LocalStorage();
  const std::string path = directory / "x";
  const std::string left = TemporaryName(path + ".0123");
  const std::string other = TemporaryName(directory / "y.0123");
  const auto write = [&](const std::string& name) {
    REQUIRE(local.Create(name).ok());
  };
  write(left);
  write(other);
  { const OwnAttempt own(local, path); }
  CHECK(local.Stat(left).ok());
  const auto old =
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  std::filesystem::last_write_time(left, old);
  std::filesystem::last_write_time(other, old);
  { const OwnAttempt own(local, path); }
  CHECK_FALSE(local.Stat(left).ok());
  CHECK(local.Stat(other).ok());
}

TEST_CASE("Names that are cut are an attempt's own, too", "[io][attempt]") {
  MemoryStorage below;
  AttemptStorage one(below, "one");
  AttemptStorage other(below, "other");
  const std::string path = TemporaryName(std::string(255, 'n'));
  REQUIRE(one.Create(path).ok());
  REQUIRE(other.Create(path).ok());
  const auto entries = below.List("/");
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 2);
  for (const DirEntry& entry : *entries) {
    CHECK(IsTemporaryName(entry.name));
    CHECK(entry.name.size() <= 255);
  }
}

TEST_CASE("A name that is taken by the same bytes is no failure",
          "[io][attempt]") {
  MemoryStorage below;
  AttemptStorage one(below, "one");
  AttemptStorage other(below, "other");
  REQUIRE(WriteNewFileAtomically(one, "x", AsBytes("same")).ok());
  CHECK(WriteNewFileAtomically(other, "x", AsBytes("same")).ok());
  CHECK(below.List("/")->size() == 1);
  const Status different = WriteNewFileAtomically(other, "x", AsBytes("else"));
  CHECK(different.code() == Code::kAlreadyExists);
  CHECK(different.where().path == "x");
  CHECK(*below.Get("x") == "same");
  CHECK(WriteNewFileAtomically(other, "x", AsBytes("longer")).code() ==
        Code::kAlreadyExists);
  CHECK(below.List("/")->size() == 1);
  CHECK(WriteFileAtomically(other, "x", AsBytes("else")).ok());
  CHECK(*below.Get("x") == "else");
}

// A server that does each request, and answers that it could not find it.
class LosesAnswers : public AttemptStorage {
 public:
  explicit LosesAnswers(Storage& below) : AttemptStorage(below, "x") {}
  Status Rename(const std::string& from, const std::string& to) override {
    const Status moved = AttemptStorage::Rename(from, to);
    return moved.ok() ? Status::FromErrno(2, "rename", from) : moved;
  }
};

TEST_CASE("A rename whose answer was lost is known by the file",
          "[io][attempt]") {
  MemoryStorage below;
  LosesAnswers server(below);
  AttemptStorage attempt(server, "one");
  CHECK(WriteFileAtomically(attempt, "x", AsBytes("bytes")).ok());
  CHECK(*below.Get("x") == "bytes");
  CHECK(WriteNewFileAtomically(attempt, "y", AsBytes("bytes")).ok());
  // Nothing was renamed there, and the name belongs to another file.
  CHECK(attempt.Rename("gone", "x").code() == Code::kNotFound);
}

TEST_CASE("Files are compared to their last byte", "[io][attempt]") {
  MemoryStorage storage;
  const std::string large(3 << 20, 'x');
  storage.Put("a", large);
  storage.Put("b", large);
  CHECK(*HaveSameBytes(storage, "a", "b"));
  storage.Put("b", large.substr(1) + "y");
  CHECK_FALSE(*HaveSameBytes(storage, "a", "b"));
  storage.Put("b", large + "x");
  CHECK_FALSE(*HaveSameBytes(storage, "a", "b"));
  CHECK_FALSE(HaveSameBytes(storage, "a", "c").ok());
}

}  // namespace
}  // namespace shardine::attempt_storage_test
