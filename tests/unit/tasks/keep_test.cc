// A dataset that is loaded while it is packed gives the samples of the packed
// one, and becomes it byte for byte.
#include "shardine/keep.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/sample_source.h"
#include "shardine/label_survey.h"
#include "shardine/loader.h"
#include "support/fault_storage.h"
#include "support/jpeg_maker.h"
#include "support/task_fixture.h"

namespace shardine::keep_test {
namespace {

constexpr std::chrono::seconds kPatience(20);

void PutPhotos(MemoryStorage& storage, const std::string& tree,
               std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    storage.Put(
        tree + "/class" + std::to_string(i % 3) + "/" + std::to_string(i) +
            ".jpg",
        MakeJpeg({.width = 8 + i % 9, .height = 8 + i / 9 % 9, .seed = i + 1}));
  }
}

PackOptions KeptPack(std::uint64_t shards, const std::string& format) {
  PackOptions pack = PackOf("tree", "out");
  pack.shards = shards;
  pack.format = format;
  pack.check = ImageCheckLevel::kHeader;
  pack.threads = 1;
  return pack;
}

LoaderOptions Loading(SampleOrder order) {
  LoaderOptions options;
  options.batch_size = 2;
  options.order = {order, 3, 2};
  options.seed = 5;
  options.threads = 1;
  options.transform = Transform{RandomResizedCrop{8, 8}, {}};
  return options;
}

struct Taken {
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> labels;
  std::string pixels;

  friend bool operator==(const Taken&, const Taken&) = default;
};

void Add(const Batch& batch, Taken& taken) {
  taken.ids.insert(taken.ids.end(), batch.ids().begin(), batch.ids().end());
  for (const Label& label : batch.labels()) {
    taken.labels.push_back(label.integer());
  }
  taken.pixels.append(reinterpret_cast<const char*>(batch.pixels().data()),
                      batch.pixels().size());
}

std::unique_ptr<Loader> LoaderOf(std::shared_ptr<const Dataset> dataset,
                                 const LoaderOptions& options) {
  auto loader = Loader::Create(std::move(dataset), options);
  REQUIRE(loader.status().ToString() == "OK");
  return *std::move(loader);
}

// The rest of the epoch.
Taken Epoch(Loader& loader) {
  Taken taken;
  while (true) {
    auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) return taken;
    Add(**batch, taken);
  }
}

std::shared_ptr<const Dataset> PackedDataset(MemoryStorage& storage) {
  auto source = SampleSource::Open(storage, "packed", {});
  REQUIRE(source.status().ToString() == "OK");
  return std::make_shared<const Dataset>(*std::move(source));
}

std::unique_ptr<Keep> Begun(Storage& storage, const KeepOptions& options) {
  auto keep = Keep::Begin(options, {.storage = &storage});
  REQUIRE(keep.status().ToString() == "OK");
  return *std::move(keep);
}

void RequireComplete(Keep& keep) {
  const auto complete = keep.Finish(kPatience);
  REQUIRE(complete.status().ToString() == "OK");
  REQUIRE(*complete);
}

TEST_CASE("Epochs of a dataset being packed are those of the packed one",
          "[keep]") {
  std::uint64_t drawn = 0;
  for (const SampleOrder order : {SampleOrder::kBlocks, SampleOrder::kShuffle,
                                  SampleOrder::kSequential}) {
    for (const std::uint32_t world : {1U, 2U, 3U, 4U}) {
      const char* const formats[] = {"recordio", "webdataset", "tfrecord",
                                     "lmdb"};
      const char* const format = formats[drawn++ % 4];
      INFO(format << ", order " << static_cast<int>(order) << ", world "
                  << world);
      MemoryStorage storage;
      PutPhotos(storage, "tree", 20 + 7 * static_cast<std::uint32_t>(drawn));
      const PackOptions pack = KeptPack(1 + drawn % 7, format);
      const Snapshot packed = Packed(storage, pack);
      std::vector<std::unique_ptr<Keep>> keeps;
      std::vector<std::unique_ptr<Loader>> loaders;
      LoaderOptions options = Loading(order);
      options.world = world;
      const bool is_shared = order != SampleOrder::kShuffle && drawn % 2 == 0;
      options.order.nodes = is_shared ? world : 1;
      const auto reference = PackedDataset(storage);
      for (options.rank = 0; options.rank < world; ++options.rank) {
        keeps.push_back(Begun(
            storage, {.pack = pack, .rank = options.rank, .world = world}));
        loaders.push_back(LoaderOf(keeps.back()->dataset(), options));
        const auto expected = LoaderOf(reference, options);
        CHECK(Epoch(*loaders.back()) == Epoch(*expected));
      }
      for (const auto& keep : keeps) RequireComplete(*keep);
      CHECK(TakeSnapshot(storage, "out") == packed);
      for (options.rank = 0; options.rank < world; ++options.rank) {
        const auto expected = LoaderOf(reference, options);
        expected->SetEpoch(1);
        CHECK(Epoch(*loaders[options.rank]) == Epoch(*expected));
      }
    }
  }
}

TEST_CASE("A kept dataset goes on after a kill at any call", "[keep][kill]") {
  MemoryStorage whole;
  PutPhotos(whole, "tree", 23);
  const PackOptions pack = KeptPack(4, "recordio");
  const Snapshot packed = Packed(whole, pack);
  const LoaderOptions options = Loading(SampleOrder::kBlocks);
  const Taken expected = Epoch(*LoaderOf(PackedDataset(whole), options));
  std::uint64_t struck = 0;
  for (std::uint64_t kill = 0; kill < 110; ++kill) {
    INFO("kill " << kill);
    MemoryStorage storage;
    PutPhotos(storage, "tree", 23);
    Taken taken;
    LoaderState state;
    {
      // Calls of kinds that packing alone makes.
      const Operation kinds[] = {Operation::kRename, Operation::kWrite,
                                 Operation::kSync, Operation::kCreate,
                                 Operation::kAny};
      FaultStorage mortal(storage, {.operation = kinds[kill % 5],
                                    .call = kill % 5 == 4 ? kill * 5 : kill / 5,
                                    .effect = Fault::Effect::kCrash});
      // Ranks whose first one loads all.
      std::vector<std::unique_ptr<Keep>> keeps;
      const auto world = static_cast<std::uint32_t>(1 + kill % 4);
      for (std::uint32_t rank = 0; rank < world; ++rank) {
        auto keep = Keep::Begin({.pack = pack, .rank = rank, .world = world},
                                {.storage = &mortal});
        if (!keep.ok()) break;
        keeps.push_back(*std::move(keep));
      }
      if (!keeps.empty()) {
        auto loader = Loader::Create(keeps[0]->dataset(), options);
        for (std::uint64_t i = 0; loader.ok() && i < kill % 11; ++i) {
          auto batch = (*loader)->Next();
          if (!batch.ok()) break;
          Add(**batch, taken);
          state = (*loader)->State();
        }
      }
      keeps.clear();
      struck += mortal.struck() ? 1 : 0;
    }
    std::vector<std::unique_ptr<Keep>> keeps;
    const auto world = static_cast<std::uint32_t>(1 + kill / 4 % 4);
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      keeps.push_back(
          Begun(storage, {.pack = pack, .rank = rank, .world = world}));
    }
    const auto loader = LoaderOf(keeps[0]->dataset(), options);
    if (!taken.ids.empty()) REQUIRE(loader->SetState(state).ok());
    const Taken rest = Epoch(*loader);
    taken.ids.insert(taken.ids.end(), rest.ids.begin(), rest.ids.end());
    taken.labels.insert(taken.labels.end(), rest.labels.begin(),
                        rest.labels.end());
    taken.pixels += rest.pixels;
    CHECK(taken == expected);
    for (const auto& keep : keeps) RequireComplete(*keep);
    CHECK(TakeSnapshot(storage, "out") == packed);
  }
  CHECK(struck >= 60);
}

TEST_CASE("Finished shards are not packed again", "[keep][kill]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 23);
  const PackOptions pack = KeptPack(4, "recordio");
  const Snapshot packed = Packed(storage, pack);
  FaultStorage mortal(storage, {.operation = Operation::kAny,
                                .call = 450,
                                .effect = Fault::Effect::kCrash});
  auto keep = Keep::Begin({.pack = pack}, {.storage = &mortal});
  if (keep.ok()) CHECK_FALSE((*keep)->Finish(kPatience).ok());
  keep = Status(Code::kCancelled, "killed");
  std::vector<std::pair<std::string, std::int64_t>> before;
  for (const auto& [name, planned] : packed) {
    const auto info = storage.Stat("out/" + name);
    if (info.ok() && name.ends_with(".rec")) {
      before.emplace_back(name, info->mtime_ns);
    }
  }
  RequireComplete(*Begun(storage, {.pack = pack}));
  for (const auto& [name, time] : before) {
    INFO(name);
    if (storage.Stat("out/" + name + ".sdx").ok()) {
      CHECK(storage.Stat("out/" + name)->mtime_ns == time);
    }
  }
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("Pack finishes a dataset that was kept in part", "[keep][kill]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 23);
  const PackOptions pack = KeptPack(4, "recordio");
  const Snapshot packed = Packed(storage, pack);
  {
    FaultStorage mortal(storage, {.operation = Operation::kRename,
                                  .call = 6,
                                  .effect = Fault::Effect::kCrash});
    auto keep = Keep::Begin({.pack = pack}, {.storage = &mortal});
    if (keep.ok()) CHECK_FALSE((*keep)->Finish(kPatience).ok());
  }
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("A kept dataset that is complete is loaded, and not packed again",
          "[keep]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  const PackOptions pack = KeptPack(2, "recordio");
  RequireComplete(*Begun(storage, {.pack = pack}));
  const Snapshot packed = TakeSnapshot(storage, "out");
  const auto again = Begun(storage, {.pack = pack});
  CHECK(again->is_complete());
  CHECK(again->dataset()->size() == 12);
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("Labels and keys of a dataset being packed are known at once",
          "[keep]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  const PackOptions pack = KeptPack(2, "recordio");
  Packed(storage, pack);
  const auto packed = PackedDataset(storage);
  // No file can be read, so that nothing is packed meanwhile.
  FaultStorage broken(storage, {.operation = Operation::kRead, .error = 5});
  const auto keep = Begun(storage, {.pack = pack});
  const auto dataset = keep->dataset();
  std::vector<std::vector<Label>> labels;
  std::vector<std::vector<Label>> expected;
  REQUIRE(dataset->Labels(0, 12, labels).ok());
  REQUIRE(packed->Labels(0, 12, expected).ok());
  CHECK(labels == expected);
  CHECK(SurveyLabels(*dataset, nullptr, {})->are_integers);
  for (std::uint64_t i = 0; i < 12; ++i) {
    CHECK(*dataset->Key(i) == *packed->Key(i));
  }
  CHECK(dataset->order_digest() == packed->order_digest());
  CHECK(dataset->classes().size() == packed->classes().size());
}

TEST_CASE("A bad image ends the packing and names itself", "[keep][bad]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  storage.Put("tree/class1/bad.jpg", "no image");
  const auto keep = Begun(storage, {.pack = KeptPack(3, "recordio")});
  const auto finished = keep->Finish(kPatience);
  REQUIRE_FALSE(finished.ok());
  CHECK(finished.status().code() == Code::kCorrupt);
  CHECK(finished.status().where().key == "class1/bad.jpg");
  CHECK(keep->failure().code() == Code::kCorrupt);
  CHECK_FALSE(keep->is_complete());
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
}

TEST_CASE("Options under which samples would be left out are refused",
          "[keep][refused]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  const auto refusal = [&](auto change) {
    KeepOptions options{.pack = KeptPack(3, "recordio")};
    change(options);
    const auto keep = Keep::Begin(options, {.storage = &storage});
    REQUIRE_FALSE(keep.ok());
    return keep.status();
  };
  for (const OnBad on_bad : {OnBad::kSkip, OnBad::kQuarantine, OnBad::kKeep}) {
    CHECK(refusal([&](KeepOptions& o) { o.pack.on_bad = on_bad; }).code() ==
          Code::kInvalidArgument);
  }
  CHECK(refusal([](KeepOptions& o) { o.pack.replace = true; }).code() ==
        Code::kInvalidArgument);
  CHECK(refusal([](KeepOptions& o) {
          o.pack.variants.original = false;
          o.pack.variants.short_sides = {8};
        }).code() == Code::kInvalidArgument);
  CHECK(refusal([](KeepOptions& o) { o.rank = 1; }).code() ==
        Code::kInvalidArgument);
  CHECK(refusal([](KeepOptions& o) { o.split = "val"; }).code() ==
        Code::kInvalidArgument);
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE("An output that was begun with other samples is refused",
          "[keep][refused]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  const PackOptions pack = KeptPack(3, "recordio");
  {
    FaultStorage mortal(storage, {.operation = Operation::kRename,
                                  .call = 5,
                                  .effect = Fault::Effect::kCrash});
    auto keep = Keep::Begin({.pack = pack}, {.storage = &mortal});
    if (keep.ok()) CHECK_FALSE((*keep)->Finish(kPatience).ok());
  }
  const Snapshot before = TakeSnapshot(storage, "out");
  PutPhotos(storage, "tree", 14);
  const auto keep = Keep::Begin({.pack = pack}, {.storage = &storage});
  CHECK(keep.status().code() == Code::kChanged);
  CHECK(TakeSnapshot(storage, "out") == before);
  // The way out that the message names.
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
  CHECK(Begun(storage, {.pack = pack})->is_complete());
}

TEST_CASE("Another dataset in the output stays as it is", "[keep][refused]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  PackOptions pack = KeptPack(3, "recordio");
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  pack.seed = 8;
  const auto keep = Keep::Begin({.pack = pack}, {.storage = &storage});
  CHECK(keep.status().code() == Code::kChanged);
  CHECK(TakeSnapshot(storage, "out") == before);
}

TEST_CASE("A rank that is not there is waited for with patience alone",
          "[keep][ranks]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  const PackOptions pack = KeptPack(4, "recordio");
  const Snapshot packed = Packed(storage, pack);
  const auto first = Begun(storage, {.pack = pack, .rank = 0, .world = 2});
  const auto missing = first->Finish(std::chrono::milliseconds(500));
  REQUIRE(missing.ok());
  CHECK_FALSE(*missing);
  // The other rank's shards are not there.
  LoaderOptions options = Loading(SampleOrder::kShuffle);
  options.transform.reset();
  const auto loader = LoaderOf(first->dataset(), options);
  const auto reference = LoaderOf(PackedDataset(storage), options);
  for (int i = 0; i < 6; ++i) {
    const auto batch = loader->Next();
    const auto expected = reference->Next();
    REQUIRE(batch.ok());
    REQUIRE(expected.ok());
    for (std::uint32_t s = 0; s < 2; ++s) {
      CHECK((*batch)->ids()[s] == (*expected)->ids()[s]);
      CHECK(std::ranges::equal((*batch)->records()[s],
                               (*expected)->records()[s]));
    }
  }
  const auto second = Begun(storage, {.pack = pack, .rank = 1, .world = 2});
  RequireComplete(*second);
  RequireComplete(*first);
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("A kept dataset is not joined with others", "[keep][refused]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree", 12);
  const auto keep = Begun(storage, {.pack = KeptPack(3, "recordio")});
  const auto mixed = Dataset::Concatenate({keep->dataset(), keep->dataset()});
  CHECK(mixed.status().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::keep_test
