#include "im2rec/file_prefetcher.h"

#include <catch2/catch.hpp>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "io/memory_storage.h"
#include "pipeline/worker_group.h"
#include "support/fault_storage.h"

namespace shardine::file_prefetcher_test {
namespace {

std::string NameOf(int i) { return "/in/" + std::to_string(i); }

std::string ContentsOf(int i) {
  return std::string(static_cast<std::size_t>(i * 37 % 101),
                     static_cast<char>('a' + i % 26));
}

TEST_CASE("FilePrefetcher hands files over in the order they were asked for",
          "[im2rec]") {
  const std::size_t threads = GENERATE(1U, 2U, 7U);
  const std::size_t bytes = GENERATE(1U, 150U, 1U << 20);
  MemoryStorage storage;
  for (int i = 0; i < 200; ++i) storage.Put(NameOf(i), ContentsOf(i));
  FilePrefetcher files(storage, {.threads = threads, .bytes = bytes});
  for (int i = 0; i < 200; ++i) files.Submit({.path = NameOf(i)});
  CHECK(files.outstanding() == 200);
  for (int i = 0; i < 200; ++i) {
    const Result<ByteBuffer> contents = files.Take();
    REQUIRE(contents.ok());
    REQUIRE(AsText(contents->view()) == ContentsOf(i));
  }
  CHECK(files.outstanding() == 0);
}

TEST_CASE("FilePrefetcher takes requests between deliveries", "[im2rec]") {
  MemoryStorage storage;
  FilePrefetcher files(storage, {.threads = 2});
  for (int i = 0; i < 50; ++i) {
    storage.Put(NameOf(i), ContentsOf(i));
    files.Submit({.path = NameOf(i)});
    if (i % 2 == 0) continue;
    CHECK(AsText(files.Take()->view()) == ContentsOf(i / 2));
  }
  CHECK(files.outstanding() == 25);
}

TEST_CASE("FilePrefetcher gives a failure in its file's place", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/in/a", "a");
  storage.PutFifo("/in/fifo");
  storage.Put("/in/b", "b");
  FilePrefetcher files(storage, {.threads = 3});
  for (const char* name : {"/in/a", "/in/none", "/in/fifo", "/in/b"}) {
    files.Submit({.path = name});
  }
  CHECK(AsText(files.Take()->view()) == "a");
  const Status missing = files.Take().status();
  CHECK(missing.code() == Code::kNotFound);
  CHECK(missing.where().path == "/in/none");
  CHECK(files.Take().status().code() == Code::kUnsupported);
  CHECK(AsText(files.Take()->view()) == "b");
}

TEST_CASE("FilePrefetcher refuses a file that no record holds, unread",
          "[im2rec]") {
  MemoryStorage storage;
  storage.PutSparse("/in/huge", std::uint64_t{1} << 40);
  storage.PutSparse("/in/limit", 100);
  storage.PutSparse("/in/below", 99);
  FilePrefetcher files(storage, {.file_size = 100});
  for (const char* name : {"/in/huge", "/in/limit", "/in/below"}) {
    files.Submit({.path = name});
  }
  const Status huge = files.Take().status();
  CHECK(huge.code() == Code::kUnsupported);
  CHECK(huge.where().path == "/in/huge");
  CHECK(files.Take().status().code() == Code::kUnsupported);
  CHECK(files.Take()->size() == 99);
}

TEST_CASE("FilePrefetcher can be dropped with files waiting to be taken",
          "[im2rec]") {
  MemoryStorage storage;
  for (int i = 0; i < 100; ++i) storage.Put(NameOf(i), ContentsOf(i));
  // A limit of one byte: the readers are blocked when the end comes.
  FilePrefetcher files(storage, {.threads = 4, .bytes = 1});
  for (int i = 0; i < 100; ++i) files.Submit({.path = NameOf(i)});
  CHECK(files.outstanding() == 100);
}

TEST_CASE("FilePrefetcher goes on with the threads that the system has",
          "[im2rec]") {
  MemoryStorage storage;
  for (int i = 0; i < 20; ++i) storage.Put(NameOf(i), ContentsOf(i));
  for (const unsigned threads : {0U, 1U, 3U}) {
    const ThreadShortage shortage(threads);
    FilePrefetcher files(storage, {.threads = 7});
    for (int i = 0; i < 20; ++i) files.Submit({.path = NameOf(i)});
    if (threads == 0) {
      const Status status = files.Take().status();
      CHECK(status.message().starts_with("no thread can be started: "));
      continue;
    }
    for (int i = 0; i < 20; ++i) {
      CHECK(AsText(files.Take()->view()) == ContentsOf(i));
    }
  }
}

TEST_CASE("FilePrefetcher gives a lack of memory in its file's place",
          "[im2rec]") {
  MemoryStorage storage;
  for (int i = 0; i < 6; ++i) storage.Put(NameOf(i), ContentsOf(i + 1));
  FaultStorage faulty(storage, {.operation = Operation::kRead,
                                .call = 3,
                                .effect = Fault::Effect::kNoMemory});
  FilePrefetcher files(faulty, {.threads = 1});
  for (int i = 0; i < 6; ++i) files.Submit({.path = NameOf(i)});
  for (int i = 0; i < 6; ++i) {
    const Result<ByteBuffer> contents = files.Take();
    CHECK(contents.ok() == (i != 3));
    if (contents.ok()) continue;
    CHECK(contents.status().message() == "out of memory");
    CHECK(contents.status().where().path == NameOf(3));
  }
}

TEST_CASE("FilePrefetcher ends with a word where its work has no memory",
          "[im2rec]") {
  MemoryStorage storage;
  storage.Put(NameOf(0), "contents");
  FilePrefetcher files(
      storage, {.threads = 2},
      []() -> std::unique_ptr<FileWork> { throw std::bad_alloc(); });
  files.Submit({.path = NameOf(0)});
  CHECK(files.Take().status().message() == "out of memory");
}

}  // namespace
}  // namespace shardine::file_prefetcher_test
