#include "verify/dataset_verifier.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "dataset/metadata_files.h"
#include "dataset/rejects.h"
#include "io/anew_storage.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shard/companion_folder.h"
#include "shardine/escape.h"
#include "verify/reading_failure.h"

namespace shardine {
namespace {

// Beside a lock, which says no more than that somebody is there.
bool HasWorkFiles(ReadableStorage& storage, const std::string& directory) {
  const auto entries = storage.List(JoinPath(directory, kWorkFolder));
  if (!entries.ok()) return false;
  return std::ranges::any_of(
      *entries, [](const DirEntry& entry) { return entry.name != "lock"; });
}

// The files in a dataset's folder and in that of its companions, by their paths
// from there. Folders are those of variants, which the manifest has as its
// children, or hold what was quarantined.
std::vector<std::string> FilesOf(ReadableStorage& storage,
                                 const std::string& directory) {
  std::vector<std::string> files;
  for (const std::string below : {"", kCompanionFolder}) {
    const auto entries =
        storage.List(below.empty() ? directory : JoinPath(directory, below));
    // They are looked at for notes on files that nobody reads: a folder that
    // cannot be listed is no reason to fail.
    if (!entries.ok()) continue;
    for (const DirEntry& entry : *entries) {
      if (entry.kind == FileKind::kDirectory) continue;
      files.push_back(below.empty() ? entry.name : JoinPath(below, entry.name));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<VerifyResult> DatasetVerifier::Run(const std::stop_token& stop) {
  if (!options_.against.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(against_,
                              SourceTree::Open(storage_, dataset_, options_));
  }
  CheckManifestText();
  SHARDINE_RETURN_IF_ERROR(CheckShards(stop));
  CheckOtherFiles();
  // With a finding some samples are missing from the sums, which would then
  // disagree for that reason and hide it among others.
  if (options_.level != VerifyLevel::kQuick && result_.findings.empty()) {
    CheckSums();
  }
  NoteUnlisted();
  SHARDINE_RETURN_IF_ERROR(NoteMissingImages());
  SHARDINE_RETURN_IF_ERROR(ReadingFailure(result_.findings));
  result_.shards = dataset_.shards().size();
  return std::move(result_);
}

Status DatasetVerifier::NoteMissingImages() {
  if (!against_) return Status();
  if (options_.level == VerifyLevel::kQuick) {
    result_.notes.push_back(
        "a quick check reads no images: none was compared "
        "with " +
        EscapeBytes(options_.against));
  }
  auto note = against_->NoteMissingImages();
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

Status DatasetVerifier::CheckShards(const std::stop_token& stop) {
  const auto shards = dataset_.shards();
  std::vector<std::vector<Status>> findings(shards.size());
  sums_.resize(shards.size());
  std::vector<std::map<std::string, std::uint64_t>> kept(shards.size());
  const KeptImages known = ReadKept();
  const ShardVerifier::Options options{
      .level = options_.level,
      .against = against_ ? &*against_ : nullptr,
      .kept = &known,
      .on_record = [&](std::uint64_t bytes) { progress_.AddSample(bytes); }};
  std::vector<std::uint8_t> came_wrong(shards.size());
  const auto verify_on = [&](ReadableStorage& storage, std::size_t i,
                             const ShardVerifier::Options& how) {
    ShardVerifier verifier(storage, dataset_, shards[i], format_, how);
    SHARDINE_RETURN_IF_ERROR(verifier.Run(stop));
    // Each shard has its own place, so that findings come in the order of the
    // manifest for any number of threads.
    findings[i] = verifier.findings();
    sums_[i] = verifier.sums();
    kept[i] = verifier.kept();
    return Status();
  };
  const auto verify = [&](std::size_t i) {
    SHARDINE_RETURN_IF_ERROR(verify_on(storage_, i, options));
    // What a server gave is not always what it has.
    if (findings[i].empty() || SchemeOf(dataset_.directory()).empty()) {
      return Status();
    }
    AnewStorage anew(storage_);
    ShardVerifier::Options uncounted = options;
    uncounted.on_record = nullptr;
    SHARDINE_RETURN_IF_ERROR(verify_on(anew, i, uncounted));
    came_wrong[i] = findings[i].empty() ? 1 : 0;
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(ParallelFor(shards.size(), Threads(), verify));
  for (std::vector<Status>& list : findings) {
    std::move(list.begin(), list.end(), std::back_inserter(result_.findings));
  }
  NoteKept(kept);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (came_wrong[i] == 0) continue;
    result_.notes.push_back(shards[i].shard->file.path +
                            " came wrong from the server, and right when it "
                            "was asked for once more");
  }
  return Status();
}

// Shards of a server are mostly waited for, their many small files above all.
unsigned DatasetVerifier::Threads() const {
  constexpr unsigned kOfServers = 8;
  const unsigned threads = ThreadCount(options_.threads);
  const bool waits = !SchemeOf(dataset_.directory()).empty();
  return options_.threads == 0 && waits ? std::max(threads, kOfServers)
                                        : threads;
}

// Only decoding finds what these excuse.
KeptImages DatasetVerifier::ReadKept() {
  if (options_.level != VerifyLevel::kDeep) return {};
  auto kept = KeptImages::Read(dataset_);
  if (kept.ok()) return *std::move(kept);
  // A list that cannot be read excuses nothing: the images it may have excused
  // are reported beside it.
  result_.findings.push_back(kept.status());
  return {};
}

void DatasetVerifier::NoteKept(
    const std::vector<std::map<std::string, std::uint64_t>>& by_shard) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& shard : by_shard) {
    for (const auto& [reason, count] : shard) counts[reason] += count;
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
  Status metadata = CheckMetadata(storage_, dataset_.directory(), format_,
                                  dataset_.manifest());
  if (!metadata.ok()) result_.findings.push_back(std::move(metadata));
}

// Each shard is as its sidecar says: do they add up to the manifest?
void DatasetVerifier::CheckSums() {
  EntryPointCounts entry_points;
  for (const ShardVerifier::Sums& sums : sums_) {
    entry_points += sums.entry_points;
  }
  if (entry_points != dataset_.manifest().entry_points) {
    result_.findings.push_back(
        Status(Code::kCorrupt,
               "the entry points of the shards do not add up "
               "to those of the manifest")
            .At({.path = JoinPath(dataset_.directory(), kManifestName)}));
  }
  for (const ManifestSplit& split : dataset_.manifest().splits) {
    ManifestSplit found;
    Xxh3Stream order;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (dataset_.shards()[i].split != &split) continue;
      found.samples += sums_[i].ids.size();
      found.content_digest += sums_[i].content;
      found.names_digest += sums_[i].names;
      found.binding_digest += sums_[i].bindings;
      found.unlabelled += sums_[i].unlabelled;
      order.Update(std::as_bytes(std::span(sums_[i].ids)));
    }
    if (found.samples == split.samples &&
        found.content_digest == split.content_digest &&
        found.names_digest == split.names_digest &&
        // Manifests of schema 1 have neither binding digests nor counts of
        // unlabelled samples.
        (!dataset_.manifest().has_bindings() ||
         (found.binding_digest == split.binding_digest &&
          found.unlabelled == split.unlabelled)) &&
        order.Digest() == split.order_digest) {
      continue;
    }
    result_.findings.push_back(
        Status(Code::kCorrupt, "split " + split.name +
                                   ": the shards do not add up to the "
                                   "digests of the manifest")
            .At({.path = JoinPath(dataset_.directory(), kManifestName)}));
  }
}

void DatasetVerifier::NoteUnlisted() {
  std::vector<std::string> listed = {kManifestName};
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
