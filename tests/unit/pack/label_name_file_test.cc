#include "pack/label_name_file.h"

#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "source/line_reader.h"
#include "support/pack_fixture.h"

namespace shardine::label_name_file_test {
namespace {

// Shards of RecordIO, which name no class, with labels 0 to 2.
void PutShards(MemoryStorage& storage, const std::vector<std::string>& paths) {
  PutTree(storage, "tree", 3, 4, 100);
  PackOptions options = PackOf("tree", "packed");
  options.shards = static_cast<unsigned>(paths.size());
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string shard = "packed/train-0000" + std::to_string(i) +
                              "-of-0000" + std::to_string(paths.size()) +
                              ".rec";
    storage.Put(paths[i], *storage.Get(shard));
  }
}

// The names of the classes, joined by '|', and how often the warnings have
// `word`.
std::string NamesIn(MemoryStorage& storage,
                    const std::vector<std::string>& files,
                    const std::string& word, std::size_t& warned) {
  IndexOptions options;
  options.files = files;
  options.output = "index";
  const auto result = IndexShards(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  warned = 0;
  for (const std::string& warning : result->warnings) {
    warned += warning.find(word) != std::string::npos ? 1 : 0;
  }
  const auto manifest = ReadManifest(storage, "index");
  REQUIRE(manifest.ok());
  std::string names;
  for (const ClassInfo& info : manifest->classes) {
    names += (names.empty() ? "" : "|") + info.name;
  }
  REQUIRE(storage.Remove("index/shardine.json").ok());
  return names;
}

TEST_CASE("Index takes the class names that lie beside shards",
          "[index][classes]") {
  MemoryStorage storage;
  PutShards(storage, {"foreign/a.rec", "foreign/b.rec"});
  storage.Put("foreign/label.labels.txt", "cat\r\nboeing 747\nred fox\nextra");
  std::size_t warned = 0;
  CHECK(NamesIn(storage, {"foreign/a.rec", "foreign/b.rec"},
                "foreign/label.labels.txt beside them does",
                warned) == "cat|boeing 747|red fox|extra");
  CHECK(warned == 1);
}

TEST_CASE("Index passes over names that cannot be those of the labels",
          "[index][classes]") {
  MemoryStorage storage;
  PutShards(storage, {"foreign/a.rec"});
  const std::string long_line(LineReader::kMaxLine + 1, 'x');
  for (const std::string& text :
       std::vector<std::string>{"cat\ndog\n", "cat\ndog\ncat\n", "cat\n\nfox\n",
                                "", "\n", long_line}) {
    INFO(text.substr(0, 20));
    storage.Put("foreign/label.labels.txt", text);
    std::size_t warned = 0;
    CHECK(NamesIn(storage, {"foreign/a.rec"}, "are not taken for the classes",
                  warned)
              .empty());
    CHECK(warned == 1);
  }
}

TEST_CASE("Index says that the names beside shards cannot be read",
          "[index][classes]") {
  MemoryStorage storage;
  PutShards(storage, {"foreign/a.rec"});
  REQUIRE(storage.CreateDirectories("foreign/label.labels.txt").ok());
  std::size_t warned = 0;
  CHECK(NamesIn(storage, {"foreign/a.rec"}, "are not taken for the classes",
                warned)
            .empty());
  CHECK(warned == 1);
}

TEST_CASE("Names beside some shards are not those of shards elsewhere",
          "[index][classes]") {
  MemoryStorage storage;
  PutShards(storage, {"foreign/a.rec", "elsewhere/b.rec"});
  storage.Put("foreign/label.labels.txt", "cat\ndog\nfox\n");
  std::size_t warned = 0;
  CHECK(NamesIn(storage, {"foreign/a.rec", "elsewhere/b.rec"},
                "label.labels.txt", warned)
            .empty());
  CHECK(warned == 0);
}

}  // namespace
}  // namespace shardine::label_name_file_test
