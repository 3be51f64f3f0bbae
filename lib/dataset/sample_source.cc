#include "dataset/sample_source.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "dataset/ignored.h"
#include "dataset/index_entry.h"
#include "dataset/joined_source.h"
#include "dataset/opened_source.h"
#include "dataset/rejects.h"
#include "io/open_files.h"
#include "shard/payload.h"
#include "shard/shard_index_layout.h"
#include "shardine/escape.h"
#include "source/label_matcher.h"

namespace shardine {
namespace {

// Three files each: less than a fifth of the process's limit, so that there is
// room for several datasets and for the rest of the process.
std::size_t ShardsToKeepOpen() {
  constexpr std::uint64_t kFewest = 16;
  constexpr std::uint64_t kMost = 1024;
  return static_cast<std::size_t>(
      std::clamp(OpenFileLimit() / 16, kFewest, kMost));
}

constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
// Samples that are read together: enough for any storage to be busy.
constexpr std::size_t kMostTogether = 256;

using Place = OpenedSource::Place;

}  // namespace

struct SampleSource::Parts {
  explicit Parts(OpenedSource opened)
      : source(std::move(opened)), pool(ShardsToKeepOpen(), source.open) {}

  OpenedSource source;
  mutable ShardPool pool;
  // The labels of a list, and the row of each sample by position.
  std::shared_ptr<const LabelTable> labels;
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> compact;  // labels that are 0, 1, 2, ... here
  // For a join of several sources: the parts of each, and the position of its
  // first sample.
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const Parts>>> joined;
  // Made by the first call that needs it.
  std::once_flag proved_once;
  std::unique_ptr<ProvedSamples> proved;

  Place Find(std::uint64_t position) const { return source.Find(position); }
  // Calls work(place, count) with each shard's part of [first, first + count),
  // in order, until it fails. REQUIRES: they are samples of the source.
  Status ForEachPart(
      std::uint64_t first, std::uint64_t count,
      const std::function<Status(const Place&, std::uint64_t)>& work) const;
  // Puts shard, record and key to a failure.
  Status Explain(Status status, const Place& place) const;
  // Adds facts that the sidecar lacks to its entry.
  void Complete(std::uint64_t position, IndexEntry& entry) const;
  // As DatasetOptions::compact_labels.
  void Compact(std::vector<std::int64_t> kept);
  std::int64_t CompactOf(const Label& label) const;
  // Whether the samples of the shard have to be read elsewhere.
  bool IsAwaited(std::size_t shard) const {
    return source.awaited != nullptr && !source.awaited->IsMade(shard);
  }
  Status ReadAwaited(std::uint64_t position, SampleRead& sample) const;
  Status AwaitedEntries(const Place& first, std::uint64_t count,
                        EntryParts parts,
                        std::vector<IndexEntry>& entries) const;
  Result<std::string> Key(const Place& place) const;
  Status Keys(const Place& first, std::uint64_t count,
              std::vector<std::string>& keys) const;
  Status CheckShardStreams(std::size_t shard,
                           const std::vector<std::string>& fields) const;
  // `other`: parts of another split, whose samples the list may have, too.
  Status UseLabels(
      ReadableStorage& storage, const DatasetOptions& options,
      const std::function<Result<OpenedSource>(const std::string& split)>&
          other,
      const std::stop_token& stop);
  // Calls work(row) for each sample in order.
  Status MatchRows(LabelMatcher& matcher,
                   const std::function<void(std::optional<std::size_t>)>& work,
                   const std::stop_token& stop) const;
};

Status SampleSource::Parts::ForEachPart(
    std::uint64_t first, std::uint64_t count,
    const std::function<Status(const Place&, std::uint64_t)>& work) const {
  SHARDINE_CHECK(first <= source.firsts.back() &&
                 count <= source.firsts.back() - first);
  for (const std::uint64_t end = first + count; first < end;) {
    const Place place = Find(first);
    const std::uint64_t behind = std::min(end, source.firsts[place.shard + 1]);
    SHARDINE_RETURN_IF_ERROR(work(place, behind - first));
    first = behind;
  }
  return Status();
}

Status SampleSource::Parts::Explain(Status status, const Place& place) const {
  if (status.ok()) return status;
  Where where{.path = source.shards[place.shard], .record = place.record};
  auto key = Key(place);
  if (key.ok()) where.key = *std::move(key);
  return std::move(status).At(where);
}

void SampleSource::Parts::Complete(std::uint64_t position,
                                   IndexEntry& entry) const {
  if (!joined.empty()) {
    // The last that begins there or before: those of no samples begin where the
    // next one does.
    const auto behind = std::ranges::upper_bound(
        joined, position, {}, [](const auto& part) { return part.first; });
    const auto& [first, part] = *std::prev(behind);
    return part->Complete(position - first, entry);
  }
  if (source.ids_are_positions) entry.id = position;
  if (labels && rows[position] != kNoRow) {
    const auto replaced = labels->labels(rows[position]);
    entry.labels.assign(replaced.begin(), replaced.end());
  }
  if (compact.empty()) return;
  for (Label& label : entry.labels) label = Label(CompactOf(label));
}

std::int64_t SampleSource::Parts::CompactOf(const Label& label) const {
  if (!label.is_integer()) return -1;
  const auto found = std::ranges::lower_bound(compact, label.integer());
  if (found == compact.end() || *found != label.integer()) return -1;
  return found - compact.begin();
}

void SampleSource::Parts::Compact(std::vector<std::int64_t> kept) {
  compact = std::move(kept);
  if (compact.empty()) return;
  for (DatasetClass& each : source.classes) {
    each.label = CompactOf(Label(each.label));
  }
  std::erase_if(source.classes,
                [](const DatasetClass& each) { return each.label < 0; });
}

Status SampleSource::Parts::CheckShardStreams(
    std::size_t shard, const std::vector<std::string>& fields) const {
  const std::uint64_t samples = source.firsts[shard + 1] - source.firsts[shard];
  const std::uint64_t count = std::min(samples, kIndexRowsPerPage);
  const auto opened = pool.Get(shard);
  std::vector<IndexEntry> entries;
  // Damage is no error here: the later read reports it.
  if (!opened.ok() || !(*opened)->index->Entries(0, count, entries).ok()) {
    return {};
  }
  for (std::size_t record = 0; record < entries.size(); ++record) {
    IndexEntry& entry = entries[record];
    KeepNamed(fields, entry);
    if (HasExtents(entry)) continue;
    return Explain(NotInShard(entry), {shard, record});
  }
  return {};
}

Status SampleSource::Parts::ReadAwaited(std::uint64_t position,
                                        SampleRead& sample) const {
  const Place place = Find(position);
  sample.payload = {};
  sample.is_nowhere = false;
  sample.unread.clear();
  sample.entry_points.Resize(0);
  SHARDINE_RETURN_IF_ERROR(
      source.awaited->Read(place.shard, place.record, sample));
  Complete(position, sample.entry);
  return Status();
}

Status SampleSource::Parts::AwaitedEntries(
    const Place& first, std::uint64_t count, EntryParts parts,
    std::vector<IndexEntry>& entries) const {
  entries.clear();
  if (parts == EntryParts::kLabels) {
    return source.awaited->AddLabels(first.shard, first.record, count, entries);
  }
  SampleRead read;
  for (std::uint64_t i = 0; i < count; ++i) {
    SHARDINE_RETURN_IF_ERROR(
        source.awaited->Read(first.shard, first.record + i, read));
    entries.push_back(std::move(read.entry));
  }
  return Status();
}

Status SampleSource::Parts::Keys(const Place& first, std::uint64_t count,
                                 std::vector<std::string>& keys) const {
  std::shared_ptr<const PooledShard> shard;
  if (!IsAwaited(first.shard)) {
    SHARDINE_ASSIGN_OR_RETURN(shard, pool.Get(first.shard));
  }
  SHARDINE_RETURN_IF_ERROR(
      shard == nullptr
          ? source.awaited->Keys(first.shard, first.record, count, keys)
          : shard->index->Keys(first.record, count, keys));
  std::vector<IndexEntry> entries;
  // Only foreign shards leave one empty: records without names.
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!keys[i].empty()) continue;
    const std::uint64_t record = first.record + i;
    entries.clear();
    SHARDINE_RETURN_IF_ERROR(
        shard == nullptr
            ? source.awaited->AddLabels(first.shard, record, 1, entries)
            : shard->index->Entries(record, 1, entries));
    Complete(source.firsts[first.shard] + record, entries[0]);
    keys[i] = MadeUpKey(entries[0].id, entries[0].facts);
  }
  return Status();
}

Result<std::string> SampleSource::Parts::Key(const Place& place) const {
  std::vector<std::string> keys;
  SHARDINE_RETURN_IF_ERROR(Keys(place, 1, keys));
  return std::move(keys[0]);
}

Status SampleSource::Parts::UseLabels(
    ReadableStorage& storage, const DatasetOptions& options,
    const std::function<Result<OpenedSource>(const std::string& split)>& other,
    const std::stop_token& stop) {
  ClassMap named;
  for (const DatasetClass& info : source.classes) {
    named.push_back({.name = info.name, .label = info.label});
  }
  SHARDINE_ASSIGN_OR_RETURN(
      LabelMatcher matcher,
      LabelMatcher::Read(storage, options.labels, options.labels_by, named));
  std::vector<std::uint32_t> found;
  const auto keep = [&](std::optional<std::size_t> row) {
    found.push_back(row ? static_cast<std::uint32_t>(*row) : kNoRow);
  };
  SHARDINE_RETURN_IF_ERROR(MatchRows(matcher, keep, stop));
  // One list may be of all splits; positions are those of one.
  for (const std::string& split : source.other_splits) {
    if (options.labels_by == MatchBy::kPosition) break;
    SHARDINE_ASSIGN_OR_RETURN(OpenedSource opened, other(split));
    const Parts parts(std::move(opened));
    SHARDINE_RETURN_IF_ERROR(parts.MatchRows(
        matcher, [](auto) {}, stop));
  }
  if (!source.folder.empty()) {
    const auto rejects =
        ReadRejects(storage, JoinPath(source.folder, kRejectedName));
    if (rejects.ok()) {
      for (const Reject& reject : *rejects) matcher.MatchRejected(reject.key);
    }
    // A damaged list only lets fewer rows pass.
    static_cast<void>(ForIgnoredKeys(
        storage, JoinPath(source.folder, kIgnoredName),
        [&](const std::string& key) { matcher.MatchRejected(key); }));
  }
  SHARDINE_RETURN_IF_ERROR(matcher.CheckRows());
  const auto unlisted =
      static_cast<std::uint64_t>(std::ranges::count(found, kNoRow));
  labels = matcher.TakeTable();
  rows = std::move(found);
  std::set<std::int64_t> classes;
  for (const DatasetClass& info : source.classes) classes.insert(info.label);
  const std::string strange =
      classes.empty() ? "" : SayNoClass(*labels, rows, classes);
  if (!strange.empty()) {
    source.warnings.push_back(EscapeBytes(options.labels) + ": " + strange);
  }
  if (unlisted == 0) return Status();
  const std::string of = std::to_string(rows.size());
  if (options.labels_for_all) {
    const auto first = static_cast<std::uint64_t>(
        std::ranges::find(rows, kNoRow) - rows.begin());
    return Explain(Status(Code::kInvalidArgument,
                          std::to_string(unlisted) + " of " + of +
                              " samples are not in the list " +
                              EscapeBytes(options.labels) + ", first this one"),
                   Find(first));
  }
  source.warnings.push_back(EscapeBytes(options.labels) + ": " +
                            KeepTheirLabels(unlisted, rows.size()));
  return Status();
}

Status SampleSource::Parts::MatchRows(
    LabelMatcher& matcher,
    const std::function<void(std::optional<std::size_t>)>& work,
    const std::stop_token& stop) const {
  std::vector<std::string> keys;
  std::vector<IndexEntry> entries;
  const auto match = [&](const Place& place, std::uint64_t count) {
    SHARDINE_ASSIGN_OR_RETURN(const auto shard, pool.Get(place.shard));
    SHARDINE_RETURN_IF_ERROR(shard->index->Keys(place.record, count, keys));
    SHARDINE_RETURN_IF_ERROR(
        shard->index->Entries(place.record, count, entries));
    for (std::uint64_t i = 0; i < count; ++i) {
      SHARDINE_ASSIGN_OR_RETURN(
          const auto row, matcher.Match(source.listed(
                              keys[i], entries[i].id,
                              source.firsts[place.shard] + place.record + i)));
      work(row);
    }
    return Status();
  };
  for (std::uint64_t first = 0; first < source.firsts.back();) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const Place place = Find(first);
    const std::uint64_t count =
        std::min(kIndexKeysPerFrame, source.firsts[place.shard + 1] - first);
    Status status = match(place, count);
    // A row of several samples is the list's failure, and says so.
    if (!status.ok() && status.where().path.empty()) {
      return std::move(status).At({.path = source.shards[place.shard]});
    }
    SHARDINE_RETURN_IF_ERROR(std::move(status));
    first += count;
  }
  return Status();
}

SampleSource::SampleSource(std::shared_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
SampleSource::~SampleSource() = default;

Result<std::unique_ptr<SampleSource>> SampleSource::Open(
    ReadableStorage& storage, const std::string& path,
    const DatasetOptions& options, const std::stop_token& stop,
    const FormatRegistry& formats) {
  const auto open = [&](const std::string& split) {
    DatasetOptions of_split = options;
    of_split.split = split;
    return OpenDatasetSource(storage, path, of_split, formats);
  };
  SHARDINE_ASSIGN_OR_RETURN(OpenedSource opened, open(options.split));
  auto parts = std::make_shared<Parts>(std::move(opened));
  if (!options.labels.empty()) {
    SHARDINE_RETURN_IF_ERROR(parts->UseLabels(storage, options, open, stop));
  }
  parts->Compact(options.compact_labels);
  return std::unique_ptr<SampleSource>(new SampleSource(std::move(parts)));
}

Result<std::unique_ptr<SampleSource>> SampleSource::OpenShards(
    ReadableStorage& storage, const std::vector<std::string>& shards,
    const DatasetOptions& options, const FormatRegistry& formats,
    const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(
      OpenedSource opened,
      OpenShardsSource(storage, shards, options, formats, stop));
  auto parts = std::make_shared<Parts>(std::move(opened));
  if (!options.labels.empty()) {
    SHARDINE_RETURN_IF_ERROR(parts->UseLabels(storage, options, {}, stop));
  }
  parts->Compact(options.compact_labels);
  return std::unique_ptr<SampleSource>(new SampleSource(std::move(parts)));
}

std::unique_ptr<SampleSource> SampleSource::Of(OpenedSource opened) {
  return std::unique_ptr<SampleSource>(
      new SampleSource(std::make_shared<Parts>(std::move(opened))));
}

Result<std::unique_ptr<SampleSource>> SampleSource::Join(
    std::span<const SampleSource* const> parts) {
  std::vector<const OpenedSource*> sources;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const Parts>>> joined;
  std::uint64_t first = 0;
  for (const SampleSource* const part : parts) {
    sources.push_back(&part->parts_->source);
    joined.emplace_back(first, part->parts_);
    first += part->size();
  }
  SHARDINE_ASSIGN_OR_RETURN(OpenedSource source, JoinSources(sources));
  auto made = std::make_shared<Parts>(std::move(source));
  made->joined = std::move(joined);
  return std::unique_ptr<SampleSource>(new SampleSource(std::move(made)));
}

std::uint64_t SampleSource::size() const {
  return parts_->source.firsts.back();
}

Status SampleSource::Read(std::uint64_t position, EntryPointUse use,
                          SampleRead& sample) const {
  Status status;
  ReadMany(std::span(&position, 1), use, std::span(&sample, 1),
           std::span(&status, 1));
  return status;
}

void SampleSource::ReadMany(std::span<const std::uint64_t> positions,
                            EntryPointUse use, std::span<SampleRead> samples,
                            std::span<Status> statuses) const {
  const auto is_awaited = [&](std::uint64_t position) {
    return parts_->IsAwaited(parts_->Find(position).shard);
  };
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t end = i;
    while (end < positions.size() && !is_awaited(positions[end])) ++end;
    ReadMade(positions.subspan(i, end - i), use, samples.subspan(i, end - i),
             statuses.subspan(i, end - i));
    if (end < positions.size()) {
      statuses[end] = parts_->ReadAwaited(positions[end], samples[end]);
      ++end;
    }
    i = end;
  }
}

void SampleSource::ReadMade(std::span<const std::uint64_t> positions,
                            EntryPointUse use, std::span<SampleRead> samples,
                            std::span<Status> statuses) const {
  std::vector<SampleTask> tasks;
  for (std::size_t first = 0; first < positions.size();) {
    tasks.clear();  // closes shards
    tasks.resize(std::min(positions.size() - first, kMostTogether));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      SampleRead& sample = samples[first + i];
      sample.payload = {};
      sample.is_nowhere = false;
      sample.entry_points.Resize(0);
      tasks[i].sample = &sample;
    }
    tasks.resize(OpenTogether(parts_->source, parts_->pool,
                              positions.subspan(first), tasks));
    ReadSamples(tasks, use);
    for (std::size_t i = 0; i < tasks.size(); ++i, ++first) {
      SampleTask& task = tasks[i];
      if (task.status.ok()) {
        parts_->Complete(positions[first], task.sample->entry);
      }
      statuses[first] = parts_->Explain(std::move(task.status),
                                        parts_->Find(positions[first]));
    }
  }
}

void SampleSource::ReadAhead(std::span<const std::uint64_t> positions,
                             const AheadUse& use, AheadBytes& ahead) const {
  std::vector<std::uint64_t> records;
  for (std::size_t next = 0; next < positions.size();) {
    const std::size_t number = parts_->Find(positions[next]).shard;
    const std::uint64_t first = parts_->source.firsts[number];
    const std::uint64_t behind = parts_->source.firsts[number + 1];
    records.clear();
    for (; next < positions.size() && positions[next] < behind; ++next) {
      records.push_back(positions[next] - first);
    }
    if (parts_->IsAwaited(number)) {
      parts_->source.awaited->Want(number, records, ahead);
      continue;
    }
    const auto shard = parts_->pool.Get(number);
    if (shard.ok()) AskAhead(**shard, records, use, ahead);
  }
}

Status SampleSource::CheckStreams(
    const std::vector<std::string>& fields) const {
  // The fields of shards that we wrote always stream.
  if (!parts_->source.is_foreign) return {};
  for (std::size_t i = 0; i < parts_->source.shards.size(); ++i) {
    SHARDINE_RETURN_IF_ERROR(parts_->CheckShardStreams(i, fields));
  }
  return {};
}

Result<IndexEntry> SampleSource::Entry(std::uint64_t position) const {
  std::vector<IndexEntry> entries;
  SHARDINE_RETURN_IF_ERROR(Entries(position, 1, entries));
  return std::move(entries[0]);
}

Result<std::string> SampleSource::Key(std::uint64_t position) const {
  const Place place = parts_->Find(position);
  auto key = parts_->Key(place);
  if (key.ok()) return key;
  return std::move(key).status().At(
      {.path = parts_->source.shards[place.shard], .record = place.record});
}

Status SampleSource::Keys(std::span<const std::uint64_t> positions,
                          std::vector<std::string>& keys) const {
  keys.assign(positions.size(), {});
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Keys are compressed by frames of 256: in ascending order each frame is
  // unpacked once.
  std::ranges::sort(order, {}, [&](std::size_t i) { return positions[i]; });
  std::vector<std::string> run;
  for (std::size_t next = 0; next < order.size();) {
    const std::uint64_t first = positions[order[next]];
    const Place place = parts_->Find(first);
    // The end of the frame that `first` is in, or of the shard.
    const std::uint64_t end =
        std::min(first - place.record % kIndexKeysPerFrame + kIndexKeysPerFrame,
                 parts_->source.firsts[place.shard + 1]);
    std::size_t behind = next;
    while (behind < order.size() && positions[order[behind]] < end) ++behind;
    const std::uint64_t count = positions[order[behind - 1]] - first + 1;
    Status status = parts_->Keys(place, count, run);
    if (!status.ok()) {
      return std::move(status).At({.path = parts_->source.shards[place.shard]});
    }
    for (; next < behind; ++next) {
      keys[order[next]] = run[positions[order[next]] - first];
    }
  }
  return Status();
}

ProvedSamples& SampleSource::proved() const {
  // Its memory is for loaders that prove entry points; most never ask.
  std::call_once(parts_->proved_once, [this] {
    parts_->proved = std::make_unique<ProvedSamples>(size());
  });
  return *parts_->proved;
}

Where SampleSource::WhereIs(std::uint64_t position) const {
  const Place place = parts_->Find(position);
  Where where{.path = parts_->source.shards[place.shard],
              .record = place.record};
  auto key = parts_->Key(place);
  if (key.ok()) where.key = *std::move(key);
  return where;
}

Status SampleSource::Entries(std::uint64_t first, std::uint64_t count,
                             std::vector<IndexEntry>& entries,
                             EntryParts parts) const {
  entries.clear();
  entries.reserve(static_cast<std::size_t>(count));
  std::vector<IndexEntry> run;
  const auto read = [&](const Place& place, std::uint64_t in_shard) {
    if (parts_->IsAwaited(place.shard)) {
      return parts_->AwaitedEntries(place, in_shard, parts, run);
    }
    const auto shard = parts_->pool.Get(place.shard);
    return shard.ok() ? (*shard)->index->Entries(place.record, in_shard, run)
                      : shard.status();
  };
  const auto append = [&](const Place& place, std::uint64_t in_shard) {
    Status status = read(place, in_shard);
    if (!status.ok()) return parts_->Explain(std::move(status), place);
    for (IndexEntry& entry : run) {
      parts_->Complete(first + entries.size(), entry);
      entries.push_back(std::move(entry));
    }
    return Status();
  };
  return parts_->ForEachPart(first, count, append);
}

const std::string& SampleSource::path() const { return parts_->source.path; }
const std::string& SampleSource::split() const { return parts_->source.split; }
const std::string& SampleSource::variant() const {
  return parts_->source.variant;
}
const std::vector<DatasetClass>& SampleSource::classes() const {
  return parts_->source.classes;
}
std::uint64_t SampleSource::undecoded() const {
  return parts_->source.undecoded;
}
const std::vector<std::string>& SampleSource::text_fields() const {
  return parts_->source.text_fields;
}
bool SampleSource::all_in_classes() const {
  return parts_->source.all_in_classes && parts_->labels == nullptr &&
         parts_->compact.empty();
}
Digest128 SampleSource::order_digest() const {
  return parts_->source.order_digest;
}
const std::vector<std::string>& SampleSource::warnings() const {
  return parts_->source.warnings;
}
const std::vector<std::string>& SampleSource::indexes() const {
  return parts_->source.indexes;
}

}  // namespace shardine
