// Checks for fuzzers of forged side files: a dataset, the result of each way of
// reading it, and the results allowed once its files were changed.
#ifndef SHARDINE_TESTS_SUPPORT_FORGED_READING_H_
#define SHARDINE_TESTS_SUPPORT_FORGED_READING_H_

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/read_every_way.h"

namespace shardine {

class ForgedReading {
 public:
  // A reading of photos, fields or arrays: made once. REQUIRES: number < 3.
  static ForgedReading& Of(std::size_t number) {
    static ForgedReading readings[] = {ForgedReading(MakePhotos()),
                                       ForgedReading(MakeFields()),
                                       ForgedReading(MakeArrays())};
    return readings[number];
  }

  const SideFileWorld& world() const { return world_; }
  // The manifest of that dataset, without its own digest.
  const nlohmann::json& manifest() const { return manifest_; }
  const std::vector<FileNumber>& sidecar_numbers() const { return numbers_; }

  // Aborts if it ends in an unforeseen failure, or gives something else than
  // the sound dataset while verification calls it sound. The manifest is put in
  // keeping with the files if `manifest_too`.
  void Check(Reading way, SideFileWorld changed, bool manifest_too = true) {
    if (manifest_too) {
      auto manifest = manifest_;
      RefreshFiles(changed.files, "out", manifest);
      PutManifest(std::move(manifest), Reseal::kSums, "out", changed.files);
    }
    const Outcome outcome = Read(way, changed);
    if (outcome.status.code() == Code::kFailed) Fail(way, outcome);
    if (way == Reading::kVerify || !outcome.status.ok()) return;
    if (outcome.result == expected_.at(way).result) return;
    if (Read(Reading::kVerify, changed).found_damage()) return;
    Fail(way, outcome);
  }

 private:
  explicit ForgedReading(SideFileWorld world)
      : world_(std::move(world)),
        manifest_(ManifestIn(world_.files, "out")),
        numbers_(NumbersOfSidecar(world_.files.at(world_.sidecar))) {
    for (const Reading way : kReadings) expected_[way] = Read(way, world_);
  }

  [[noreturn]] static void Fail(Reading way, const Outcome& outcome) {
    std::fprintf(stderr, "%s: %s, \"%s\"\n", NameOf(way),
                 outcome.status.ToString().c_str(), outcome.result.c_str());
    std::abort();
  }

  const SideFileWorld world_;
  const nlohmann::json manifest_;
  const std::vector<FileNumber> numbers_;
  std::map<Reading, Outcome> expected_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_FORGED_READING_H_
