#include "verify/dataset_verifier.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/card_seal.h"
#include "dataset/dataset_summary.h"
#include "dataset/metadata_files.h"
#include "dataset/rejects.h"
#include "pipeline/parallel_for.h"
#include "shard/companion_folder.h"
#include "shardine/card.h"
#include "shardine/escape.h"
#include "verify/group_check.h"
#include "verify/reading_failure.h"

namespace shardine {
namespace {

// Whether there are work files beside a lock, which only shows that a process
// is at work.
bool HasWorkFiles(ReadableStorage& storage, const std::string& directory) {
  const auto entries = storage.List(JoinPath(directory, kWorkFolder));
  if (!entries.ok()) return false;
  return std::ranges::any_of(
      *entries, [](const DirEntry& entry) { return entry.name != "lock"; });
}

// The files in a dataset's folder and in its companion folder, by their paths
// from there. Other folders belong to variants, which the manifest has as its
// children, or hold quarantined files.
std::vector<std::string> FilesOf(ReadableStorage& storage,
                                 const std::string& directory) {
  std::vector<std::string> files;
  for (const std::string below : {"", kCompanionFolder}) {
    const auto entries =
        storage.List(below.empty() ? directory : JoinPath(directory, below));
    // They only give notes on files that are not read: a folder that cannot be
    // listed is no reason to fail.
    if (!entries.ok()) continue;
    for (const DirEntry& entry : *entries) {
      if (entry.kind == FileKind::kDirectory) continue;
      files.push_back(below.empty() ? entry.name : JoinPath(below, entry.name));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Earlier manifests count neither deep images, kinds, nor lacking fields.
bool HasCounts(const ManifestSplit& split, const ManifestSplit& found) {
  return (split.deep == 0 || split.deep == found.deep) &&
         (split.unsupported.empty() ||
          split.unsupported == found.unsupported) &&
         (split.lacking.empty() || split.lacking == found.lacking);
}

}  // namespace

Result<VerifyResult> DatasetVerifier::Run(const OutcomeOf& outcome_of) {
  CheckManifestText();
  SHARDINE_RETURN_IF_ERROR(CollectOutcomes(outcome_of));
  CheckOtherFiles();
  // With a finding some samples are missing from the sums, which would then
  // disagree for that reason and hide it among others.
  if (options_.level != VerifyLevel::kQuick && result_.findings.empty()) {
    CheckSums();
  }
  if (options_.level != VerifyLevel::kQuick) CheckGroupsOfSplits();
  NoteDroppedPromises();
  NoteStaleCard();
  NoteUnlisted();
  SHARDINE_RETURN_IF_ERROR(NoteMissingImages());
  SHARDINE_RETURN_IF_ERROR(ReadingFailure(result_.findings));
  result_.shards = outcomes_.size();
  result_.contents = ContentsOf(dataset_.manifest());
  for (const ShardOutcome& outcome : outcomes_) {
    result_.samples += outcome.samples;
    result_.bytes += outcome.bytes;
  }
  return std::move(result_);
}

Status DatasetVerifier::NoteMissingImages() {
  if (shards_.against() == nullptr) return Status();
  if (options_.level == VerifyLevel::kQuick) {
    result_.notes.push_back(
        "a quick check reads no images: none was compared "
        "with " +
        EscapeBytes(options_.against));
  }
  auto note = shards_.against()->NoteMissingImages();
  if (note.ok()) {
    if (!note->empty()) result_.notes.push_back(*std::move(note));
    return Status();
  }
  // A sidecar that is damaged keeps the keys from being listed. It is a
  // finding already, whose place a failure would take.
  return result_.findings.empty() ? std::move(note).status() : Status();
}

// The reader that opened the dataset has checked the digest and the members,
// not whether the text is the one way of writing them (see ReadManifest): only
// verification has the time.
void DatasetVerifier::CheckManifestText() {
  const auto text = ReadManifestText(storage_, dataset_.directory());
  Status status = text.ok() ? ParseManifest(*text).status() : text.status();
  if (status.ok()) return;
  result_.findings.push_back(std::move(status).At(
      {.path = JoinPath(dataset_.directory(), kManifestName)}));
}

Status DatasetVerifier::CollectOutcomes(const OutcomeOf& outcome_of) {
  if (!shards_.kept_failure().ok()) {
    result_.findings.push_back(shards_.kept_failure());
  }
  const auto shards = dataset_.shards();
  outcomes_.resize(shards.size());
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(shards.size(), shards_.threads(), [&](std::size_t i) {
        SHARDINE_ASSIGN_OR_RETURN(outcomes_[i], outcome_of(i));
        return Status();
      }));
  for (ShardOutcome& outcome : outcomes_) {
    std::ranges::move(outcome.findings, std::back_inserter(result_.findings));
  }
  NoteKept();
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (!outcomes_[i].came_wrong) continue;
    result_.notes.push_back(shards[i].shard->file.path +
                            " came wrong from the server, and right when it "
                            "was asked for once more");
  }
  return Status();
}

void DatasetVerifier::NoteDroppedPromises() {
  for (const std::string& text :
       PromiseTexts(dataset_.manifest().made).dropped) {
    result_.notes.push_back("an input promised " + text +
                            " in one split; this dataset does not");
  }
}

void DatasetVerifier::NoteStaleCard() {
  constexpr std::uint64_t kMostCard = std::uint64_t{64} << 20;  // bytes
  const auto page =
      ReadFile(storage_, JoinPath(dataset_.directory(), kCardName), kMostCard);
  const auto seal = page.ok() ? SealOf(*page) : std::nullopt;
  if (!seal || !seal->contains(kManifestName)) return;
  const auto text = ReadManifestText(storage_, dataset_.directory());
  if (!text.ok() ||
      Xxh3_128(AsBytes(*text)).ToHex() == seal->at(kManifestName)) {
    return;
  }
  result_.notes.push_back(
      std::string(kCardName) + ", " + kCroissantName + " and " +
      kChecksumsName +
      " describe the dataset as it was before a change; write the card again");
}

void DatasetVerifier::NoteKept() {
  std::map<std::string, std::uint64_t> counts;
  for (const ShardOutcome& outcome : outcomes_) {
    for (const auto& [reason, count] : outcome.kept) counts[reason] += count;
  }
  for (const auto& [reason, count] : counts) {
    result_.notes.push_back("images kept though bad, as " +
                            std::string(kRejectedName) +
                            " says: " + std::to_string(count) + ' ' + reason);
  }
}

void DatasetVerifier::CheckOtherFiles() {
  for (const ManifestFile& file : dataset_.manifest().files) {
    const std::string path = dataset_.PathOf(file);
    const auto found = DescribeFile(storage_, dataset_.directory(), file.path);
    if (!found.ok()) {
      result_.findings.push_back(found.status());
    } else if (*found != file) {
      result_.findings.push_back(
          Status(Code::kCorrupt, "digest differs from the manifest's")
              .At({.path = path}));
    }
  }
  // They are made of the shards' indexes: with one damaged they would only say
  // so again.
  if (!result_.findings.empty()) return;
  Status metadata = CheckMetadata(storage_, dataset_.directory(),
                                  shards_.format(), dataset_.manifest());
  if (!metadata.ok()) result_.findings.push_back(std::move(metadata));
}

// Each shard is as its sidecar says: do they add up to the manifest?
void DatasetVerifier::CheckSums() {
  EntryPointCounts entry_points;
  for (const ShardOutcome& outcome : outcomes_) {
    entry_points += outcome.sums.entry_points;
  }
  if (entry_points != dataset_.manifest().entry_points) {
    result_.findings.push_back(
        Status(Code::kCorrupt,
               "the entry points of the shards do not add up "
               "to those of the manifest")
            .At({.path = JoinPath(dataset_.directory(), kManifestName)}));
  }
  std::vector<ContentCounts> counts;
  std::vector<ManifestSplit> sums;
  for (const ManifestSplit& split : dataset_.manifest().splits) {
    ManifestSplit& found = sums.emplace_back();
    ContentCounts& counted = counts.emplace_back();
    Xxh3Stream order;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (dataset_.shards()[i].split != &split) continue;
      const ShardSums& shard = outcomes_[i].sums;
      found.samples += shard.ids.size();
      found.content_digest += shard.content;
      found.names_digest += shard.names;
      found.binding_digest += shard.bindings;
      counted.Add(shard.counts);
      order.Update(std::as_bytes(std::span(shard.ids)));
    }
    found.order_digest = order.Digest();
  }
  StoreCounts(counts, sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const ManifestSplit& split = dataset_.manifest().splits[i];
    const ManifestSplit& found = sums[i];
    if (found.samples == split.samples &&
        found.content_digest == split.content_digest &&
        found.names_digest == split.names_digest &&
        // Manifests of schema 1 have neither binding digests nor counts.
        (!dataset_.manifest().has_bindings() ||
         (found.binding_digest == split.binding_digest &&
          found.unlabelled == split.unlabelled && HasCounts(split, found))) &&
        found.order_digest == split.order_digest) {
      continue;
    }
    result_.findings.push_back(
        Status(Code::kCorrupt, "split " + split.name +
                                   ": the shards do not add up to the "
                                   "digests of the manifest")
            .At({.path = JoinPath(dataset_.directory(), kManifestName)}));
  }
}

void DatasetVerifier::CheckGroupsOfSplits() {
  auto found = CheckGroups(dataset_);
  if (found.ok()) {
    std::ranges::move(*found, std::back_inserter(result_.findings));
  } else if (result_.findings.empty()) {
    // An index that cannot be read is a finding of its shard's.
    result_.findings.push_back(std::move(found).status());
  }
}

void DatasetVerifier::NoteUnlisted() {
  std::vector<std::string> listed = {kManifestName, kCardName, kCroissantName,
                                     kChecksumsName};
  for (const ManifestFile& file : dataset_.manifest().files) {
    listed.push_back(file.path);
  }
  for (const DatasetReader::ShardRef& ref : dataset_.shards()) {
    listed.push_back(ref.shard->file.path);
    for (const ManifestFile& file : ref.shard->companions) {
      listed.push_back(file.path);
    }
  }
  std::sort(listed.begin(), listed.end());
  std::vector<std::string> unlisted;
  std::ranges::set_difference(FilesOf(storage_, dataset_.directory()), listed,
                              std::back_inserter(unlisted));
  if (HasWorkFiles(storage_, dataset_.directory())) {
    result_.notes.push_back(
        ".pack holds what a run keeps until it is done, and no part of this "
        "dataset: a run is at its end, or was killed there; the same command "
        "removes it");
  }
  for (const std::string& name : unlisted) {
    result_.notes.push_back(EscapeBytes(name) +
                            " is not listed in the manifest");
  }
}

}  // namespace shardine
