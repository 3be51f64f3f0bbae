// Faults and kills while one dataset takes the place of another: the old one
// stays complete until the new one is whole, the same call finishes, and the
// user's files stay.

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/sealed_text.h"
#include "dataset/dataset_reader.h"
#include "dataset/unfinished.h"
#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/pack.h"
#include "shardine/resize.h"
#include "support/fault_sweep.h"
#include "support/sanitized.h"
#include "support/variant_fixture.h"

namespace shardine::replace_fault_test {
namespace {

constexpr char kTree[] = "tree";

// A user's files: beside the shards, in a folder of sizes, and among
// companions.
constexpr const char* kForeign[] = {"out/note", "out/sz/8/note",
                                    "out/.shardine/note"};

// The dataset that gives way: of another format and number of shards, with
// sizes.
PackOptions OldPack() {
  PackOptions options = VariantsOf(kTree, "out");
  options.format = "lmdb/datum:dir=yes";
  options.threads = 1;
  return options;
}

enum class Kind : std::uint8_t { kPack, kSizes, kWriter };

Status Write(Storage& storage) {
  DatasetWriterOptions options;
  options.output = "out";
  options.format = "tfrecord";
  options.shard_samples = 2;
  options.check = ImageCheckLevel::kNone;
  options.replace = true;
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  if (!writer.ok()) return writer.status();
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::string image = NoiseBytes(50, i);
    const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
    const Status status = (*writer)->Append({.fields = {&field, 1}});
    if (!status.ok()) return status;
  }
  return (*writer)->Finish().status();
}

Status Replace(Kind kind, Storage& storage) {
  if (kind == Kind::kWriter) return Write(storage);
  PackOptions options =
      kind == Kind::kPack ? PackOf(kTree, "out") : VariantsOf(kTree, "out");
  options.variants.original = kind == Kind::kPack;
  options.format = "tfrecord";
  options.threads = 1;
  options.replace = true;
  return Pack(options, {.storage = &storage}).status();
}

void PutAll(MemoryStorage& storage, const std::string& folder,
            const Snapshot& files) {
  for (const auto& [name, contents] : files) {
    storage.Put(JoinPath(folder, name), contents);
  }
}

// The images are made once, and so is the old dataset.
void PutSources(MemoryStorage& storage) {
  static const Snapshot images = [] {
    MemoryStorage made;
    PutImages(made, kTree);
    return TakeSnapshot(made, kTree);
  }();
  PutAll(storage, kTree, images);
}

void PutOld(MemoryStorage& storage) {
  PutSources(storage);
  static const Snapshot old_files = [] {
    MemoryStorage made;
    PutSources(made);
    REQUIRE(Pack(OldPack(), {.storage = &made}).status().ToString() == "OK");
    return TakeSnapshot(made, "out");
  }();
  PutAll(storage, "out", old_files);
  for (const char* path : kForeign) storage.Put(path, "the user's");
}

Snapshot WithoutForeign(Snapshot files) {
  for (const char* path : kForeign) {
    files.erase(std::string(path).substr(std::string("out/").size()));
  }
  return files;
}

Work ReplacingWork(Kind kind) {
  return {&PutOld, [kind](Storage& storage) { return Replace(kind, storage); }};
}

// The output of the same call in an empty folder.
Snapshot MadeAgain(Kind kind) {
  return Undisturbed({&PutSources, [kind](Storage& storage) {
                        return Replace(kind, storage);
                      }});
}

struct Expected {
  Snapshot old_files;
  Snapshot new_files;
};

Expected ExpectedOf(Kind kind) {
  MemoryStorage storage;
  PutOld(storage);
  return {WithoutForeign(TakeSnapshot(storage, "out")), MadeAgain(kind)};
}

std::size_t CountOf(const Snapshot& files, const Snapshot& wanted) {
  std::size_t found = 0;
  for (const auto& [name, contents] : wanted) {
    const auto file = files.find(name);
    found += file != files.end() && file->second == contents ? 1 : 0;
  }
  return found;
}

void CheckAfter(Kind kind, MemoryStorage& storage, const Expected& expected) {
  for (const char* path : kForeign) {
    INFO(path);
    REQUIRE(storage.Get(path).ok());
    REQUIRE(*storage.Get(path) == "the user's");
  }
  const Snapshot left = TakeSnapshot(storage, "out");
  const bool old_is_whole =
      CountOf(left, expected.old_files) == expected.old_files.size();
  // With one of its files gone, the old dataset is no longer said to be there.
  if (!old_is_whole) {
    const auto manifest = left.find("shardine.json");
    REQUIRE((manifest == left.end() ||
             CountOf(left, expected.new_files) == expected.new_files.size()));
  }
  REQUIRE(Replace(kind, storage).ToString() == "OK");
  REQUIRE(WithoutForeign(TakeSnapshot(storage, "out")) == expected.new_files);
}

Kind AnyKind() { return GENERATE(Kind::kPack, Kind::kSizes, Kind::kWriter); }

TEST_CASE("A dataset that is replaced leaves no file of its own",
          "[corruption][replace]") {
  const Kind kind = AnyKind();
  MemoryStorage storage;
  PutOld(storage);
  REQUIRE(Replace(kind, storage).ToString() == "OK");
  CHECK(WithoutForeign(TakeSnapshot(storage, "out")) == MadeAgain(kind));
  for (const char* path : kForeign) CHECK(*storage.Get(path) == "the user's");
}

TEST_CASE("What no manifest of the new dataset lists gets no place",
          "[corruption][replace]") {
  MemoryStorage storage;
  PutOld(storage);
  constexpr char kStray[] = "out/.pack/next/stray.tfrecord";
  storage.Put(kStray, "another's");
  REQUIRE(Replace(Kind::kPack, storage).ToString() == "OK");
  CHECK(*storage.Get(kStray) == "another's");
  REQUIRE(storage.Remove(kStray).ok());
  CHECK(WithoutForeign(TakeSnapshot(storage, "out")) == MadeAgain(Kind::kPack));
}

TEST_CASE("Images that the new dataset rejects get their place",
          "[corruption][replace]") {
  MemoryStorage storage;
  PutOld(storage);
  storage.Put("tree/class0/bad.jpg", "no image");
  PackOptions options = PackOf(kTree, "out");
  options.format = "tfrecord";
  options.replace = true;
  options.check = ImageCheckLevel::kHeader;
  options.on_bad = OnBad::kQuarantine;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
  CHECK(*storage.Get("out/quarantine/train/class0/bad.jpg") == "no image");
  CHECK(storage.Get("out/rejected.jsonl").ok());
}

TEST_CASE("A replacement killed at any call is finished by the same call",
          "[corruption][replace]") {
  const Kind kind = AnyKind();
  const Expected expected = ExpectedOf(kind);
  // Sizes cost the most.
  const std::uint64_t step = kind == Kind::kSizes && !kSanitized ? 5 : 1;
  const Fault kill = {.effect = Fault::Effect::kCrash};
  StrikeEachCall(ReplacingWork(kind), kill, step * kSweepStep, 100,
                 [&](const Aftermath& after) {
                   CheckAfter(kind, after.storage, expected);
                 });
}

TEST_CASE("A replacement that loses power is finished by the same call",
          "[corruption][replace]") {
  const Expected expected = ExpectedOf(Kind::kPack);
  KillAtEachCall(ReplacingWork(Kind::kPack), 100, [&](const Aftermath& after) {
    after.storage.LosePower();
    CheckAfter(Kind::kPack, after.storage, expected);
  });
}

TEST_CASE("A replacement whose call fails loses nothing",
          "[corruption][replace]") {
  const Kind kind = GENERATE(Kind::kPack, Kind::kWriter);
  const Expected expected = ExpectedOf(kind);
  const Fault faults[] = {
      {Operation::kWrite, 0, ENOSPC, Fault::Effect::kShortWrite},
      {Operation::kSync, 0, EIO, Fault::Effect::kError},
      {Operation::kCreate, 0, ENOSPC, Fault::Effect::kError},
      {Operation::kRename, 0, EIO, Fault::Effect::kError},
      {Operation::kRemove, 0, EIO, Fault::Effect::kError},
      {Operation::kMakeDirectory, 0, EACCES, Fault::Effect::kError},
      {Operation::kSyncDirectory, 0, EIO, Fault::Effect::kError},
      {Operation::kList, 0, EIO, Fault::Effect::kError},
      {Operation::kStat, 0, EIO, Fault::Effect::kError},
      {Operation::kRead, 0, EIO, Fault::Effect::kError},
  };
  StrikeEachCall(ReplacingWork(kind), faults, [&](const Aftermath& after) {
    INFO(after.status.ToString());
    CheckAfter(kind, after.storage, expected);
  });
}

TEST_CASE("A file in the way stops a replacement before the old files go",
          "[corruption][replace]") {
  MemoryStorage storage;
  PutOld(storage);
  const Snapshot before = TakeSnapshot(storage, "out");
  const Expected expected = ExpectedOf(Kind::kPack);
  const std::string shard = [&] {
    for (const auto& [name, contents] : expected.new_files) {
      if (name.ends_with(".tfrecord")) return name;
    }
    return std::string();
  }();
  storage.Put("out/" + shard, "the user's");
  const Status refused = Replace(Kind::kPack, storage);
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == "out/" + shard);
  CHECK(CountOf(TakeSnapshot(storage, "out"), before) == before.size());
  CHECK(*storage.Get("out/" + shard) == "the user's");
  // The advice works.
  REQUIRE(storage.Remove("out/" + shard).ok());
  CheckAfter(Kind::kPack, storage, expected);
}

bool HasManifest(MemoryStorage& storage) {
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (!name.starts_with(".pack/") && name.ends_with("shardine.json")) {
      return true;
    }
  }
  return false;
}

// The first kill at a removal after which neither dataset has a manifest.
void KillHalfWay(MemoryStorage& storage) {
  for (std::uint64_t call = 0;; ++call) {
    REQUIRE(call < 100);
    storage = MemoryStorage();
    PutOld(storage);
    FaultStorage dying(storage, {.operation = Operation::kRemove,
                                 .call = call,
                                 .effect = Fault::Effect::kCrash});
    REQUIRE_FALSE(Replace(Kind::kPack, dying).ok());
    if (!HasManifest(storage)) return;
  }
}

TEST_CASE("Nothing else works in a folder whose dataset is half replaced",
          "[corruption][replace]") {
  MemoryStorage storage;
  KillHalfWay(storage);
  static_cast<void>(storage.Remove("out/.pack/lock"));  // of the dead
  const Snapshot before = TakeSnapshot(storage, "out");
  PackOptions other = PackOf(kTree, "out");
  const Status refused = Pack(other, {.storage = &storage}).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.message().find("is being replaced") != std::string::npos);
  DatasetWriterOptions writing;
  writing.output = "out";
  CHECK(DatasetWriter::Create(writing, {.storage = &storage}).status().code() ==
        Code::kAlreadyExists);
  CHECK(DescribeUnfinished(storage, "out").find("is being replaced") !=
        std::string::npos);
  CHECK(TakeSnapshot(storage, "out") == before);
  CheckAfter(Kind::kPack, storage, ExpectedOf(Kind::kPack));
}

// The input is gone for a moment, and so is a second run's input.
TEST_CASE("A conversion in place is finished by the same call",
          "[corruption][replace]") {
  const auto convert = [](Storage& storage) {
    ConvertOptions options;
    options.input = "out";
    options.output = "out";
    options.format = "tfrecord";
    options.replace = true;
    options.threads = 1;
    return Convert(options, {.storage = &storage}).status();
  };
  const Fault kill = {.operation = Operation::kRemove,
                      .effect = Fault::Effect::kCrash};
  StrikeEachCall({&PutOld, convert}, kill, 1, 10, [&](const Aftermath& after) {
    REQUIRE(convert(after.storage).ToString() == "OK");
    const auto info = DatasetReader::Open(after.storage, "out");
    REQUIRE(info.status().ToString() == "OK");
    CHECK((*info)->manifest().samples() == kImages);
    CHECK(after.storage.Get("out/note").ok());
  });
}

// Commands that replace their input, which has changed afterwards.
enum class InPlace : std::uint8_t { kReshuffle, kMerge, kResize };

void PutInPlace(MemoryStorage& storage) {
  PutOld(storage);
  static const Snapshot other = [] {
    MemoryStorage made;
    PutSources(made);
    REQUIRE(Pack(PackOf(kTree, "other"), {.storage = &made}).ok());
    return TakeSnapshot(made, "other");
  }();
  PutAll(storage, "other", other);
}

template <typename Options>
Options InPlaceOptions() {
  Options options;
  options.output = "out";
  options.format = "tfrecord";
  options.replace = true;
  options.threads = 1;
  return options;
}

Result<PackResult> ReplaceInPlace(InPlace kind, Storage& storage) {
  const Job job{.storage = &storage};
  if (kind == InPlace::kReshuffle) {
    auto options = InPlaceOptions<ConvertOptions>();
    options.input = "out";
    options.reshuffle = 5;
    return Convert(options, job);
  }
  if (kind == InPlace::kMerge) {
    auto options = InPlaceOptions<MergeOptions>();
    options.inputs = {"out", "other"};
    options.key_prefix = "{n}/";
    return Merge(options, job);
  }
  auto options = InPlaceOptions<ResizeShardsOptions>();
  options.source.folders = {{"train", "out"}};
  options.short_sides = {8};
  return ResizeShards(options, job);
}

Work InPlaceWork(InPlace kind) {
  return {&PutInPlace, [kind](Storage& storage) {
            return ReplaceInPlace(kind, storage).status();
          }};
}

InPlace AnyInPlace() {
  return GENERATE(InPlace::kReshuffle, InPlace::kMerge, InPlace::kResize);
}

TEST_CASE("A command that replaces its own input is carried out once",
          "[corruption][replace]") {
  const InPlace kind = AnyInPlace();
  const Snapshot once = Undisturbed(InPlaceWork(kind));
  const std::uint64_t step = kind == InPlace::kResize && !kSanitized ? 5 : 1;
  const Fault kill = {.effect = Fault::Effect::kCrash};
  std::size_t told = 0;
  StrikeEachCall(InPlaceWork(kind), kill, step * kSweepStep, 100,
                 [&](const Aftermath& after) {
                   const bool begun =
                       after.storage.Stat("out/.pack/replacement").ok();
                   // Without the record nothing is left to do but to unlock.
                   static_cast<void>(after.storage.Remove("out/.pack/lock"));
                   const bool done = TakeSnapshot(after.storage, "out") == once;
                   if (!begun && done) return;
                   const auto again = ReplaceInPlace(kind, after.storage);
                   REQUIRE(again.status().ToString() == "OK");
                   CHECK(again->nothing_to_do == begun);
                   told += begun ? 1 : 0;
                   Snapshot left = TakeSnapshot(after.storage, "out");
                   REQUIRE(left == once);
                 });
  CHECK(told > 3);
}

// Two samples that the input lost when it was made.
void PutLossy(MemoryStorage& storage) {
  PutSources(storage);
  storage.Put("tree/class0/bad.jpg", "no image");
  storage.Put("tree/class1/empty.jpg", "");
  PackOptions options = PackOf(kTree, "out");
  options.check = ImageCheckLevel::kHeader;
  options.on_bad = OnBad::kSkip;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
}

std::string CountsOf(const std::vector<RejectedCount>& counts) {
  std::string text;
  for (const RejectedCount& entry : counts) {
    text += entry.reason + "/" + entry.action + "=" +
            std::to_string(entry.count) + " ";
  }
  return text;
}

TEST_CASE("A replacement that is finished later tells its rejects from others'",
          "[corruption][replace]") {
  const InPlace kind = GENERATE(InPlace::kReshuffle, InPlace::kResize);
  MemoryStorage undisturbed;
  PutLossy(undisturbed);
  const auto once = ReplaceInPlace(kind, undisturbed);
  REQUIRE(once.status().ToString() == "OK");
  CHECK(once->rejected.empty());
  CHECK(CountsOf(once->rejected_before) == "empty/skip=1 not-an-image/skip=1 ");
  const Work work{&PutLossy, [kind](Storage& storage) {
                    return ReplaceInPlace(kind, storage).status();
                  }};
  const Fault kill = {.operation = Operation::kRemove,
                      .effect = Fault::Effect::kCrash};
  std::size_t told = 0;
  StrikeEachCall(work, kill, 1, 10, [&](const Aftermath& after) {
    if (!after.storage.Stat("out/.pack/replacement").ok()) return;
    const auto again = ReplaceInPlace(kind, after.storage);
    REQUIRE(again.status().ToString() == "OK");
    CHECK(CountsOf(again->rejected) == CountsOf(once->rejected));
    CHECK(CountsOf(again->rejected_before) == CountsOf(once->rejected_before));
    CHECK(TakeSnapshot(after.storage, "out") ==
          TakeSnapshot(undisturbed, "out"));
    ++told;
  });
  CHECK(told > 3);
}

TEST_CASE("Another command goes on from what was half replaced",
          "[corruption][replace]") {
  MemoryStorage storage;
  const auto run = [&](std::uint64_t seed) {
    auto options = InPlaceOptions<ConvertOptions>();
    options.input = "out";
    options.reshuffle = seed;
    return
        [options](Storage& to) { return Convert(options, {.storage = &to}); };
  };
  for (std::uint64_t call = 0; !storage.Stat("out/.pack/replacement").ok();
       ++call) {
    REQUIRE(call < 100);
    storage = MemoryStorage();
    PutInPlace(storage);
    FaultStorage dying(storage, {.operation = Operation::kRemove,
                                 .call = call,
                                 .effect = Fault::Effect::kCrash});
    REQUIRE_FALSE(run(5)(dying).ok());
  }
  const auto other = run(6)(storage);
  REQUIRE(other.status().ToString() == "OK");
  CHECK_FALSE(other->nothing_to_do);
  MemoryStorage wanted;
  PutInPlace(wanted);
  REQUIRE(run(5)(wanted).ok());
  REQUIRE(run(6)(wanted).ok());
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(wanted, "out"));
}

// A forger of the record can compute its checksum.
TEST_CASE("A forged record reaches no file beyond the folder",
          "[corruption][replace]") {
  for (const char* path : {"../mine", "/mine", "a/../../mine", ".pack/lock"}) {
    INFO(path);
    MemoryStorage storage;
    PutOld(storage);
    storage.Put("mine", "the user's");
    storage.Put("/mine", "the user's");
    storage.Put("out/.pack/replacement",
                SealText("shardine replacement 1\n{\"new\":[],\"old\":[\"" +
                         std::string(path) + "\"]}\n"));
    CHECK(Replace(Kind::kPack, storage).code() == Code::kCorrupt);
    CHECK(storage.Get("mine").ok());
    CHECK(storage.Get("/mine").ok());
    CHECK(storage.Get("out/shardine.json").ok());
  }
}

TEST_CASE("A record whose counts are none is damaged",
          "[corruption][replace]") {
  for (const char* counts :
       {"{}", "[1]", "[{}]", R"([{"action":"skip","count":-1,"reason":"x"}])",
        R"([{"action":"skip","count":1,"reason":1}])",
        R"([{"action":"skip","count":1,"reason":"\\"}])"}) {
    INFO(counts);
    MemoryStorage storage;
    PutOld(storage);
    storage.Put("out/.pack/replacement",
                SealText("shardine replacement 1\n{\"new\":[],\"old\":[],"
                         "\"rejected_before\":" +
                         std::string(counts) + "}\n"));
    const Status refused = Replace(Kind::kPack, storage);
    CHECK(refused.code() == Code::kCorrupt);
    CHECK(refused.where().path == "out/.pack/replacement");
  }
}

}  // namespace
}  // namespace shardine::replace_fault_test
