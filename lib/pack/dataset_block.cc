#include "pack/dataset_block.h"

#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/index_entry.h"
#include "dataset/index_walk.h"
#include "dataset/text_fields.h"
#include "shard/content_digest.h"
#include "shard/payload.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

// Bytes that a block asks a server for.
constexpr std::uint64_t kAheadBytes = std::uint64_t{16} << 20;

// Neighbours in a shard.
struct Asked {
  std::shared_ptr<const PooledShard> shard;
  std::uint64_t record = 0;
  std::uint64_t count = 0;
};

// The image, or else the first field.
std::optional<std::uint64_t> OffsetOf(const IndexEntry& entry) {
  const IndexField* field = ImageFieldOf(entry);
  if (field == nullptr && !entry.fields.empty()) field = &entry.fields.front();
  if (field == nullptr || !HasExtents(*field) || field->extents.empty()) {
    return std::nullopt;
  }
  return field->extents.front().offset;
}

}  // namespace

// A shard of the input that is being scanned.
struct DatasetBlockPreparer::Scan {
  std::size_t shard = 0;
  std::uint64_t next = 0;       // record of the index
  std::uint64_t file_next = 0;  // record of the file
  std::shared_ptr<const PooledShard> open;
  std::unique_ptr<ShardScanner> scanner;
  Status failed;  // no record after it is read
};

DatasetBlockPreparer::DatasetBlockPreparer(const DatasetSamples& samples,
                                           const ShardPlan& plan,
                                           const ImagePolicy& policy)
    : samples_(samples), plan_(plan), policy_(&policy) {}
DatasetBlockPreparer::DatasetBlockPreparer(const DatasetSamples& samples,
                                           const ShardPlan& plan,
                                           EntryPoints entry_points)
    : samples_(samples),
      plan_(plan),
      policy_(nullptr),
      checkers_(
          entry_points == EntryPoints::kAuto
              ? std::make_unique<CheckerPool>(ImageChecker::Options{
                    .level = ImageCheck::kNone, .find_entry_points = true})
              : nullptr) {}
DatasetBlockPreparer::~DatasetBlockPreparer() = default;

unsigned DatasetBlockPreparer::min_threads() const {
  return samples_.is_remote() && !samples_.needs_scan() ? kServerBlocks : 1;
}

unsigned DatasetBlockPreparer::max_threads() const {
  return samples_.needs_scan() ? 1 : std::numeric_limits<unsigned>::max();
}

PreparedBlock DatasetBlockPreparer::Prepare(const PlannedBlock& planned,
                                            PreparedBlock used,
                                            const std::stop_token& stop) const {
  const std::size_t variants = policy_ == nullptr ? 1 : policy_->variants();
  PreparedBlock block = BeginBlock(planned, variants, std::move(used));
  const AheadBytes ahead = AskForBlock(planned);
  std::set<std::size_t> shards;  // that were read from
  for (std::uint64_t offset = 0; offset < planned.count;) {
    if (stop.stop_requested()) {
      block.status = Status(Code::kCancelled, "interrupted");
      break;
    }
    const Run run = RunAt(planned, offset);
    const auto shard = samples_.Find(run.source).shard;
    shards.insert(shard);
    block.status = samples_.shards()[shard].needs_scan
                       ? PrepareScanned(run, block)
                       : PrepareStored(run, block);
    if (!block.status.ok()) {
      block.status.Annotate({.path = samples_.ShardPath(shard)});
      break;
    }
    offset += run.count;
  }
  // A shard that was written to is no damaged one, nor to be taken as it is. A
  // server gives all of the version that was looked at when it was opened.
  if (block.status.ok() && samples_.is_remote()) return block;
  Status unchanged = samples_.CheckShards(shards);
  if (!unchanged.ok()) block.status = std::move(unchanged);
  return block;
}

AheadBytes DatasetBlockPreparer::AskForBlock(
    const PlannedBlock& planned) const {
  AheadBytes ahead{.room = kAheadBytes, .kept = {}};
  if (!samples_.is_remote()) return ahead;
  std::set<std::size_t> shards;
  std::vector<Run> runs;
  for (std::uint64_t offset = 0; offset < planned.count;) {
    runs.push_back(RunAt(planned, offset));
    shards.insert(samples_.Find(runs.back().source).shard);
    offset += runs.back().count;
  }
  samples_.OpenAll(shards);
  std::vector<Asked> asked;
  for (const Run& run : runs) {
    const auto at = samples_.Find(run.source);
    auto open = samples_.Open(at.shard);
    // Whoever reads it will say why.
    if (!open.ok() || samples_.shards()[at.shard].needs_scan) continue;
    ahead.kept.push_back(
        (*open)->index->ReadAhead(at.record, run.count, ahead.room));
    asked.push_back({*std::move(open), at.record, run.count});
  }
  std::vector<IndexEntry> entries;
  for (const Asked& each : asked) {
    if (each.shard->index->Entries(each.record, each.count, entries).ok()) {
      AskPayloads(*each.shard->file, entries, ahead);
    }
  }
  return ahead;
}

DatasetBlockPreparer::Run DatasetBlockPreparer::RunAt(
    const PlannedBlock& planned, std::uint64_t offset) const {
  const PlannedShard& shard = plan_.shards()[planned.shard];
  Run run{plan_.SampleAt(shard, planned.first + offset), 1};
  const auto input = samples_.Find(run.source);
  while (offset + run.count < planned.count) {
    const std::size_t next =
        plan_.SampleAt(shard, planned.first + offset + run.count);
    // Neighbours of the input stay neighbours unless the plan shuffles or
    // leaves some out: their rows are then read together.
    if (next != run.source + run.count) break;
    const auto at = samples_.Find(next);
    if (at.shard != input.shard || at.record != input.record + run.count) break;
    ++run.count;
  }
  return run;
}

Status DatasetBlockPreparer::PrepareStored(const Run& run,
                                           PreparedBlock& block) const {
  const auto at = samples_.Find(run.source);
  SHARDINE_ASSIGN_OR_RETURN(const auto open, samples_.Open(at.shard));
  std::vector<IndexEntry> entries;
  SHARDINE_RETURN_IF_ERROR(open->index->Entries(at.record, run.count, entries));
  for (std::uint64_t i = 0; i < run.count; ++i) {
    // Fields that are left out are not read, unless the rest cannot be checked
    // without them.
    if (!samples_.keeps_all_fields()) {
      KeepFields(
          [&](const IndexField& field) { return samples_.Keeps(field.name); },
          entries[i]);
    }
    Status read =
        AppendPayload(*open->file, entries[i], block.variants[0].bytes);
    const Place place{run.source + i, {at.shard, at.record + i}};
    if (!read.ok()) {
      SHARDINE_RETURN_IF_ERROR(AddUnread(
          place, WhyUnread(entries[i], open->file->size()), read, block));
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(Add(place, entries[i], block));
  }
  return Status();
}

Status DatasetBlockPreparer::PrepareScanned(const Run& run,
                                            PreparedBlock& block) const {
  for (std::uint64_t i = 0; i < run.count; ++i) {
    const Place place{run.source + i, samples_.Find(run.source + i)};
    const auto scanned = ScanTo(place.input);
    if (!scanned.ok()) {
      SHARDINE_RETURN_IF_ERROR(
          AddUnread(place, "unreadable", scanned.status(), block));
      continue;
    }
    SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry,
                              scan_->open->index->Entry(place.input.record));
    // The record's own fields are appended, not those of the index: lengths are
    // taken from the record.
    IndexEntry found = MakeIndexEntry(*scanned, entry.id, entry.labels);
    found.facts = entry.facts;
    if (found.content_digest != entry.content_digest) {
      SHARDINE_RETURN_IF_ERROR(AddUnread(
          place, "checksum",
          Status(Code::kCorrupt, "content differs from what was indexed"),
          block));
      continue;
    }
    for (const ScannedField& field : scanned->fields) {
      block.variants[0].bytes.Append(field.bytes);
    }
    SHARDINE_RETURN_IF_ERROR(Add(place, found, block));
  }
  return Status();
}

Result<ScannedSample> DatasetBlockPreparer::ScanTo(
    const DatasetSamples::Location& location) const {
  // A scanner only goes on. Plans without a reshuffle ask in the order of the
  // records, so that a shard is scanned once.
  if (scan_ == nullptr || scan_->shard != location.shard ||
      scan_->next > location.record) {
    scan_ = std::make_unique<Scan>();
    scan_->shard = location.shard;
    scan_->failed = OpenScan(*scan_);
  }
  const std::uint64_t wanted =
      samples_.RecordInFile(location.shard, location.record);
  while (scan_->failed.ok()) {
    auto scanned = scan_->scanner->Next();
    if (!scanned.ok()) {
      // The records after one that is passed over are read all the same.
      const bool goes_on =
          LeavesOut(scanned.status()) && scan_->scanner->SkipDamaged();
      if (!goes_on) scan_->failed = scanned.status();
      if (!goes_on || scan_->file_next++ < wanted) continue;
      scan_->next = location.record + 1;
      return scanned.status();
    }
    if (!*scanned) {
      scan_->failed =
          Status(Code::kCorrupt, "has fewer records than were indexed");
      continue;
    }
    if (scan_->file_next++ < wanted) continue;
    scan_->next = location.record + 1;
    return **scanned;
  }
  return scan_->failed;
}

Status DatasetBlockPreparer::OpenScan(Scan& scan) const {
  SHARDINE_ASSIGN_OR_RETURN(scan.open, samples_.Open(scan.shard));
  const auto& format = samples_.format(samples_.shards()[scan.shard].dataset);
  SHARDINE_ASSIGN_OR_RETURN(scan.scanner, format.OpenScanner(*scan.open->file));
  return Status();
}

bool DatasetBlockPreparer::LeavesOut(const Status& status) const {
  return policy_ != nullptr && status.code() == Code::kCorrupt;
}

// A record of which there is no payload. Under OnBad::kFail, or where the
// failure says nothing of the record, the failure is the answer.
Status DatasetBlockPreparer::AddUnread(const Place& place, std::string reason,
                                       const Status& why,
                                       PreparedBlock& block) const {
  const std::string_view key = plan_.source().samples.key(place.source);
  const Status at = Status(why).At(
      {.record = samples_.RecordInFile(place.input.shard, place.input.record),
       .key = std::string(key)});
  if (!LeavesOut(why)) return at;
  const Status dealt =
      policy_->AddUnread(place.source, std::move(reason), at, block);
  NotePlace(place, at.where().offset, block);
  return dealt;
}

// Notes the place in the last reject, if its sample was rejected.
void DatasetBlockPreparer::NotePlace(const Place& place,
                                     std::optional<std::uint64_t> byte,
                                     PreparedBlock& block) const {
  const bool is_last =
      !block.samples.empty() && block.samples.back().source == place.source;
  if (!block.bad && !is_last) return;
  std::optional<Reject>& reject =
      block.bad ? block.bad : block.samples.back().reject;
  if (!reject) return;
  reject->file = samples_.ShardName(place.input.shard);
  reject->record = samples_.RecordInFile(place.input.shard, place.input.record);
  reject->byte = byte;
}

// The fields of `entry` were appended to the bytes, in order. Gaps of fields
// that are left out are closed.
PreparedPayload DatasetBlockPreparer::TakeFields(const IndexEntry& entry,
                                                 ByteBuffer& bytes) const {
  PreparedPayload payload;
  payload.fields.emplace();
  std::size_t from =
      bytes.size() - static_cast<std::size_t>(PayloadBytes(entry));
  payload.offset = from;
  for (const IndexField& field : entry.fields) {
    const auto size = static_cast<std::size_t>(FieldBytes(field));
    if (samples_.Keeps(field.name)) {
      const std::size_t to = payload.offset + payload.size;
      if (to < from) {
        std::memmove(bytes.data() + to, bytes.data() + from, size);
      }
      payload.fields->push_back({field.name, field.dtype, field.shape, size});
      payload.size += size;
    }
    from += size;
  }
  bytes.Resize(payload.offset + payload.size);
  return payload;
}

// Takes the bytes appended to the block as the sample's bytes.
Status DatasetBlockPreparer::Add(const Place& place, const IndexEntry& entry,
                                 PreparedBlock& block) const {
  const std::size_t source = place.source;
  const std::uint64_t record =
      samples_.RecordInFile(place.input.shard, place.input.record);
  PreparedVariant& read = block.variants[0];
  PreparedPayload payload = TakeFields(entry, read.bytes);
  if (!plan_.source().text_fields.empty()) {
    SHARDINE_RETURN_IF_ERROR(
        CheckTexts(FieldsOf(read, payload), plan_.source().text_fields)
            .At({.record = record,
                 .key = std::string(plan_.source().samples.key(source))}));
  }
  if (policy_ != nullptr) {
    const Status added =
        policy_->Add(source, std::move(payload), {.record = record}, block);
    NotePlace(place, OffsetOf(entry), block);
    return added;
  }
  payload.facts = entry.facts;
  std::vector<Label> labels;
  plan_.source().samples.GetLabels(source, labels);
  // The CRC was compared, so these bytes have the sidecar's digest.
  payload.digest = entry.content_digest;
  if (labels != entry.labels || !samples_.keeps_all_fields()) {
    payload.digest = ContentDigest(labels, FieldsOf(read, payload));
  }
  FindEntryPoints(read, payload);
  read.payloads.push_back(std::move(payload));
  block.samples.push_back({.source = source});
  return Status();
}

void DatasetBlockPreparer::FindEntryPoints(const PreparedVariant& read,
                                           PreparedPayload& payload) const {
  if (checkers_ == nullptr) return;
  const auto image = ImageOf(read, payload);
  if (!image) return;
  // The input's own file of points is not used: it may be missing or made up
  // (shard/FORMAT.md, "Entry points").
  CheckedImage checked = checkers_->Check(*image);
  payload.entry_points = std::move(checked.entry_points);
  payload.damaged = checked.damaged;
}

}  // namespace shardine
