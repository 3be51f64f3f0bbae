#include "io/storage_for.h"

#include <catch2/catch.hpp>
#include <string>

#include "io/http_storage.h"
#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "io/path_scheme.h"
#include "shardine/address.h"
#include "unit/io/storage_worlds.h"

namespace shardine::storage_for_test {
namespace {

MemoryStorage& FakeStore() {
  static MemoryStorage storage;
  return storage;
}

// The table of a build with two more kinds of storage.
constexpr StorageScheme kMore[] = {
    {.name = "",
     .reading = []() -> ReadableStorage& { return LocalStorage(); },
     .writing = [] { return &LocalStorage(); }},
    {.name = "web",
     .reading = []() -> ReadableStorage& { return FakeStore(); },
     .writing = nullptr},
    {.name = "store",
     .reading = []() -> ReadableStorage& { return FakeStore(); },
     .writing = []() -> Storage* { return &FakeStore(); }},
};

TEST_CASE("The scheme of a path is what an address begins with", "[storage]") {
  CHECK(SchemeOf("gs://bucket/x") == "gs");
  CHECK(SchemeOf("S3://bucket/x") == "s3");
  CHECK(SchemeOf("a+b-c.1://x") == "a+b-c.1");
  for (const char* local :
       {"", "x", "/x", "./gs://b", "1s://x", "://x", "a b://x", "s3:/b",
        "dir/gs://b", "-a://x", "s3:"}) {
    INFO(local);
    CHECK(SchemeOf(local).empty());
  }
}

TEST_CASE("A name below an address is escaped where it would end the path",
          "[storage]") {
  CHECK(JoinName("http://h/a", "b#c?d%41 e") == "http://h/a/b%23c%3Fd%2541 e");
  CHECK(JoinName("HTTPS://h", "x%") == "HTTPS://h/x%25");
  CHECK(JoinName("s3://bucket", "b#c?d%") == "s3://bucket/b#c?d%");
  CHECK(JoinName("a", "b#c?d%") == "a/b#c?d%");
}

TEST_CASE("An address with a secret is refused without it", "[storage]") {
  for (const std::string path :
       {"http://user:secret@h/x", "https://h/x?Signature=secret",
        "https://h/x#secret", "s3://key:secret@bucket/x", "s3://k:sec/ret@b/x",
        "gs://key:secret@bucket"}) {
    INFO(path);
    const Status refused = CheckAddress(path);
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK_THAT(refused.ToString(),
               !Catch::Contains("secret") && !Catch::Contains("sec/ret"));
  }
  for (const char* path :
       {"x", "a@b?c#d", "s3://bucket/a@b?c#d", "http://h/x%3F", "az://k@b/x"}) {
    CHECK(CheckAddress(path).ok());
  }
  CHECK_THAT(RefuseScheme("az://key:secret@b/x").ToString(),
             !Catch::Contains("secret"));
}

TEST_CASE("A path without a scheme is of this machine", "[storage]") {
  for (const std::string path : {"x", "/x/y", "", "./gs://bucket"}) {
    INFO(path);
    CHECK(*StorageFor(path) == &LocalStorage());
    CHECK(*OutputStorageFor(path) == &LocalStorage());
  }
}

TEST_CASE("An address that lost a slash is no folder of this machine",
          "[storage]") {
  for (const std::string path :
       {"s3:/bucket/x", "gs:/b", "http:/host/x", "https:/host"}) {
    INFO(path);
    for (const Status& refused :
         {StorageFor(path).status(), OutputStorageFor(path).status()}) {
      CHECK(refused.code() == Code::kInvalidArgument);
      CHECK(refused.where().path == path);
    }
    CHECK(*OutputStorageFor("./" + path) == &LocalStorage());
  }
  CHECK(*StorageFor("c3:/x") == &LocalStorage());
}

TEST_CASE("What lies in several storages is read from each path's own",
          "[storage]") {
  const auto all = [](const std::vector<std::string>& paths) {
    return StorageForAll(paths);
  };
  CHECK(*all({"x", "y"}) == &LocalStorage());
  CHECK(*all({"http://h/x", "https://h/y"}) == &HttpStorage());
  ReadableStorage& mixed = **all({"x", "http://h/x"});
  CHECK(mixed.NativePath("x") == "x");
  CHECK(mixed.NativePath("http://h/x") == std::nullopt);
  CHECK(mixed.Stat("no such file").status().code() == Code::kNotFound);
  CHECK(mixed.List("http://h/x").status().code() == Code::kUnsupported);
  CHECK(mixed.Open("az://h/x").status().code() == Code::kUnsupported);
  CHECK(all({"x", "az://h/x"}).status().where().path == "az://h/x");
}

TEST_CASE("A scheme that no storage has is refused by name", "[storage]") {
  for (const std::string path :
       {"az://bucket/a", "az://b/x", "a+b-c.1://x", "file:///tmp"}) {
    INFO(path);
    for (const Status& refused :
         {StorageFor(path).status(), OutputStorageFor(path).status()}) {
      CHECK(refused.code() == Code::kUnsupported);
      CHECK(refused.where().path == path);
      CHECK(refused.message() ==
            (path.starts_with("file")
                 ? "paths of local files are given without file://"
                 : "of remote storage only s3://, gs://, http:// and https:// "
                   "are "
                   "read yet"));
    }
  }
}

TEST_CASE("What is on a web server is read and not written", "[storage]") {
  for (const std::string path : {"http://h/x", "HTTPS://h/x.tar"}) {
    INFO(path);
    CHECK(*StorageFor(path) == &HttpStorage());
    CHECK(OutputStorageFor(path).status().code() == Code::kUnsupported);
  }
  const Status listed = HttpStorage().List("http://h/x").status();
  CHECK(listed.code() == Code::kUnsupported);
  CHECK(listed.where().path == "http://h/x");
}

TEST_CASE("A storage joins by its line in the table of schemes", "[storage]") {
  CHECK(*StorageFor("web://host/x", kMore) == &FakeStore());
  CHECK(*StorageFor("STORE://bucket/x", kMore) == &FakeStore());
  CHECK(*OutputStorageFor("store://bucket/x", kMore) == &FakeStore());
  CHECK(*StorageFor("x", kMore) == &LocalStorage());
  CHECK(StorageFor("other://x", kMore).status().code() == Code::kUnsupported);
}

TEST_CASE("What has a scheme that is only read is not written to",
          "[storage]") {
  const Status refused = OutputStorageFor("web://host/out", kMore).status();
  CHECK(refused.ToString() ==
        "web://host/out: web:// can be read from and not be written to");
  CHECK(refused.code() == Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::storage_for_test
