#include "source/repeated_paths.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/philox.h"
#include "source/image_files.h"
#include "unit/source/source_fixture.h"

namespace shardine::repeated_paths_test {
namespace {

// Looks random and is the same everywhere: 0 to n - 1.
std::size_t Draw(std::uint32_t seed, std::uint32_t number, std::size_t n) {
  return static_cast<std::size_t>(Philox4x32({number, 0, 0, 0}, {seed, 7})[0]) %
         n;
}

SourceOptions ListOf(MemoryStorage& storage, const std::string& list,
                     const std::string& name = "l.lst") {
  storage.Put(name, list);
  SourceOptions options = TreeOptions();
  options.list = name;
  return options;
}

Strings PathsOf(const SourceSet& set) {
  Strings paths;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    paths.emplace_back(set.samples.path(i));
  }
  return paths;
}

TEST_CASE("NumberedKey has the number before the suffix of the name",
          "[repeated_paths]") {
  CHECK(NumberedKey("a/b.jpg", 2) == "a/b#2.jpg");
  CHECK(NumberedKey("b.tar.gz", 31) == "b.tar#31.gz");
  CHECK(NumberedKey("a.d/b", 2) == "a.d/b#2");
  CHECK(NumberedKey("a/.hidden", 2) == "a/.hidden#2");
  CHECK(NumberedKey(".b.jpg", 2) == ".b#2.jpg");
  CHECK(NumberedKey("b.", 2) == "b#2.");
  CHECK(NumberedKey("b#2.jpg", 2) == "b#2#2.jpg");
}

TEST_CASE("SourceList keeps the path of a sample that got another key",
          "[source_list]") {
  SourceList list;
  for (const char* path : {"a", "b", "c"}) list.Add(path, 0, {}, 0);
  list.SetKey(2, "c's");
  list.SetKey(0, "a's");
  list.SetKey(2, "c's own");
  CHECK(list.key(0) == "a's");
  CHECK(list.path(0) == "a");
  CHECK(list.key(1) == "b");
  CHECK(list.path(1) == "b");
  CHECK(list.key(2) == "c's own");
  CHECK(list.path(2) == "c");
}

// The model is a vector of pairs, from which the same ones are erased.
TEST_CASE("SourceList keeps paths and keys together when samples leave",
          "[source_list]") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SourceList list;
    std::vector<std::pair<std::string, std::string>> model;
    std::uint32_t drawn = 0;
    const std::size_t samples = Draw(seed, drawn++, 40);
    for (std::size_t i = 0; i < samples; ++i) {
      const std::string path = "p" + std::to_string(i);
      list.Add(path, i, {}, 0);
      model.emplace_back(path, path);
      if (Draw(seed, drawn++, 3) > 0) continue;
      model[i].second = "k" + std::to_string(i);
      list.SetKey(i, model[i].second);
    }
    for (int round = 0; round < 3; ++round) {
      std::vector<bool> flags;
      decltype(model) kept;
      for (const auto& row : model) {
        flags.push_back(Draw(seed, drawn++, 4) > 0);
        if (flags.back()) kept.push_back(row);
      }
      model = std::move(kept);
      list.Keep(flags);
      REQUIRE(list.size() == model.size());
      for (std::size_t i = 0; i < model.size(); ++i) {
        REQUIRE(list.path(i) == model[i].first);
        REQUIRE(list.key(i) == model[i].second);
      }
    }
    // A removed sample does not affect the one in its place.
    const std::size_t added = list.Add("new", 0, {}, 0);
    REQUIRE(list.path(added) == "new");
    REQUIRE(list.key(added) == "new");
  }
}

TEST_CASE("A path that comes again in a list is a sample with its own key",
          "[source][list]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a/1.jpg", "t/a/2.jpg"});
  const SourceSet set =
      Load(storage, ListOf(storage,
                           "9\t1\ta/1.jpg\n4\t0\ta/2.jpg\n7\t2\t./a/1.jpg\n"
                           "1\t1\ta/1.jpg\n"));
  CHECK(RowsOf(set) == Strings{"train/9 a/1.jpg =1", "train/4 a/2.jpg =0",
                               "train/7 a/1#2.jpg =2", "train/1 a/1#3.jpg =1"});
  CHECK(PathsOf(set) == Strings{"a/1.jpg", "a/2.jpg", "a/1.jpg", "a/1.jpg"});
  CHECK(set.notes == Strings{"2 samples are of a file that the list named "
                             "before: their keys have a number, such as "
                             "a/1#2.jpg"});
}

TEST_CASE("A number whose key is a listed path or a file is passed over",
          "[source][list]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "t/a#2.jpg", "t/a#4.jpg", "t/b#2"});
  const SourceSet set =
      Load(storage, ListOf(storage,
                           "0\t0\ta.jpg\n1\t0\ta.jpg\n2\t0\ta.jpg\n"
                           "3\t0\ta#2.jpg\n4\t0\ta#2.jpg\n5\t0\tb#2\n"));
  CHECK(KeysOf(set) ==
        Strings{"a.jpg", "a#3.jpg", "a#5.jpg", "a#2.jpg", "a#2#2.jpg", "b#2"});
}

// Names that are each other's keys, and files that no list has.
TEST_CASE("Each line of a drawn list is one sample of its file",
          "[source][list][property]") {
  const Strings names = {"a",       "a#2",  "a#3",    "a#2#2", "a.jpg",
                         "a#2.jpg", ".jpg", ".jpg#2", "d/a",   "d/a#2",
                         "d/.jpg",  "a.",   "a#2.",   "a#02",  "#2.jpg"};
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    INFO(seed);
    MemoryStorage storage;
    std::uint32_t drawn = 0;
    Strings files;
    for (const std::string& name : names) {
      if (Draw(seed, drawn++, 2) == 0) continue;
      files.push_back(name);
      storage.Put("t/" + name, "bytes");
    }
    if (files.empty()) continue;
    std::string list;
    Strings paths;
    const std::size_t lines = 1 + Draw(seed, drawn++, 30);
    for (std::size_t i = 0; i < lines; ++i) {
      paths.push_back(files[Draw(seed, drawn++, files.size())]);
      list += std::to_string(100 + i) + "\t" + std::to_string(i) + "\t" +
              paths.back() + "\n";
    }
    const SourceSet set = Load(storage, ListOf(storage, list));
    REQUIRE(PathsOf(set) == paths);
    std::set<std::string> keys;
    std::set<std::string> before;
    for (std::size_t i = 0; i < lines; ++i) {
      const std::string key(set.samples.key(i));
      REQUIRE(set.samples.id(i) == 100 + i);
      REQUIRE(set.samples.class_label(i) == static_cast<std::int64_t>(i));
      REQUIRE(keys.insert(key).second);
      // The first has its path; no other key is a file's.
      REQUIRE((key == paths[i]) == before.insert(paths[i]).second);
      REQUIRE((key == paths[i]) == storage.Stat("t/" + key).ok());
    }
  }
}

TEST_CASE("Entries of a JSON list with one path stay in its order",
          "[source][list]") {
  MemoryStorage storage;
  PutAll(storage, {"t/n/a.jpg", "t/n/b.jpg"});
  std::string list = "[";
  for (int i = 0; i < 40; ++i) {
    list += std::string(i > 0 ? "," : "") + R"({"path": "n/)" +
            (i % 2 == 0 ? "b" : "a") + R"(.jpg", "label": )" +
            std::to_string(i) + "}";
  }
  const SourceSet set = Load(storage, ListOf(storage, list + "]", "l.json"));
  REQUIRE(set.samples.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t entry = i < 20 ? 2 * i + 1 : 2 * (i - 20);
    CHECK(set.samples.class_label(i) == static_cast<std::int64_t>(entry));
    CHECK(set.samples.path(i) == (i < 20 ? "n/a.jpg" : "n/b.jpg"));
  }
  CHECK(set.samples.key(39) == "n/b#20.jpg");
}

TEST_CASE("A blacklist names all samples of a file by its path, one by its key",
          "[source][blacklist]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "t/b.jpg", "t/d/c.jpg", "t/d/e.jpg"});
  SourceOptions options =
      ListOf(storage,
             "0\t0\ta.jpg\n1\t0\ta.jpg\n2\t0\tb.jpg\n3\t0\tb.jpg\n"
             "4\t0\tb.jpg\n5\t0\td/c.jpg\n6\t0\td/c.jpg\n"
             "7\t0\td/e.jpg\n8\t0\td/e.jpg\n");
  options.blacklist = "black";
  storage.Put("black", "a.jpg\nb#2.jpg\nc.jpg\nb#4.jpg\nd/e.jpg\n");
  const SourceSet set = Load(storage, options);
  CHECK(KeysOf(set) == Strings{"b.jpg", "b#3.jpg"});
  CHECK(PathsOf(set) == Strings{"b.jpg", "b.jpg"});
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"blacklisted a.jpg", "blacklisted a#2.jpg",
                "blacklisted b#2.jpg", "blacklisted d/c.jpg",
                "blacklisted d/c#2.jpg", "blacklisted d/e.jpg",
                "blacklisted d/e#2.jpg", "blacklist-of-several a.jpg (black:1)",
                "blacklist-unmatched b#4.jpg (black:4)",
                "blacklist-of-several c.jpg (black:3)",
                "blacklist-of-several d/e.jpg (black:5)"});
}

// Has one file until it was looked at once.
class Forgetful : public FaultStorage {
 public:
  Forgetful(Storage& below, std::string path)
      : FaultStorage(below, {.operation = Operation::kLock,
                             .call = std::numeric_limits<uint64_t>::max()}),
        path_(std::move(path)) {}

  Result<FileInfo> Stat(const std::string& path) override {
    if (path != path_) return FaultStorage::Stat(path);
    if (looks_++ == 0) return FaultStorage::Stat(path);
    return Status(Code::kNotFound, "gone").At({.path = path});
  }

 private:
  const std::string path_;
  int looks_ = 0;
};

TEST_CASE("A file that vanishes while its list is read makes no key come twice",
          "[source][list]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "t/a#2.jpg"});
  const SourceOptions options =
      ListOf(storage, "0\t0\ta.jpg\n1\t0\ta.jpg\n2\t0\ta#2.jpg\n");
  Forgetful forgetful(storage, "t/a#2.jpg");
  CHECK(LoadError(forgetful, options).ToString() ==
        "l.lst: key a#2.jpg: the key comes twice, with ids 1 and 2");
}

TEST_CASE("A file that is missing is said for each line that names it",
          "[source][list]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg"});
  const SourceSet set =
      Load(storage, ListOf(storage, "0\t0\tb.jpg\n1\t0\ta.jpg\n2\t0\tb.jpg\n"));
  CHECK(KeysOf(set) == Strings{"a.jpg"});
  CHECK(ProblemsOf(set.bad) ==
        Strings{"missing b.jpg (l.lst:1)", "missing b.jpg (l.lst:3)"});
}

}  // namespace
}  // namespace shardine::repeated_paths_test
