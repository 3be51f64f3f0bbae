#include "shardine/pack.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "dataset/dataset_reader.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "shard/format.h"
#include "shardine/convert.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"

namespace shardine::pack_test {
namespace {

Result<PackResult> PackIn(Storage& storage, const PackOptions& options) {
  return Pack(options, {.storage = &storage});
}

// Keys of a dataset in order.
std::vector<std::string> KeysOf(Storage& storage, const std::string& output,
                                const std::string& split = "train") {
  std::vector<std::string> all;
  const auto dataset = DatasetReader::Open(storage, output);
  REQUIRE(dataset.ok());
  for (const auto& shard : (*dataset)->shards()) {
    if (shard.split->name != split) continue;
    const auto index = (*dataset)->OpenIndex(shard);
    REQUIRE(index.ok());
    std::vector<std::string> keys;
    REQUIRE((*index)->Keys(0, (*index)->size(), keys).ok());
    all.insert(all.end(), keys.begin(), keys.end());
  }
  return all;
}

TEST_CASE("Pack stores every file untouched under its key and class",
          "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const auto result = PackIn(storage, PackOf("tree", "out"));
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 36);
  CHECK(result->classes == 4);
  CHECK(result->shards == 3);
  CHECK(result->shards_reused == 0);
  CHECK_FALSE(result->nothing_to_do);

  const auto dataset = DatasetReader::Open(storage, "out");
  REQUIRE(dataset.ok());
  std::set<std::string> seen;
  for (const auto& shard : (*dataset)->shards()) {
    const auto index = (*dataset)->OpenIndex(shard);
    REQUIRE(index.ok());
    const auto file = storage.Open((*dataset)->PathOf(shard.shard->file));
    REQUIRE(file.ok());
    for (std::uint64_t r = 0; r < (*index)->size(); ++r) {
      const auto entry = (*index)->Entry(r);
      const auto key = (*index)->Key(r);
      REQUIRE((entry.ok() && key.ok()));
      std::string payload;
      for (const Extent& extent : entry->fields.at(0).extents) {
        ByteBuffer part;
        part.Resize(extent.length);
        REQUIRE((*file)->ReadExactly(extent.offset, part.span()).ok());
        payload += AsText(part.view());
      }
      CHECK(payload == *storage.Get("tree/" + *key));
      CHECK(entry->labels ==
            std::vector<Label>{static_cast<std::int64_t>((*key)[5] - '0')});
      CHECK(seen.insert(*key).second);
    }
  }
  CHECK(seen.size() == 36);
}

TEST_CASE("Pack leaves nothing behind but the dataset", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 3, 100);
  REQUIRE(PackIn(storage, PackOf("tree", "out")).ok());
  std::set<std::string> names;
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    names.insert(name);
  }
  CHECK(names == std::set<std::string>{
                     "shardine.json", "train-00000-of-00003.idx",
                     "train-00000-of-00003.rec",
                     ".shardine/train-00000-of-00003.rec.sdx",
                     "train-00001-of-00003.idx", "train-00001-of-00003.rec",
                     ".shardine/train-00001-of-00003.rec.sdx",
                     "train-00002-of-00003.idx", "train-00002-of-00003.rec",
                     ".shardine/train-00002-of-00003.rec.sdx"});
  CHECK_FALSE(storage.Stat("out/.pack").ok());
}

// Files that a glob or a listing of the folder gives another program.
std::set<std::string> VisibleFiles(Storage& storage,
                                   const std::string& folder) {
  std::set<std::string> names;
  const auto entries = storage.List(folder);
  REQUIRE(entries.ok());
  for (const DirEntry& entry : *entries) {
    if (!entry.name.starts_with('.')) names.insert(entry.name);
  }
  return names;
}

TEST_CASE("A folder shows the shards and the manifest alone", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 3, 100);
  PackOptions options = PackOf("tree", "out");
  const auto [format, suffix] = GENERATE(
      std::pair("tfrecord", ".tfrecord"), std::pair("webdataset", ".tar"),
      std::pair("lmdb/datum", ".lmdb"), std::pair("hdf5/fuel", ".h5"));
  options.format = format;
  REQUIRE(PackIn(storage, options).ok());
  std::set<std::string> names = {"shardine.json"};
  for (const char* shard : {"train-00000-of-00003", "train-00001-of-00003",
                            "train-00002-of-00003"}) {
    names.insert(std::string(shard) + suffix);
  }
  CHECK(VisibleFiles(storage, "out") == names);
}

TEST_CASE("Shards can be without a suffix", "[pack][convert]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 3, 100);
  PackOptions options = PackOf("tree", "out");
  options.format = "tfrecord";
  options.no_suffix = true;
  const auto packed = PackIn(storage, options);
  REQUIRE(packed.ok());
  const std::set<std::string> names = {"shardine.json", "train-00000-of-00003",
                                       "train-00001-of-00003",
                                       "train-00002-of-00003"};
  CHECK(VisibleFiles(storage, "out") == names);
  CHECK(storage.Stat("out/.shardine/train-00000-of-00003.idx").ok());
  CHECK(PackIn(storage, options)->nothing_to_do);
  ConvertOptions to_tar;
  to_tar.input = "out";
  to_tar.output = "tar";
  to_tar.format = "webdataset";
  to_tar.no_suffix = true;
  const auto converted = Convert(to_tar, {.storage = &storage});
  REQUIRE(converted.ok());
  CHECK(converted->content_digest == packed->content_digest);
  CHECK(VisibleFiles(storage, "tar") == names);
  for (const char* folder : {"out", "tar"}) {
    VerifyOptions verify;
    verify.target = folder;
    const auto verified = Verify(verify, {.storage = &storage});
    REQUIRE(verified.ok());
    CHECK(verified->findings.empty());
    CHECK(verified->notes.empty());
  }
  // Unfinished work of such names goes on, and leaves no shard of another plan.
  REQUIRE(storage.Remove("out/shardine.json").ok());
  CHECK_FALSE(PackIn(storage, options).ok());  // nobody's, without a journal
}

TEST_CASE("Pack writes the same bytes for any number of threads", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 5, 60, 30000);
  Snapshot first;
  for (const unsigned threads : {1u, 2u, 7u}) {
    PackOptions options = PackOf("tree", "out" + std::to_string(threads));
    options.threads = threads;
    REQUIRE(PackIn(storage, options).ok());
    const Snapshot snapshot = TakeSnapshot(storage, options.output);
    if (first.empty()) first = snapshot;
    CHECK(snapshot == first);
  }
}

TEST_CASE("Pack writes the same bytes whatever order folders are listed in",
          "[pack]") {
  // A file system that lists names backwards.
  class Backwards : public MemoryStorage {
   public:
    Result<std::vector<DirEntry>> List(const std::string& folder) override {
      auto entries = MemoryStorage::List(folder);
      if (entries.ok()) {
        std::sort(entries->begin(), entries->end(),
                  [](const auto& a, const auto& b) { return a.name > b.name; });
      }
      return entries;
    }
  } backwards;
  MemoryStorage forwards;
  for (MemoryStorage* storage : {static_cast<MemoryStorage*>(&backwards),
                                 static_cast<MemoryStorage*>(&forwards)}) {
    PutTree(*storage, "tree", 12, 7, 900);
    REQUIRE(PackIn(*storage, PackOf("tree", "out")).ok());
  }
  CHECK(TakeSnapshot(backwards, "out") == TakeSnapshot(forwards, "out"));
}

TEST_CASE("Pack keeps splits apart, in shards, counts and digests", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "one", 3, 20, 400);
  PutTree(storage, "two", 2, 5, 400);
  PackOptions options = PackOf("one", "out");
  options.source.folders = {{"train", "one"}, {"val", "two"}};
  const auto result = PackIn(storage, options);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 70);
  CHECK(result->shards == 6);
  const auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  REQUIRE(manifest->splits.size() == 2);
  CHECK(manifest->FindSplit("train")->samples == 60);
  CHECK(manifest->FindSplit("val")->samples == 10);
  CHECK(manifest->classes[0].count == 25);
  CHECK(manifest->classes[2].count == 20);
  CHECK(KeysOf(storage, "out", "val").size() == 10);
}

TEST_CASE("Pack content digest depends on content alone", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 20, 400);
  PackOptions options = PackOf("tree", "a");
  REQUIRE(PackIn(storage, options).ok());
  options.output = "b";
  options.shards = 7;
  options.seed = 12345;
  REQUIRE(PackIn(storage, options).ok());
  const auto a = ReadManifest(storage, "a");
  const auto b = ReadManifest(storage, "b");
  REQUIRE((a.ok() && b.ok()));
  CHECK(a->content_digest() == b->content_digest());
  CHECK(a->names_digest() == b->names_digest());
  CHECK(a->order_digest() != b->order_digest());
}

TEST_CASE("Pack reports progress up to the whole", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 300, 4000);
  std::vector<Progress> seen;
  REQUIRE(Pack(PackOf("tree", "out"),
               {.progress =
                    [&](const Progress& progress) { seen.push_back(progress); },
                .storage = &storage})
              .ok());
  REQUIRE(seen.size() > 2);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    CHECK(seen[i].samples >= seen[i - 1].samples);
    CHECK(seen[i].bytes >= seen[i - 1].bytes);
  }
  CHECK(seen.back().samples == 900);
  CHECK(seen.back().samples_total == 900);
  CHECK(seen.back().bytes == seen.back().bytes_total);
}

TEST_CASE("Pack shuffles by its seed and not at all on request", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 40, 10);
  PackOptions options = PackOf("tree", "a");
  REQUIRE(PackIn(storage, options).ok());
  options.output = "b";
  options.seed = 8;
  REQUIRE(PackIn(storage, options).ok());
  options.output = "c";
  options.shuffle = false;
  REQUIRE(PackIn(storage, options).ok());
  auto a = KeysOf(storage, "a");
  auto b = KeysOf(storage, "b");
  const auto c = KeysOf(storage, "c");
  CHECK(a != b);
  CHECK(a != c);
  CHECK(std::is_sorted(c.begin(), c.end(), [](const auto& x, const auto& y) {
    return x.substr(0, 6) < y.substr(0, 6);
  }));
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  CHECK(a == b);
}

TEST_CASE("Pack cuts shards by size or number, never an empty one", "[pack]") {
  MemoryStorage storage;
  for (int i = 0; i < 10; ++i) {
    storage.Put("tree/c/" + std::to_string(i) + ".jpg",
                NoiseBytes(1000, static_cast<std::uint64_t>(i)));
  }
  PackOptions options = PackOf("tree", "by-size");
  options.shards = 0;
  options.shard_bytes = 2500;
  auto result = PackIn(storage, options);
  REQUIRE(result.ok());
  CHECK(result->shards == 4);  // ceil(10,000 / 2,500)
  options.output = "by-number";
  options.shards = 50;
  result = PackIn(storage, options);
  REQUIRE(result.ok());
  CHECK(result->shards == 10);
}

TEST_CASE("Pack of a finished output does nothing", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 5, 500);
  const PackOptions options = PackOf("tree", "out");
  REQUIRE(PackIn(storage, options).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  storage.Put("out/.pack/journal", "left by a kill after the manifest");
  const auto again = PackIn(storage, options);
  REQUIRE(again.ok());
  CHECK(again->nothing_to_do);
  CHECK(again->samples == 10);
  CHECK(TakeSnapshot(storage, "out") == before);
}

TEST_CASE("Pack refuses an output of another plan", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 5, 500);
  PackOptions options = PackOf("tree", "out");
  REQUIRE(PackIn(storage, options).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  SECTION("with another seed") { options.seed = 99; }
  SECTION("with another check") { options.check = ImageCheckLevel::kHeader; }
  SECTION("with a source more") { storage.Put("tree/class0/new.jpg", "x"); }
  SECTION("with a source of another size") {
    storage.Put("tree/class0/0.jpg", "longer than it was before");
  }
  options.on_bad = OnBad::kKeep;
  const auto refused = PackIn(storage, options);
  CHECK(refused.status().code() == Code::kChanged);
  CHECK(TakeSnapshot(storage, "out") == before);
}

TEST_CASE("Pack refuses shards that nothing explains", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 5, 500);
  storage.Put("out/train-00001-of-00003.rec", "somebody else's");
  const auto refused = PackIn(storage, PackOf("tree", "out"));
  CHECK(refused.status().code() == Code::kChanged);
  CHECK(refused.status().where().path == "out/train-00001-of-00003.rec");
  CHECK(*storage.Get("out/train-00001-of-00003.rec") == "somebody else's");
}

TEST_CASE("Pack refuses to work beside another pack", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 5, 500);
  const auto lock = FolderLock::Take(storage, "out");
  REQUIRE(lock.ok());
  const auto refused = PackIn(storage, PackOf("tree", "out"));
  CHECK(refused.status().code() == Code::kAlreadyExists);
  CHECK(refused.status().where().path == "out");
}

TEST_CASE("Pack refuses labels that a record changes, and warns of others",
          "[pack]") {
  MemoryStorage storage;
  storage.Put("tree/a.jpg", "x");
  storage.Put("tree/b.jpg", "y");
  storage.Put("list.lst", "0\t16777217\ta.jpg\n1\t0.1\tb.jpg\n");
  PackOptions options = PackOf("tree", "out");
  options.source.list = "list.lst";
  options.shards = 1;
  options.shuffle = false;
  const auto refused = PackIn(storage, options);
  CHECK(refused.status().code() == Code::kInvalidArgument);
  CHECK(refused.status().where().key == "a.jpg");
  CHECK_FALSE(storage.Stat("out").ok());
  options.lossy_labels = true;
  const auto result = PackIn(storage, options);
  REQUIRE(result.status().ToString() == "OK");
  REQUIRE(result->warnings.size() == 2);
  CHECK(result->warnings[0].find("1 fractions are rounded") == 0);
  CHECK(result->warnings[1].find("1 labels are changed") == 0);
  const auto dataset = DatasetReader::Open(storage, "out");
  REQUIRE(dataset.ok());
  const auto index = (*dataset)->OpenIndex((*dataset)->shards()[0]);
  REQUIRE(index.ok());
  CHECK((*index)->Entry(0)->labels == std::vector<Label>{16777217});
  CHECK((*index)->Entry(1)->labels == std::vector<Label>{Label::FromReal(0.1)});
}

TEST_CASE("Pack stops when it is asked to and goes on later", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 200, 20000);
  REQUIRE(PackIn(storage, PackOf("tree", "whole")).ok());
  const Snapshot whole = TakeSnapshot(storage, "whole");
  const PackOptions options = PackOf("tree", "out");
  std::stop_source stop;
  const auto stopped = Pack(options, {.progress =
                                          [&](const Progress& progress) {
                                            if (progress.samples > 400)
                                              stop.request_stop();
                                          },
                                      .stop = stop.get_token(),
                                      .storage = &storage});
  REQUIRE(stopped.status().code() == Code::kCancelled);
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    INFO(name);
    if (name.starts_with(".pack/")) continue;
    CHECK(whole.at(name) == contents);  // whole, or not there
  }
  const auto resumed = PackIn(storage, options);
  REQUIRE(resumed.status().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("Pack does not redo finished shards when it goes on", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 100, 20000);
  const PackOptions options = PackOf("tree", "out");
  REQUIRE(StopAfterFirstShard(storage, options).code() == Code::kCancelled);
  const auto before = storage.Stat("out/train-00000-of-00003.rec");
  const auto resumed = PackIn(storage, options);
  REQUIRE(resumed.ok());
  CHECK(resumed->shards_reused >= 1);
  CHECK(storage.Stat("out/train-00000-of-00003.rec")->inode == before->inode);
}

TEST_CASE("Pack reports a source that changes under its hands", "[pack]") {
  class Shrinking : public MemoryStorage {
   public:
    Result<std::unique_ptr<RandomAccessFile>> Open(
        const std::string& path) override {
      if (path == "tree/class0/4.jpg") Put(path, "short");
      return MemoryStorage::Open(path);
    }
  } storage;
  PutTree(storage, "tree", 2, 10, 3000);
  const auto failed = PackIn(storage, PackOf("tree", "out"));
  CHECK(failed.status().code() == Code::kChanged);
  CHECK(failed.status().where().path == "tree/class0/4.jpg");
}

TEST_CASE("Pack finds that what it wrote does not read back", "[pack]") {
  // A disk that changes one byte of the payload of one sample.
  class Rotting : public MemoryStorage {
   public:
    Result<std::unique_ptr<RandomAccessFile>> Open(
        const std::string& path) override {
      if (path == TemporaryName("out/train-00001-of-00003.rec") && !done_) {
        done_ = true;
        std::string contents = *Get(path);
        contents[contents.size() / 2] ^= 1;
        Put(path, contents);
      }
      return MemoryStorage::Open(path);
    }
    bool done_ = false;
  } storage;
  PutTree(storage, "tree", 3, 10, 3000);
  const PackOptions options = PackOf("tree", "out");
  const auto failed = PackIn(storage, options);
  CHECK(failed.status().code() == Code::kCorrupt);
  CHECK(failed.status().where().record.has_value());
  CHECK_FALSE(storage.Stat("out/train-00001-of-00003.rec").ok());
  CHECK_FALSE(storage.Stat(TemporaryName("out/train-00001-of-00003.rec")).ok());
  CHECK(PackIn(storage, options).ok());
}

TEST_CASE("Pack names the first bad image in plan order", "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 100, 200);
  std::string first;
  for (const unsigned threads : {1u, 2u, 7u}) {
    PackOptions options = PackOf("tree", "out");
    options.check = ImageCheckLevel::kHeader;
    options.threads = threads;
    const auto failed = PackIn(storage, options);
    REQUIRE(failed.status().code() == Code::kCorrupt);
    if (first.empty()) first = failed.status().ToString();
    CHECK(failed.status().ToString() == first);
    CHECK_FALSE(storage.Stat(options.output + "/shardine.json").ok());
  }
}

TEST_CASE("Pack plan depends on neither paths nor times nor threads",
          "[pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 20, 300);
  PutTree(storage, "elsewhere/copy", 2, 20, 300);
  PackOptions options = PackOf("tree", "a");
  REQUIRE(PackIn(storage, options).ok());
  options = PackOf("elsewhere/copy", "b");
  options.threads = 5;
  REQUIRE(PackIn(storage, options).ok());
  Snapshot a = TakeSnapshot(storage, "a");
  Snapshot b = TakeSnapshot(storage, "b");
  // Manifests say where the source was, as it was given, and else the same.
  auto first = ReadManifest(storage, "a");
  const auto second = ReadManifest(storage, "b");
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->made.sources == std::vector<std::string>{"tree"});
  first->made.sources = {"elsewhere/copy"};
  CHECK(*first == *second);
  a.erase(kManifestName);
  b.erase(kManifestName);
  CHECK(a == b);
}

TEST_CASE("Pack refuses a source without images", "[pack]") {
  MemoryStorage storage;
  storage.Put("tree/class/readme.txt", "no image");
  const auto refused = PackIn(storage, PackOf("tree", "out"));
  CHECK(refused.status().code() == Code::kInvalidArgument);
  CHECK_FALSE(storage.Stat("out").ok());
}

}  // namespace
}  // namespace shardine::pack_test
