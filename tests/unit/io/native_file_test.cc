#include "io/native_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"
#include "support/temp_directory.h"

namespace shardine::native_file_test {
namespace {

// Like a library: opens the file by its path, and writes and closes it.
void WriteByPath(const std::string& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << contents;
  file.close();
  REQUIRE(file.good());
}

std::string ReadByPath(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Contents(std::size_t size) {
  std::string contents(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    contents[i] = static_cast<char>(i * 31 + i / 997);
  }
  return contents;
}

TEST_CASE("NativeFile on the local file system is the file itself",
          "[io][native_file]") {
  const TempDirectory top;
  const std::string path = top.path() + "/x";
  WriteByPath(path, "left by a run that was killed");
  auto file = NativeFile::Create(LocalStorage(), path);
  REQUIRE(file.ok());
  CHECK(file->path() == path);
  CHECK(ReadByPath(file->native_path()).empty());
  WriteByPath(file->native_path(), Contents(100'000));
  REQUIRE(file->Commit().ok());
  CHECK((ReadByPath(path) == Contents(100'000)));
}

TEST_CASE("NativeFile brings what was written by path to any storage",
          "[io][native_file]") {
  for (const std::size_t size :
       {0U, 1U, 1U << 20, (1U << 20) + 1, 3'500'000U}) {
    MemoryStorage storage;
    auto file = NativeFile::Create(storage, "a/x");
    REQUIRE(file.ok());
    CHECK(file->path() == "a/x");
    CHECK(ReadByPath(file->native_path()).empty());
    WriteByPath(file->native_path(), Contents(size));
    REQUIRE(storage.CreateDirectories("a").ok());
    REQUIRE(file->Commit().ok());
    CHECK((*storage.Get("a/x") == Contents(size)));
  }
}

TEST_CASE("NativeFile leaves a synced file", "[io][native_file]") {
  MemoryStorage storage;
  auto file = NativeFile::Create(storage, "x");
  REQUIRE(file.ok());
  WriteByPath(file->native_path(), Contents(2'000'000));
  REQUIRE(file->Commit().ok());
  REQUIRE(storage.SyncDirectory(".").ok());
  storage.LosePower();
  CHECK((*storage.Get("x") == Contents(2'000'000)));
}

TEST_CASE("NativeFile in memory leaves nothing unless committed",
          "[io][native_file]") {
  MemoryStorage storage;
  {
    auto file = NativeFile::Create(storage, "x");
    REQUIRE(file.ok());
    WriteByPath(file->native_path(), "abandoned");
  }
  CHECK(storage.Get("x").status().code() == Code::kNotFound);
}

TEST_CASE("NativeFile keeps its contents when it is moved",
          "[io][native_file]") {
  MemoryStorage storage;
  auto first = NativeFile::Create(storage, "first");
  auto second = NativeFile::Create(storage, "second");
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  WriteByPath(first->native_path(), "1");
  WriteByPath(second->native_path(), "2");
  NativeFile moved(*std::move(first));
  CHECK(moved.path() == "first");
  CHECK(ReadByPath(moved.native_path()) == "1");
  moved = *std::move(second);
  CHECK(moved.path() == "second");
  REQUIRE(moved.Commit().ok());
  CHECK(*storage.Get("second") == "2");
}

TEST_CASE("NativeFile reports every failure of the storage",
          "[io][native_file]") {
  const auto run = [](Storage& storage) {
    auto file = NativeFile::Create(storage, "x");
    if (!file.ok()) return file.status();
    WriteByPath(file->native_path(), Contents(2'500'000));
    return file->Commit();
  };
  MemoryStorage intact;
  FaultStorage counting(intact, {.call = ~0ULL});
  REQUIRE(run(counting).ok());
  const std::uint64_t calls = counting.calls(Operation::kAny);
  CHECK(calls == 6);  // create, three writes, sync, close
  for (std::uint64_t call = 0; call < calls; ++call) {
    MemoryStorage below;
    FaultStorage storage(below, {.call = call, .error = 28});
    const Status status = run(storage);
    INFO("call " << call);
    CHECK(status.code() == Code::kIo);
    CHECK(status.system_error() == 28);
    CHECK(status.where().path == "x");
  }
}

TEST_CASE("NativeFile names the path that cannot be written",
          "[io][native_file]") {
  const TempDirectory top;
  const std::string path = top.path() + "/absent/x";
  const auto file = NativeFile::Create(LocalStorage(), path);
  CHECK(file.status().code() == Code::kNotFound);
  CHECK(file.status().where().path == path);
}

TEST_CASE("NativeFile finds that the file is gone", "[io][native_file]") {
  const TempDirectory top;
  const std::string path = top.path() + "/x";
  auto file = NativeFile::Create(LocalStorage(), path);
  REQUIRE(file.ok());
  REQUIRE(LocalStorage().Remove(path).ok());
  const Status status = file->Commit();
  CHECK_FALSE(status.ok());
  CHECK(status.where().path == path);
}

}  // namespace
}  // namespace shardine::native_file_test
