#include "io/storage.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <map>
#include <string>

#include "unit/io/storage_worlds.h"

namespace shardine::storage_test {
namespace {

#define TEST_OVER_STORAGES(title) \
  TEMPLATE_TEST_CASE(title, "[storage]", LocalWorld, MemoryWorld)

// A failure that names its path.
void CheckFailure(const Status& status, Code code, int error,
                  const std::string& path) {
  INFO(status.ToString());
  CHECK(status.code() == code);
  CHECK(status.system_error() == error);
  CHECK(status.where().path == path);
}

std::map<std::string, FileKind> Listing(Storage& storage,
                                        const std::string& directory) {
  const auto entries = storage.List(directory);
  REQUIRE(entries.ok());
  std::map<std::string, FileKind> listing;
  for (const DirEntry& entry : *entries) listing[entry.name] = entry.kind;
  CHECK(listing.size() == entries->size());
  return listing;
}

TEST_OVER_STORAGES("Storage reads back what was appended") {
  TestType world;
  const std::string path = world / "a";
  auto file = world.storage().Create(path);
  REQUIRE(file.ok());
  CHECK((*file)->path() == path);
  CHECK((*file)->Append(AsBytes("one ")).ok());
  CHECK((*file)->Append({}).ok());
  CHECK((*file)->Append(AsBytes("two")).ok());
  CHECK((*file)->Sync().ok());
  CHECK((*file)->Close().ok());
  CHECK(Read(world.storage(), path) == "one two");
}

TEST_OVER_STORAGES("Storage keeps any bytes in contents and names") {
  TestType world;
  std::string contents;
  for (int i = 0; i < 1000; ++i) contents += static_cast<char>(i * 7);
  const std::string path = world / "a\xFF \n\"b";
  Write(world.storage(), path, contents);
  CHECK(Read(world.storage(), path) == contents);
  CHECK(Listing(world.storage(), world / "").count("a\xFF \n\"b") == 1);
}

TEST_OVER_STORAGES("Storage syncs the file system of a folder that is there") {
  TestType world;
  Write(world.storage(), world / "a", "one");
  CHECK(world.storage().SyncFileSystem(world / "").ok());
  CheckFailure(world.storage().SyncFileSystem(world / "none"), Code::kNotFound,
               ENOENT, world / "none");
  CheckFailure(world.storage().SyncFileSystem(world / "a"), Code::kIo, ENOTDIR,
               world / "a");
}

TEST_OVER_STORAGES("ReadAt reads at any offset and stops at the end") {
  TestType world;
  Write(world.storage(), world / "a", "0123456789");
  const auto file = world.storage().Open(world / "a");
  REQUIRE(file.ok());
  CHECK((*file)->size() == 10);
  CHECK((*file)->path() == world / "a");
  const auto read = [&](std::uint64_t offset, std::size_t size) {
    std::string out(size, '?');
    const auto count =
        (*file)->ReadAt(offset, std::as_writable_bytes(std::span(out)));
    REQUIRE(count.ok());
    return out.substr(0, *count);
  };
  CHECK(read(0, 10) == "0123456789");
  CHECK(read(3, 4) == "3456");
  CHECK(read(8, 5) == "89");
  CHECK(read(10, 1).empty());
  CHECK(read(11, 1).empty());
  CHECK(read(0, 0).empty());
  CHECK(read(std::uint64_t{1} << 63, 1).empty());
  CHECK(read(~std::uint64_t{0}, 1).empty());
}

TEST_OVER_STORAGES("ReadExactly names file and offset when the file is short") {
  TestType world;
  Write(world.storage(), world / "a", "0123456789");
  const auto file = world.storage().Open(world / "a");
  REQUIRE(file.ok());
  std::string out(4, '?');
  const auto span = std::as_writable_bytes(std::span(out));
  CHECK((*file)->ReadExactly(6, span).ok());
  CHECK(out == "6789");
  for (const std::uint64_t offset : {7u, 10u, 11u}) {
    const Status status = (*file)->ReadExactly(offset, span);
    CheckFailure(status, Code::kCorrupt, 0, world / "a");
    CHECK(status.where().offset == offset);
  }
}

TEST_OVER_STORAGES("Create begins anew, OpenForAppend goes on at the end") {
  TestType world;
  Storage& storage = world.storage();
  const auto append = [&](std::string_view text) {
    auto file = storage.OpenForAppend(world / "a");
    REQUIRE(file.ok());
    REQUIRE((*file)->Append(AsBytes(text)).ok());
    REQUIRE((*file)->Close().ok());
  };
  append("one");
  append("two");
  CHECK(Read(storage, world / "a") == "onetwo");
  Write(storage, world / "a", "new");
  CHECK(Read(storage, world / "a") == "new");
  append("er");
  CHECK(Read(storage, world / "a") == "newer");
}

TEST_OVER_STORAGES("An abandoned file keeps what was appended") {
  TestType world;
  {
    auto file = world.storage().Create(world / "a");
    REQUIRE(file.ok());
    REQUIRE((*file)->Append(AsBytes("part")).ok());
  }
  CHECK(Read(world.storage(), world / "a") == "part");
}

TEST_OVER_STORAGES("An open file outlives its removal and replacement") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "old");
  Write(storage, world / "b", "new");
  const auto file = storage.Open(world / "a");
  REQUIRE(file.ok());
  REQUIRE(storage.Rename(world / "b", world / "a").ok());
  std::string out(3, '?');
  const auto span = std::as_writable_bytes(std::span(out));
  CHECK((*file)->ReadExactly(0, span).ok());
  CHECK(out == "old");
  CHECK(Read(storage, world / "a") == "new");
}

TEST_OVER_STORAGES("A new name is not one that a file or a folder has") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "a");
  Write(storage, world / "b", "b");
  REQUIRE(storage.CreateDirectories(world / "d").ok());
  CHECK(storage.RenameNew(world / "a", world / "c").ok());
  CHECK(Read(storage, world / "c") == "a");
  for (const std::string name : {"b", "d"}) {
    CheckFailure(storage.RenameNew(world / "c", world / name),
                 Code::kAlreadyExists, EEXIST, world / name);
  }
  CHECK(Read(storage, world / "b") == "b");
  CHECK(Read(storage, world / "c") == "a");
  CHECK(storage.RenameNew(world / "none", world / "e").code() ==
        Code::kNotFound);
}

TEST_OVER_STORAGES("A missing file is kNotFound everywhere") {
  TestType world;
  Storage& storage = world.storage();
  for (const std::string& path : {world / "none", world / "none/below"}) {
    CheckFailure(storage.Open(path).status(), Code::kNotFound, ENOENT, path);
    CheckFailure(storage.Stat(path).status(), Code::kNotFound, ENOENT, path);
    CheckFailure(storage.List(path).status(), Code::kNotFound, ENOENT, path);
    CheckFailure(storage.Remove(path), Code::kNotFound, ENOENT, path);
    CheckFailure(storage.Rename(path, world / "b"), Code::kNotFound, ENOENT,
                 path);
    CheckFailure(storage.SyncDirectory(path), Code::kNotFound, ENOENT, path);
  }
  const std::string below = world / "none/below";
  CheckFailure(storage.Create(below).status(), Code::kNotFound, ENOENT, below);
  CheckFailure(storage.OpenForAppend(below).status(), Code::kNotFound, ENOENT,
               below);
  CheckFailure(storage.Lock(below).status(), Code::kNotFound, ENOENT, below);
}

TEST_OVER_STORAGES("The empty path and paths with a zero byte name nothing") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "x");
  const std::string cut = (world / "a") + std::string("\0b", 2);
  for (const std::string& path : {std::string(), cut}) {
    CHECK(storage.Open(path).status().code() == Code::kNotFound);
    CHECK(storage.Stat(path).status().code() == Code::kNotFound);
    CHECK(storage.Create(path).status().code() == Code::kNotFound);
    CHECK(storage.Remove(path).code() == Code::kNotFound);
  }
  CHECK(Read(storage, world / "a") == "x");
}

TEST_OVER_STORAGES("A file is no directory") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "x");
  const std::string below = world / "a/b";
  CheckFailure(storage.Open(below).status(), Code::kIo, ENOTDIR, below);
  CheckFailure(storage.Stat(below).status(), Code::kIo, ENOTDIR, below);
  CheckFailure(storage.Create(below).status(), Code::kIo, ENOTDIR, below);
  CheckFailure(storage.List(world / "a").status(), Code::kIo, ENOTDIR,
               world / "a");
  CheckFailure(storage.SyncDirectory(world / "a"), Code::kIo, ENOTDIR,
               world / "a");
  CheckFailure(storage.CreateDirectories(world / "a"), Code::kAlreadyExists,
               EEXIST, world / "a");
  CheckFailure(storage.CreateDirectories(below), Code::kIo, ENOTDIR, below);
}

TEST_OVER_STORAGES("Open refuses what is no regular file, and never waits") {
  TestType world;
  Storage& storage = world.storage();
  REQUIRE(storage.CreateDirectories(world / "d.jpg").ok());
  world.MakeFifo("fifo");
  world.MakeLink("to-fifo", "fifo");
  for (const char* name : {"d.jpg", "fifo", "to-fifo"}) {
    const Status status = storage.Open(world / name).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().path == world / name);
  }
  CheckFailure(storage.Create(world / "d.jpg").status(), Code::kIo, EISDIR,
               world / "d.jpg");
  CheckFailure(storage.OpenForAppend(world / "fifo").status(), Code::kIo, ENXIO,
               world / "fifo");
  CHECK(storage.Stat(world / "fifo")->kind == FileKind::kOther);
  CHECK(storage.Stat(world / "d.jpg")->kind == FileKind::kDirectory);
}

TEST_OVER_STORAGES("Stat tells size, and inode and time tell changes") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "12345");
  Write(storage, world / "b", "");
  const auto a = storage.Stat(world / "a");
  const auto b = storage.Stat(world / "b");
  REQUIRE((a.ok() && b.ok()));
  CHECK(a->kind == FileKind::kRegular);
  CHECK(a->size == 5);
  CHECK(b->size == 0);
  CHECK(a->device == b->device);
  CHECK(a->inode != b->inode);
  CHECK(a->mtime_ns > 0);
  CHECK(b->mtime_ns >= a->mtime_ns);
  REQUIRE(storage.Rename(world / "a", world / "c").ok());
  const auto c = storage.Stat(world / "c");
  REQUIRE(c.ok());
  CHECK(c->inode == a->inode);
  CHECK(c->mtime_ns == a->mtime_ns);
}

TEST_OVER_STORAGES("Links are followed by Open and Stat, not by List") {
  TestType world;
  Storage& storage = world.storage();
  REQUIRE(storage.CreateDirectories(world / "d/e").ok());
  Write(storage, world / "d/e/a", "linked");
  world.MakeLink("file", "d/e/a");
  world.MakeLink("dir", world / "d");
  world.MakeLink("up", "dir/e/..");
  world.MakeLink("dangling", "nowhere");
  world.MakeLink("loop", "loop");
  CHECK(Read(storage, world / "file") == "linked");
  CHECK(Read(storage, world / "dir/e/a") == "linked");
  CHECK(Read(storage, world / "dir/../d/./e//a") == "linked");
  CHECK(Read(storage, world / "up/e/a") == "linked");
  CHECK(storage.Stat(world / "dir")->kind == FileKind::kDirectory);
  CheckFailure(storage.Stat(world / "dangling").status(), Code::kNotFound,
               ENOENT, world / "dangling");
  CheckFailure(storage.Open(world / "dangling").status(), Code::kNotFound,
               ENOENT, world / "dangling");
  CheckFailure(storage.Stat(world / "loop").status(), Code::kIo, ELOOP,
               world / "loop");
  const std::map<std::string, FileKind> expected = {
      {"d", FileKind::kDirectory},  {"file", FileKind::kSymlink},
      {"dir", FileKind::kSymlink},  {"up", FileKind::kSymlink},
      {"loop", FileKind::kSymlink}, {"dangling", FileKind::kSymlink}};
  CHECK(Listing(storage, world / "") == expected);
  CHECK(Listing(storage, world / "dir/e").size() == 1);
}

TEST_OVER_STORAGES("Create takes a link's place and never what it leads to") {
  TestType world;
  Storage& storage = world.storage();
  world.MakeLink("dangling", "none");
  Write(storage, world / "mine", "mine");
  world.MakeLink("link", "mine");
  for (const char* name : {"dangling", "link"}) {
    Write(storage, world / name, "x");
    CHECK(Listing(storage, world / "")[name] == FileKind::kRegular);
    CHECK(Read(storage, world / name) == "x");
  }
  CHECK(Read(storage, world / "mine") == "mine");
  CHECK(storage.Stat(world / "none").status().code() == Code::kNotFound);
}

TEST_OVER_STORAGES(
    "Create makes a new file, and who has the old one keeps it") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "old");
  const auto old = storage.Open(world / "a");
  REQUIRE(old.ok());
  Write(storage, world / "a", "new");
  std::string bytes(3, '?');
  REQUIRE(
      (*old)->ReadExactly(0, std::as_writable_bytes(std::span(bytes))).ok());
  CHECK(bytes == "old");
}

TEST_OVER_STORAGES("Remove and Rename act on a link, not on what it names") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "x");
  world.MakeLink("link", "a");
  REQUIRE(storage.Rename(world / "link", world / "moved").ok());
  CHECK(Listing(storage, world / "")["moved"] == FileKind::kSymlink);
  REQUIRE(storage.Remove(world / "moved").ok());
  CHECK(Read(storage, world / "a") == "x");
  CHECK(Listing(storage, world / "").size() == 1);
}

TEST_OVER_STORAGES("List shows hidden files and every kind") {
  TestType world;
  Storage& storage = world.storage();
  CHECK(Listing(storage, world / "").empty());
  Write(storage, world / ".hidden", "x");
  REQUIRE(storage.CreateDirectories(world / ".d").ok());
  world.MakeFifo("f");
  CHECK(Listing(storage, world / "") ==
        std::map<std::string, FileKind>{{".hidden", FileKind::kRegular},
                                        {".d", FileKind::kDirectory},
                                        {"f", FileKind::kOther}});
}

TEST_OVER_STORAGES(
    "CreateDirectories makes parents and accepts existing ones") {
  TestType world;
  Storage& storage = world.storage();
  CHECK(storage.CreateDirectories(world / "a/b/c").ok());
  CHECK(storage.CreateDirectories(world / "a/b/c").ok());
  CHECK(storage.CreateDirectories(world / "a/b/").ok());
  CHECK(storage.CreateDirectories(world / "a/new/../b/d").ok());
  CHECK(storage.CreateDirectories("/").ok());
  CHECK(storage.CreateDirectories(".").ok());
  world.MakeLink("link", "a/b");
  CHECK(storage.CreateDirectories(world / "link").ok());
  CHECK(storage.CreateDirectories(world / "link/e").ok());
  CHECK(Listing(storage, world / "a/b").size() == 3);
  world.MakeLink("dangling", "nowhere");
  CheckFailure(storage.CreateDirectories(world / "dangling"),
               Code::kAlreadyExists, EEXIST, world / "dangling");
}

TEST_OVER_STORAGES("Rename replaces files and empty directories only") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "a", "a");
  Write(storage, world / "b", "b");
  REQUIRE(storage.CreateDirectories(world / "d/e").ok());
  REQUIRE(storage.CreateDirectories(world / "empty").ok());
  Write(storage, world / "d/x", "x");
  const auto fails = [&](const char* from, const char* to, int error) {
    const Status status = storage.Rename(world / from, world / to);
    CHECK(status.system_error() == error);
    CHECK(status.where().path == world / from);
  };
  fails("a", "d", EISDIR);
  fails("d", "a", ENOTDIR);
  fails("d", "d/e/f", EINVAL);
  fails("a", "none/a", ENOENT);
  fails("a", "b/c", ENOTDIR);
  REQUIRE(storage.CreateDirectories(world / "full/f").ok());
  fails("d", "full", ENOTEMPTY);
  CHECK(storage.Rename(world / "a", world / "a").ok());
  CHECK(storage.Rename(world / "a", world / "b").ok());
  CHECK(Read(storage, world / "b") == "a");
  CHECK(storage.Stat(world / "a").status().code() == Code::kNotFound);
  CHECK(storage.Rename(world / "d", world / "empty").ok());
  CHECK(Read(storage, world / "empty/x") == "x");
}

TEST_OVER_STORAGES("Remove takes files and empty directories only") {
  TestType world;
  Storage& storage = world.storage();
  REQUIRE(storage.CreateDirectories(world / "d").ok());
  Write(storage, world / "d/x", "x");
  CheckFailure(storage.Remove(world / "d"), Code::kIo, ENOTEMPTY, world / "d");
  CHECK(storage.Remove(world / "d/x").ok());
  CHECK(storage.Remove(world / "d").ok());
  CHECK(Listing(storage, world / "").empty());
}

TEST_OVER_STORAGES("Names over 255 bytes are refused") {
  TestType world;
  Storage& storage = world.storage();
  const std::string longest = world / std::string(255, 'n');
  Write(storage, longest, "x");
  CHECK(Read(storage, longest) == "x");
  const std::string path = longest + "n";
  CheckFailure(storage.Create(path).status(), Code::kIo, ENAMETOOLONG, path);
  CheckFailure(storage.Stat(path).status(), Code::kIo, ENAMETOOLONG, path);
}

TEST_OVER_STORAGES("FreeBytes knows the space even before the path exists") {
  TestType world;
  const auto here = world.storage().FreeBytes(world / "");
  const auto later = world.storage().FreeBytes(world / "not/yet/there");
  REQUIRE((here.ok() && later.ok()));
  CHECK(*here > 0);
  CHECK(*later > 0);
}

TEST_OVER_STORAGES("A lock excludes others until it is destroyed") {
  TestType world;
  Storage& storage = world.storage();
  Write(storage, world / "journal", "kept");
  auto lock = storage.Lock(world / "journal");
  REQUIRE(lock.ok());
  const Status refused = storage.Lock(world / "journal").status();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == world / "journal");
  CHECK(storage.Lock(world / "other").ok());
  CHECK(Read(storage, world / "journal") == "kept");
  (*lock).reset();
  CHECK(storage.Lock(world / "journal").ok());
}

TEST_OVER_STORAGES("A lock on a removed file leaves its name free") {
  TestType world;
  Storage& storage = world.storage();
  const auto old = storage.Lock(world / "lock");
  REQUIRE(old.ok());
  REQUIRE(storage.Remove(world / "lock").ok());
  const auto fresh = storage.Lock(world / "lock");
  CHECK(fresh.ok());
  CHECK_FALSE(storage.Lock(world / "lock").ok());
}

TEST_OVER_STORAGES("ReadFile refuses files over its limit before reading") {
  TestType world;
  Write(world.storage(), world / "a", "12345");
  Write(world.storage(), world / "empty", "");
  CHECK(*ReadFile(world.storage(), world / "a", 5) == "12345");
  CHECK(ReadFile(world.storage(), world / "empty", 0)->empty());
  const Status status = ReadFile(world.storage(), world / "a", 4).status();
  CheckFailure(status, Code::kUnsupported, 0, world / "a");
  CHECK(status.message() ==
        "has 5 bytes, more than the 4 such a file may have");
}

TEST_CASE("DirectoryOf and FileNameOf split a path at its last name",
          "[storage]") {
  const auto split = [](const std::string& path) {
    return DirectoryOf(path) + " + " + FileNameOf(path);
  };
  CHECK(split("a/b/c") == "a/b + c");
  CHECK(split("a/b/") == "a + b");
  CHECK(split("a//b") == "a + b");
  CHECK(split("c") == ". + c");
  CHECK(split("c//") == ". + c");
  CHECK(split("/c") == "/ + c");
  CHECK(split("//c") == "/ + c");
  CHECK(split("/") == "/ + ");
  CHECK(split("") == ". + ");
  CHECK(split("./c") == ". + c");
  CHECK(split("../c") == ".. + c");
}

TEST_CASE("JoinPath puts one slash between directory and name", "[storage]") {
  CHECK(JoinPath("a", "b") == "a/b");
  CHECK(JoinPath("a/", "b") == "a/b");
  CHECK(JoinPath("/", "b") == "/b");
  CHECK(JoinPath("", "b") == "b");
  CHECK(JoinPath(".", "b") == "b");
  CHECK(JoinPath("..", "b/c") == "../b/c");
}

}  // namespace
}  // namespace shardine::storage_test
