#include "tasks/plan_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/compress.h"
#include "base/status_macros.h"
#include "shard/format_registry.h"
#include "shardine/version.h"
#include "tasks/plan_fields.h"
#include "tasks/plan_numbers.h"
#include "tasks/plan_rows.h"
#include "tasks/task_kinds.h"

namespace shardine {
namespace {

constexpr std::string_view kPlanMagic = "shardine plan 2\n";
// Its head has the lists, which are a frame of their own by now.
constexpr std::string_view kOlderMagic = "shardine plan 1\n";
// Three frames, the digest of all before it, and a CRC of all that.
constexpr std::size_t kFrameBytes = 8 + 8 + 8 + 4;
constexpr std::size_t kEndBytes = 3 * kFrameBytes + 16 + 4;
// Far beyond the size of a shard's rows or a head, and within memory.
constexpr std::uint64_t kMaxPlain = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxSamples = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

template <typename Fields, typename Frame>
void VisitFrame(Fields& fields, Frame& frame) {
  fields(frame.offset);
  fields(frame.stored);
  fields(frame.plain);
  fields(frame.crc);
}

// Offsets are not written: frames lie one after the other.
template <typename Fields, typename Shard>
void VisitShard(Fields& fields, Shard& shard) {
  fields(shard.planned.split);
  fields(shard.planned.count);
  fields(shard.planned.digest);
  fields(shard.bytes);
  fields(shard.facts);
  fields(shard.rows.stored);
  fields(shard.rows.plain);
  fields(shard.rows.crc);
}

}  // namespace

Result<PlanFileWriter> PlanFileWriter::Begin(Storage& storage,
                                             const std::string& path,
                                             const PlanHead& head,
                                             const PlanLists& lists) {
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(storage, path));
  PlanFileWriter writer(std::move(file));
  SHARDINE_RETURN_IF_ERROR(writer.Append(AsBytes(kPlanMagic)));
  SHARDINE_ASSIGN_OR_RETURN(
      writer.head_,
      writer.AppendFrame(AsBytes(EncodePlanHead(head)),
                         "the names of classes and folders take more than "
                         "1 GiB of a plan"));
  SHARDINE_ASSIGN_OR_RETURN(
      writer.lists_,
      writer.AppendFrame(AsBytes(EncodePlanLists(lists)),
                         "the list of files that are left out takes more than "
                         "1 GiB of a plan: move them out of the source"));
  return writer;
}

Status PlanFileWriter::Append(ByteView bytes) {
  digest_.Update(bytes);
  at_ += bytes.size();
  return file_.Append(bytes);
}

Result<PlanFrame> PlanFileWriter::AppendFrame(ByteView plain,
                                              const char* too_large) {
  if (plain.size() > kMaxPlain) return Status(Code::kUnsupported, too_large);
  const std::string stored = ZstdCompressDense(plain);
  PlanFrame frame{.offset = at_,
                  .stored = stored.size(),
                  .plain = plain.size(),
                  .crc = Crc32c(AsBytes(stored))};
  SHARDINE_RETURN_IF_ERROR(Append(AsBytes(stored)));
  return frame;
}

Status PlanFileWriter::Add(PlanShard shard, const std::string& rows) {
  SHARDINE_ASSIGN_OR_RETURN(
      shard.rows, AppendFrame(AsBytes(rows),
                              "the samples of a shard take more than 1 GiB of "
                              "a plan: use more shards"));
  shards_.push_back(std::move(shard));
  return Status();
}

Status PlanFileWriter::Finish() {
  std::string table;
  FieldWriter rows(table);
  rows.List(shards_, [&](const PlanShard& shard) { VisitShard(rows, shard); });
  SHARDINE_ASSIGN_OR_RETURN(
      const PlanFrame frame,
      AppendFrame(AsBytes(table),
                  "the table of shards takes more than 1 GiB of a plan: use "
                  "larger shards"));
  std::string end;
  FieldWriter fields(end);
  VisitFrame(fields, head_);
  VisitFrame(fields, lists_);
  VisitFrame(fields, frame);
  fields(digest_.Digest());
  fields(Crc32c(AsBytes(end)));
  SHARDINE_RETURN_IF_ERROR(Append(AsBytes(end)));
  return file_.Publish();
}

Status PlanFile::Damaged(std::string what, std::uint64_t offset) const {
  return Status(Code::kCorrupt, std::move(what))
      .At({.path = file_->path(), .offset = offset});
}

Result<std::unique_ptr<PlanFile>> PlanFile::Open(
    ReadableStorage& storage, const std::string& path,
    const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Open(path));
  std::unique_ptr<PlanFile> plan(new PlanFile(std::move(file)));
  SHARDINE_RETURN_IF_ERROR(plan->ReadAll(formats).At({.path = path}));
  return plan;
}

Status PlanFile::ReadAll(const FormatRegistry& formats) {
  const std::uint64_t size = file_->size();
  const Status none(Code::kCorrupt, "is no plan of tasks, or is cut off");
  std::array<std::byte, kPlanMagic.size()> magic;
  if (size < kPlanMagic.size() + kEndBytes) return none;
  SHARDINE_RETURN_IF_ERROR(file_->ReadExactly(0, magic));
  if (AsText(magic) == kOlderMagic) {
    return Status(Code::kChanged,
                  "was made by an earlier version of shardine: plan again with "
                  "this one");
  }
  if (AsText(magic) != kPlanMagic) return none;
  std::array<std::byte, kEndBytes> end;
  SHARDINE_RETURN_IF_ERROR(file_->ReadExactly(size - kEndBytes, end));
  PlanFrame head;
  PlanFrame table;
  std::uint32_t crc = 0;
  FieldReader fields(end);
  VisitFrame(fields, head);
  VisitFrame(fields, lists_);
  VisitFrame(fields, table);
  fields(digest_);
  fields(crc);
  if (crc != Crc32c(ByteView(end).first(kEndBytes - 4))) {
    return Damaged("the end of the plan is damaged", size - kEndBytes);
  }
  const std::uint64_t rest = size - kEndBytes;
  if (head.offset != kPlanMagic.size() || head.stored > rest - head.offset ||
      lists_.offset != head.offset + head.stored ||
      lists_.stored > rest - lists_.offset ||
      table.offset < lists_.offset + lists_.stored || table.offset > rest ||
      table.stored != rest - table.offset) {
    return Damaged("the end of the plan contradicts its size",
                   size - kEndBytes);
  }
  SHARDINE_RETURN_IF_ERROR(ReadHead(head));
  SHARDINE_RETURN_IF_ERROR(ReadTable(table, lists_.offset + lists_.stored));
  if (!FindTaskKind(head_.kind)->makes_dataset) return Status();
  if (!ParseFormat(formats, head_.pack.format).ok()) {
    return Damaged("is for an unknown format", head.offset);
  }
  NameShards(formats);
  return Status();
}

Status PlanFile::ReadHead(const PlanFrame& head) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string bytes, ReadFrame(head));
  auto decoded = DecodePlanHead(AsBytes(bytes));
  if (!decoded) return Damaged("says what no plan says", head.offset);
  head_ = *std::move(decoded);
  if (head_.tool_version != Version()) {
    return Status(Code::kChanged, "was made by shardine " + head_.tool_version +
                                      ", and this is " + Version() +
                                      ": plan again with this one");
  }
  return Status();
}

Status PlanFile::ReadTable(const PlanFrame& table, std::uint64_t first) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string rows, ReadFrame(table));
  FieldReader reader(AsBytes(rows));
  reader.List(shards_, [&](PlanShard& shard) { VisitShard(reader, shard); });
  if (!reader.done()) {
    return Damaged("has no table of shards", table.offset);
  }
  return CheckTable(first, table.offset);
}

// Whatever the table says, no read leaves the file and no sum wraps.
Status PlanFile::CheckTable(std::uint64_t first, std::uint64_t end) {
  const Status wrong = Damaged("has a table of shards that cannot be", end);
  // A dataset to verify may have no shards, or empty ones.
  const bool makes = FindTaskKind(head_.kind)->makes_dataset;
  if (makes && shards_.empty()) return wrong;
  std::uint64_t in_split = 0;
  const PlanShard* before = nullptr;
  for (PlanShard& shard : shards_) {
    const PlannedShard& planned = shard.planned;
    shard.rows.offset = first;
    if (planned.split >= head_.splits.size() || (makes && planned.count == 0) ||
        planned.count > kMaxSamples - samples_ ||
        shard.bytes > kMaxBytes - bytes_ || shard.rows.stored > end - first) {
      return wrong;
    }
    const bool same =
        before != nullptr && before->planned.split == planned.split;
    if (before != nullptr && !same &&
        head_.splits[before->planned.split] >= head_.splits[planned.split]) {
      return wrong;
    }
    in_split = same ? in_split + 1 : 1;
    if (in_split > kMaxShards) return wrong;
    samples_ += planned.count;
    bytes_ += shard.bytes;
    first += shard.rows.stored;
    before = &shard;
  }
  if (first != end) return wrong;
  return Status();
}

// Names and places follow from the order.
void PlanFile::NameShards(const FormatRegistry& formats) {
  std::string suffix;
  if (const auto format = ParseFormat(formats, head_.pack.format);
      format.ok() && !head_.pack.no_suffix) {
    suffix = format->format->suffix;
  }
  for (std::size_t begin = 0; begin < shards_.size();) {
    const std::uint32_t split = shards_[begin].planned.split;
    std::size_t end = begin;
    while (end < shards_.size() && shards_[end].planned.split == split) ++end;
    std::uint64_t first = 0;
    for (std::size_t i = begin; i < end; ++i) {
      PlannedShard& shard = shards_[i].planned;
      shard.name =
          ShardName(head_.splits[split], i - begin, end - begin, suffix);
      shard.first = first;
      first += shard.count;
    }
    begin = end;
  }
}

Result<std::string> PlanFile::ReadFrame(const PlanFrame& frame) const {
  if (frame.plain > kMaxPlain || frame.plain / kZstdMostRatio > frame.stored) {
    return Damaged("has a frame that is too large", frame.offset);
  }
  ByteBuffer stored;
  stored.Resize(static_cast<std::size_t>(frame.stored));
  SHARDINE_RETURN_IF_ERROR(file_->ReadExactly(frame.offset, stored.span()));
  if (Crc32c(stored.view()) != frame.crc) {
    return Damaged("the plan is damaged: checksum differs", frame.offset);
  }
  auto plain =
      ZstdDecompress(stored.view(), static_cast<std::size_t>(frame.plain));
  if (!plain.ok()) {
    return std::move(plain).status().At(
        {.path = file_->path(), .offset = frame.offset});
  }
  if (plain->size() != frame.plain) {
    return Damaged("has a frame of another size than it says", frame.offset);
  }
  return plain;
}

Result<PlanLists> PlanFile::ReadLists() const {
  SHARDINE_ASSIGN_OR_RETURN(const std::string bytes, ReadFrame(lists_));
  auto lists = DecodePlanLists(AsBytes(bytes), head_);
  if (!lists) return Damaged("lists what no plan leaves out", lists_.offset);
  return *std::move(lists);
}

std::uint64_t PlanFile::tasks() const {
  const std::uint64_t each = head_.shards_per_task;
  return shards_.size() / each + (shards_.size() % each != 0 ? 1 : 0);
}

PlanFile::Range PlanFile::ShardsOf(std::uint64_t task) const {
  const std::uint64_t first = task * head_.shards_per_task;
  const std::uint64_t left = shards_.size() - first;
  return {first, first + std::min(left, head_.shards_per_task)};
}

Status PlanFile::ReadRows(const PlanShard& shard, SourceSet& source,
                          std::vector<std::uint64_t>* numbers) const {
  SHARDINE_ASSIGN_OR_RETURN(const std::string rows, ReadFrame(shard.rows));
  const bool records = FindTaskKind(head_.kind)->has_input;
  std::vector<std::uint64_t> passed_over;
  ByteView bytes = AsBytes(rows);
  const bool numbered =
      !records ||
      DecodePlanNumbers(bytes, shard.planned.count,
                        numbers == nullptr ? passed_over : *numbers);
  if (numbered &&
      DecodePlanRows(bytes, shard.planned.count, shard.planned.split, source,
                     records ? RowsOf::kRecords : RowsOf::kFiles)) {
    return Status();
  }
  return Damaged(
      "has no such samples as the shard " + shard.planned.name + " is to have",
      shard.rows.offset);
}

Status PlanFile::CheckDigest() const {
  Xxh3Stream digest;
  ByteBuffer piece;
  // The digest stands in the end, of which a CRC is taken.
  const std::uint64_t digested = file_->size() - kEndBytes;
  for (std::uint64_t at = 0; at < digested; at += kPieceBytes) {
    piece.Resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(kPieceBytes, digested - at)));
    SHARDINE_RETURN_IF_ERROR(file_->ReadExactly(at, piece.span()));
    digest.Update(piece.view());
  }
  if (digest.Digest() == digest_) return Status();
  return Damaged("the plan is damaged: its digest differs",
                 file_->size() - 16 - 4);
}

}  // namespace shardine
