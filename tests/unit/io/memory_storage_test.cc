#include "io/memory_storage.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "unit/io/storage_worlds.h"

namespace shardine::memory_storage_test {
namespace {

std::string Contents(const MemoryStorage& storage, const std::string& path) {
  const Result<std::string> contents = storage.Get(path);
  if (contents.ok()) return *contents;
  CHECK(contents.status().code() == Code::kNotFound);
  return "(none)";
}

// Created, filled, closed; synced or not.
void WriteFile(MemoryStorage& storage, const std::string& path,
               std::string_view contents, bool sync) {
  auto file = storage.Create(path);
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(AsBytes(contents)).ok());
  if (sync) REQUIRE((*file)->Sync().ok());
  REQUIRE((*file)->Close().ok());
}

TEST_CASE("MemoryStorage makes the parents of what is put", "[storage]") {
  MemoryStorage storage;
  storage.Put("a/b/c", "x");
  storage.PutSparse("a/s/t", 7);
  CHECK(storage.Stat("/a/b")->kind == FileKind::kDirectory);
  CHECK(Contents(storage, "/a/b/c") == "x");
  CHECK(Contents(storage, "a/b/../b/c") == "x");
  CHECK(storage.List("a")->size() == 2);
  CHECK(Contents(storage, "a/none") == "(none)");
}

TEST_CASE("MemoryStorage gives a file put again another time", "[storage]") {
  MemoryStorage storage;
  storage.Put("a", "one");
  const auto before = storage.Stat("a");
  storage.Put("a", "two");
  const auto after = storage.Stat("a");
  CHECK(after->mtime_ns > before->mtime_ns);
  CHECK(Contents(storage, "a") == "two");
  CHECK(storage.List("/")->size() == 1);
}

TEST_CASE("MemoryStorage reads sparse files as zeros", "[storage]") {
  MemoryStorage storage;
  storage.PutSparse("d/s", std::uint64_t{1} << 40);
  const auto file = storage.Open("d/s");
  REQUIRE(file.ok());
  CHECK((*file)->size() == std::uint64_t{1} << 40);
  std::string out(5, '?');
  CHECK((*file)
            ->ReadExactly((std::uint64_t{1} << 40) - 5,
                          std::as_writable_bytes(std::span(out)))
            .ok());
  CHECK(out == std::string(5, '\0'));
  CHECK(storage.Stat("d/s")->size == std::uint64_t{1} << 40);
  CHECK(storage.List("d")->at(0).kind == FileKind::kRegular);
}

TEST_CASE("MemoryStorage lets sparse files be changed like others",
          "[storage]") {
  MemoryStorage storage;
  for (const char* name : {"a", "b", "c", "d"}) storage.PutSparse(name, 2);
  auto file = storage.OpenForAppend("a");
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(AsBytes("xy")).ok());
  CHECK(Contents(storage, "a") == std::string("\0\0xy", 4));
  const auto open = storage.Open("a");
  REQUIRE(open.ok());
  std::string out(3, '?');
  REQUIRE((*open)->ReadExactly(1, std::as_writable_bytes(std::span(out))).ok());
  CHECK(out == std::string("\0xy", 3));
  WriteFile(storage, "b", "new", true);
  CHECK(Contents(storage, "b") == "new");
  REQUIRE(storage.Rename("c", "moved").ok());
  CHECK(storage.Stat("moved")->size == 2);
  REQUIRE(storage.Remove("d").ok());
  std::set<std::string> names;
  const auto entries = storage.List("/");
  REQUIRE(entries.ok());
  for (const DirEntry& entry : *entries) names.insert(entry.name);
  CHECK(names == std::set<std::string>{"a", "b", "moved"});
  storage.PutSparse("b", 9);
  CHECK(storage.Stat("b")->size == 9);
  CHECK(storage.List("/")->size() == 3);
}

TEST_CASE("MemoryStorage keeps the identity of a sparse file", "[storage]") {
  MemoryStorage storage;
  storage.PutSparse("a", 1);
  storage.PutSparse("b", 1);
  const auto a = storage.Stat("a");
  CHECK(a->inode != storage.Stat("b")->inode);
  REQUIRE(storage.Rename("a", "c").ok());
  CHECK(storage.Stat("c")->inode == a->inode);
  CHECK(storage.Stat("c")->mtime_ns == a->mtime_ns);
}

TEST_CASE("MemoryStorage serves several threads", "[storage]") {
  MemoryStorage storage;
  storage.Put("shared", "0123456789");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&storage, t] {
        for (int i = 0; i < 200; ++i) {
          const std::string path =
              "t" + std::to_string(t) + "/" + std::to_string(i);
          storage.Put(path, path);
          auto file = storage.OpenForAppend("log" + std::to_string(t));
          static_cast<void>((*file)->Append(AsBytes("x")));
          std::byte out[10];
          static_cast<void>((*storage.Open("shared"))->ReadAt(0, out));
        }
      });
    }
  }
  for (int t = 0; t < 4; ++t) {
    CHECK(storage.List("t" + std::to_string(t))->size() == 200);
    CHECK(storage.Stat("log" + std::to_string(t))->size == 200);
  }
}

TEST_CASE("A power cut keeps what was put", "[storage][power]") {
  MemoryStorage storage;
  storage.Put("d/a", "x");
  storage.PutSparse("d/s", 3);
  storage.PutSymlink("d/l", "a");
  storage.LosePower();
  CHECK(Contents(storage, "d/l") == "x");
  CHECK(storage.Stat("d/s")->size == 3);
}

TEST_CASE("A power cut keeps a file only with both syncs", "[storage][power]") {
  const bool sync_file = GENERATE(false, true);
  const bool sync_directory = GENERATE(false, true);
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d").ok());
  WriteFile(storage, "d/a", "contents", sync_file);
  if (sync_directory) REQUIRE(storage.SyncDirectory("d").ok());
  CHECK(Contents(storage, "d/a") == "contents");
  storage.LosePower();
  const std::string left = sync_file ? "contents" : "";
  CHECK(Contents(storage, "d/a") == (sync_directory ? left : "(none)"));
  CHECK(storage.Stat("d")->kind == FileKind::kDirectory);
}

TEST_CASE("A power cut forgets what was appended after the last sync",
          "[storage][power]") {
  MemoryStorage storage;
  storage.Put("log", "one");
  auto file = storage.OpenForAppend("log");
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(AsBytes("two")).ok());
  REQUIRE((*file)->Sync().ok());
  REQUIRE((*file)->Append(AsBytes("three")).ok());
  CHECK(Contents(storage, "log") == "onetwothree");
  storage.LosePower();
  CHECK(Contents(storage, "log") == "onetwo");
}

TEST_CASE("A power cut brings the file back that another one replaced",
          "[storage][power]") {
  const bool sync = GENERATE(false, true);
  MemoryStorage storage;
  storage.Put("d/a", "old");
  WriteFile(storage, "d/a", "new", sync);
  if (sync) REQUIRE(storage.SyncDirectory("d").ok());
  storage.LosePower();
  CHECK(Contents(storage, "d/a") == (sync ? "new" : "old"));
}

TEST_CASE("A power cut undoes a rename until its directory is synced",
          "[storage][power]") {
  const bool sync = GENERATE(false, true);
  MemoryStorage storage;
  storage.Put("d/old", "old");
  storage.Put("d/new", "new");
  REQUIRE(storage.Rename("d/new", "d/old").ok());
  if (sync) REQUIRE(storage.SyncDirectory("d").ok());
  storage.LosePower();
  CHECK(Contents(storage, "d/old") == (sync ? "new" : "old"));
  CHECK(Contents(storage, "d/new") == (sync ? "(none)" : "new"));
}

TEST_CASE("A power cut leaves all that lay on a file system that was synced",
          "[storage][power]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d/below").ok());
  storage.Put("d/gone", "x");
  WriteFile(storage, "d/below/.a.tmp", "contents", false);
  REQUIRE(storage.Rename("d/below/.a.tmp", "d/below/a").ok());
  REQUIRE(storage.Remove("d/gone").ok());
  REQUIRE(storage.SyncFileSystem("d").ok());
  WriteFile(storage, "d/b", "later", false);
  storage.LosePower();
  CHECK(Contents(storage, "d/below/a") == "contents");
  CHECK(Contents(storage, "d/below/.a.tmp") == "(none)");
  CHECK(Contents(storage, "d/gone") == "(none)");
  CHECK(Contents(storage, "d/b") == "(none)");
}

TEST_CASE("A power cut treats the two directories of a rename apart",
          "[storage][power]") {
  const bool sync_from = GENERATE(false, true);
  const bool sync_to = GENERATE(false, true);
  MemoryStorage storage;
  storage.Put("from/a", "x");
  REQUIRE(storage.CreateDirectories("to").ok());
  REQUIRE(storage.Rename("from/a", "to/a").ok());
  if (sync_from) REQUIRE(storage.SyncDirectory("from").ok());
  if (sync_to) REQUIRE(storage.SyncDirectory("to").ok());
  storage.LosePower();
  CHECK(Contents(storage, "from/a") == (sync_from ? "(none)" : "x"));
  CHECK(Contents(storage, "to/a") == (sync_to ? "x" : "(none)"));
}

TEST_CASE("A power cut brings back what was removed and not synced",
          "[storage][power]") {
  MemoryStorage storage;
  storage.Put("d/a", "x");
  storage.PutSparse("d/s", 5);
  storage.Put("d/gone", "x");
  REQUIRE(storage.Remove("d/gone").ok());
  REQUIRE(storage.SyncDirectory("d").ok());
  REQUIRE(storage.Remove("d/a").ok());
  REQUIRE(storage.Remove("d/s").ok());
  CHECK(storage.List("d")->empty());
  storage.LosePower();
  CHECK(Contents(storage, "d/a") == "x");
  CHECK(storage.Stat("d/s")->size == 5);
  CHECK(Contents(storage, "d/gone") == "(none)");
}

TEST_CASE(
    "A power cut goes back to the last sync, however often a name changed",
    "[storage][power]") {
  MemoryStorage storage;
  storage.Put("a", "first");
  for (const char* text : {"second", "third"}) {
    WriteFile(storage, "t", text, true);
    REQUIRE(storage.Rename("t", "a").ok());
  }
  storage.LosePower();
  CHECK(Contents(storage, "a") == "first");
  CHECK(Contents(storage, "t") == "(none)");
}

TEST_CASE("A power cut keeps directories that CreateDirectories made",
          "[storage][power]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("a/b/c").ok());
  storage.LosePower();
  CHECK(storage.Stat("a/b/c")->kind == FileKind::kDirectory);
}

}  // namespace
}  // namespace shardine::memory_storage_test
