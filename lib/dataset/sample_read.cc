#include "dataset/sample_read.h"

#include <algorithm>

#include "base/status_macros.h"
#include "io/read_many.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

// Bytes of entry points for each byte of an image that are worth reading.
// The bound is stated in shard/FORMAT.md, "Entry points".
constexpr std::uint64_t kPointsPerPayload = 4;

std::span<std::byte> RoomFor(std::size_t bytes, SampleRead& sample) {
  if (sample.arena != nullptr) return sample.arena->Get(bytes);
  sample.memory.Resize(bytes);
  return sample.memory.span();
}

// Leaves in the entry the fields that are to be read.
void ChooseFields(SampleRead& sample) {
  sample.unread.clear();
  if (sample.wanted != nullptr) {
    return KeepNamed(*sample.wanted, sample.entry);
  }
  for (const IndexField& field : sample.entry.fields) {
    if (!HasExtents(field)) sample.unread.push_back(field.name);
  }
  // A sample without its image, or without a byte, is none.
  const bool has_bytes =
      std::ranges::any_of(sample.entry.fields, [](const IndexField& field) {
        return HasExtents(field) && FieldBytes(field) > 0;
      });
  const bool no_image =
      std::ranges::find(sample.unread, kImageField) != sample.unread.end();
  // The entry keeps the field that cannot be read then, and the read fails
  // naming it.
  if (no_image || (!has_bytes && !sample.unread.empty())) return;
  KeepFields([](const IndexField& f) { return HasExtents(f); }, sample.entry);
}

// First wait: the rows of the index and of the entry points.
void StartRows(SampleTask& task, EntryPointUse use,
               std::vector<Piece>& pieces) {
  task.shard->index->Start(task.record, task.entry, pieces);
  task.has_points =
      use == EntryPointUse::kRead && task.shard->entry_points != nullptr;
  if (!task.has_points) return;
  task.shard->entry_points->Start(task.record, task.points, pieces);
}

// Points that are damaged or missing are no failure: then there are none.
void StartPoints(SampleTask& task, std::span<const Piece> rows,
                 std::vector<Piece>& pieces) {
  if (!task.has_points) return;
  SampleRead& sample = *task.sample;
  // Real ones are a fiftieth of their image; memory follows the bytes that were
  // read.
  const std::uint64_t most =
      kPointsPerPayload * PayloadBytes(sample.entry) + 4096;
  const EntryPointFile::Wanted wanted{
      .payload_crc = sample.entry.payload_crc,
      .most = std::min(most, kMaxEntryPointBytes)};
  task.has_points =
      task.shard->entry_points
          ->Locate(rows, wanted, task.points, sample.entry_points, pieces)
          .ok();
  if (!task.has_points) sample.entry_points.Resize(0);
}

// Last wait: the payload and the points.
Status StartContent(SampleTask& task, std::span<const Piece> rows,
                    std::vector<Piece>& pieces) {
  SampleRead& sample = *task.sample;
  ChooseFields(sample);
  sample.is_nowhere = !HasExtents(sample.entry);
  SHARDINE_RETURN_IF_ERROR(task.payload.Start(
      *task.shard->file, sample.entry,
      [&](std::size_t bytes) { return RoomFor(bytes, sample); }, pieces));
  StartPoints(task, rows, pieces);
  return {};
}

Status FinishContent(SampleTask& task, std::span<const Piece> pieces) {
  SampleRead& sample = *task.sample;
  SHARDINE_ASSIGN_OR_RETURN(sample.payload, task.payload.Finish(pieces));
  if (task.has_points && !task.shard->entry_points
                              ->Finish(pieces, task.points, sample.entry_points)
                              .ok()) {
    sample.entry_points.Resize(0);
  }
  return {};
}

template <typename Step>
void ForEachGood(std::span<SampleTask> tasks, const Step& step) {
  for (SampleTask& task : tasks) {
    if (task.status.ok()) task.status = step(task);
  }
}

}  // namespace

void KeepNamed(const std::vector<std::string>& names, IndexEntry& entry) {
  KeepFields(
      [&](const IndexField& field) {
        return std::ranges::find(names, field.name) != names.end();
      },
      entry);
}

void CopyFields(std::span<const FieldView> fields, SampleRead& sample) {
  const auto is_wanted = [&](const FieldView& field) {
    return sample.wanted == nullptr ||
           std::ranges::find(*sample.wanted, field.name) !=
               sample.wanted->end();
  };
  std::size_t bytes = 0;
  for (const FieldView& field : fields) {
    if (!is_wanted(field)) continue;
    sample.entry.fields.push_back(
        {.name = std::string(field.name),
         .dtype = std::string(field.dtype),
         .shape = {field.shape.begin(), field.shape.end()},
         .extents = {{bytes, field.bytes.size()}}});
    bytes += field.bytes.size();
  }
  const std::span<std::byte> room = RoomFor(bytes, sample);
  auto at = room.begin();
  for (const FieldView& field : fields) {
    if (is_wanted(field)) at = std::ranges::copy(field.bytes, at).out;
  }
  sample.payload = ByteView(room.data(), bytes);
}

// Every read of a remote storage waits for a round trip. So all samples take
// each step together: three waits for all of them instead of three for each.
void ReadSamples(std::span<SampleTask> tasks, EntryPointUse use) {
  std::vector<Piece> rows;
  ForEachGood(tasks, [&](SampleTask& task) {
    StartRows(task, use, rows);
    return Status();
  });
  ReadMany(rows);
  std::vector<Piece> overflows;
  ForEachGood(tasks, [&](SampleTask& task) {
    return task.shard->index->Decode(rows, task.entry, task.sample->entry,
                                     overflows);
  });
  ReadMany(overflows);
  ForEachGood(tasks, [&](SampleTask& task) {
    return task.shard->index->Finish(overflows, task.entry, task.sample->entry);
  });
  std::vector<Piece> content;
  ForEachGood(tasks, [&](SampleTask& task) {
    return StartContent(task, rows, content);
  });
  ReadMany(content);
  ForEachGood(tasks,
              [&](SampleTask& task) { return FinishContent(task, content); });
}

}  // namespace shardine
