// Every number of a sidecar index, of entry points and of a manifest set to the
// values that a forger would try, and sealed again with valid checksums. A
// reader gets an error with a code or the same result as before. No signal, no
// gigabytes, no hang.
#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shard/extent.h"
#include "shard/shard_index_layout.h"
#include "support/entry_point_fixture.h"
#include "support/peak_memory.h"
#include "support/read_every_way.h"
#include "support/sanitized.h"
#include "support/seal_sidecar.h"
#include "support/side_file_numbers.h"

namespace shardine::side_file_sweep_test {
namespace {

constexpr int kStep = kSanitized ? 3 : 1;
constexpr double kMostSeconds = kSanitized ? 10 : 2;
// The datasets have 60 KB. Most of it are the batches that a loader of one
// thread has ready.
constexpr std::size_t kMostMemory = std::size_t{96} << 20;

// CPU time of all threads: the machine may have others to serve.
double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

// A dataset, the results of reading it, and the results allowed for forgeries.
class Sweep {
 public:
  explicit Sweep(SideFileWorld world) : world_(std::move(world)) {
    for (const Reading reading : kReadings) {
      expected_[reading] = Read(reading, world_);
    }
  }

  const SideFileWorld& world() const { return world_; }
  const Outcome& expected(Reading reading) const {
    return expected_.at(reading);
  }
  std::size_t forgeries() const { return forgeries_; }

  // `changed` differs in one number. Only every kStep-th forgery is tried.
  void Try(const std::string& what, const SideFileWorld& changed) {
    if (number_++ % kStep != 0) return;
    ++forgeries_;
    CAPTURE(what);
    std::map<Reading, Outcome> outcomes;
    for (const Reading reading : kReadings) {
      outcomes[reading] = ReadWithinBounds(reading, changed);
    }
    if (outcomes[Reading::kVerify].found_damage()) return;
    for (const Reading reading : kReadings) {
      CAPTURE(NameOf(reading));
      if (!outcomes[reading].status.ok()) continue;
      CHECK(outcomes[reading].result == expected(reading).result);
    }
  }

 private:
  static Outcome ReadWithinBounds(Reading reading, const SideFileWorld& from) {
    ResetPeak();
    const double begin = CpuSeconds();
    Outcome outcome = Read(reading, from);
    const double seconds = CpuSeconds() - begin;
    CAPTURE(NameOf(reading), outcome.status.ToString());
    CHECK(PeakBytes() <= kMostMemory);
    CHECK(seconds <= kMostSeconds);
    // A code of kFailed would be an unforeseen bad_alloc, length_error or ended
    // thread.
    CHECK(outcome.status.code() != Code::kFailed);
    return outcome;
  }

  const SideFileWorld world_;
  std::map<Reading, Outcome> expected_;
  std::size_t number_ = 0;
  std::size_t forgeries_ = 0;
};

std::vector<std::uint64_t> ValuesFor(std::size_t width, std::uint64_t limit) {
  std::vector<std::uint64_t> values = {0,          1,          limit - 1,
                                       limit,      1ULL << 31, 1ULL << 32,
                                       1ULL << 61, 1ULL << 63, ~0ULL};
  const std::uint64_t mask = width == 8 ? ~0ULL : (1ULL << 8 * width) - 1;
  for (std::uint64_t& value : values) value = std::min(value, mask);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

using Seal = void (*)(std::string& bytes);

// Updates the manifest to all files as they are now.
void PutInKeeping(Files& files) {
  auto manifest = ManifestIn(files, "out");
  RefreshFiles(files, "out", manifest);
  PutManifest(std::move(manifest), Reseal::kSums, "out", files);
}

// Each number of the file there, the manifest in keeping with it.
void SweepFile(Sweep& sweep, const std::string& path,
               const std::vector<FileNumber>& numbers, Seal seal) {
  const std::string& good = sweep.world().files.at(path);
  for (const FileNumber& number : numbers) {
    for (const std::uint64_t value : ValuesFor(number.width, number.limit)) {
      SideFileWorld changed = sweep.world();
      std::string& bytes = changed.files[path];
      SetNumber(number, value, bytes);
      seal(bytes);
      if (bytes == good) continue;
      PutInKeeping(changed.files);
      sweep.Try(path + ": " + number.name + " = " + std::to_string(value),
                changed);
    }
  }
}

void SweepSidecar(SideFileWorld (*make)()) {
  Sweep sweep(make());
  for (const Reading reading :
       {Reading::kFields, Reading::kDataset, Reading::kConvert}) {
    CAPTURE(NameOf(reading));
    REQUIRE(sweep.expected(reading).status.ToString() == "OK");
  }
  const std::string& path = sweep.world().sidecar;
  SweepFile(sweep, path, NumbersOfSidecar(sweep.world().files.at(path)),
            SealSidecar);
  CHECK(sweep.forgeries() > 60);
}

// Such fields are read by their scanner, which says how long they are.
TEST_CASE("Forged lengths of fields that are not in the shard as such",
          "[hostile][sweep]") {
  Sweep sweep(MakeFields());
  const std::string& path = sweep.world().sidecar;
  const auto numbers = NumbersOfSidecar(sweep.world().files.at(path));
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    if (!numbers[i].name.ends_with("extent offset")) continue;
    for (const std::uint64_t length : {0U, 1U, 60U, 5000U, 1U << 20}) {
      SideFileWorld changed = sweep.world();
      std::string& bytes = changed.files[path];
      SetNumber(numbers[i], kNowhere, bytes);
      SetNumber(numbers[i + 1], length, bytes);
      SealSidecar(bytes);
      PutInKeeping(changed.files);
      sweep.Try(numbers[i].name + ", length " + std::to_string(length),
                changed);
    }
  }
  CHECK(sweep.forgeries() > 10);
}

TEST_CASE("Forged numbers in a sidecar of photos", "[hostile][sweep]") {
  SweepSidecar(MakePhotos);
}

TEST_CASE("Forged numbers in a sidecar of fields", "[hostile][sweep]") {
  SweepSidecar(MakeFields);
}

TEST_CASE("Forged numbers in a sidecar of arrays", "[hostile][sweep]") {
  SweepSidecar(MakeArrays);
}

TEST_CASE("Forged lengths of keys in a sidecar", "[hostile][sweep]") {
  Sweep sweep(MakePhotos());
  const std::string& path = sweep.world().sidecar;
  const std::string keys = KeysOf(sweep.world().files.at(path));
  for (const std::uint64_t value : ValuesFor(4, kIndexMaxKeyBytes)) {
    SideFileWorld changed = sweep.world();
    std::string forged = keys;
    SetNumber({.name = "", .at = 0, .width = 4}, value, forged);
    if (forged == keys) continue;
    ReplaceKeys(forged, changed.files[path]);
    SealSidecar(changed.files[path]);
    auto manifest = ManifestIn(changed.files, "out");
    RefreshFiles(changed.files, "out", manifest);
    PutManifest(manifest, Reseal::kSums, "out", changed.files);
    sweep.Try("key length = " + std::to_string(value), changed);
  }
  CHECK(sweep.forgeries() >= 2);
}

TEST_CASE("Forged numbers in a file of entry points", "[hostile][sweep]") {
  Sweep sweep(MakePhotos());
  const std::string& path = sweep.world().entry_points;
  REQUIRE(!path.empty());
  SweepFile(sweep, path, NumbersOfEntryPoints(sweep.world().files.at(path)),
            SealEntryPoints);
  CHECK(sweep.forgeries() > 30);
}

TEST_CASE("Forged numbers in a manifest", "[hostile][sweep]") {
  Sweep sweep(GENERATE(true, false) ? MakePhotos() : MakeFields());
  const auto good = ManifestIn(sweep.world().files, "out");
  for (const auto& number : NumbersOfManifest(good)) {
    for (const std::uint64_t value :
         ValuesFor(8, good[number].get<std::uint64_t>() + 1)) {
      for (const Reseal reseal : {Reseal::kDigestOnly, Reseal::kSums}) {
        auto forged = good;
        forged[number] = value;
        if (forged == good) continue;
        SideFileWorld changed = sweep.world();
        PutManifest(forged, reseal, "out", changed.files);
        if (changed.files == sweep.world().files) continue;
        sweep.Try(number.to_string() + " = " + std::to_string(value), changed);
      }
    }
  }
  CHECK(sweep.forgeries() > 90 / kStep);
}

}  // namespace
}  // namespace shardine::side_file_sweep_test
