#include "tasks/plan_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace shardine {
namespace {

enum Kind : std::uint8_t { kNone, kInteger, kReal, kSeveral };

using Column = std::vector<std::uint64_t>;

// Largest file: no disk holds a larger one, and sums do not wrap.
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 48;

std::uint64_t Word(const Label& label) {
  return label.is_integer() ? std::bit_cast<std::uint64_t>(label.integer())
                            : std::bit_cast<std::uint64_t>(label.real());
}

Kind KindOf(const Label& label) {
  return label.is_integer() ? kInteger : kReal;
}

// All lowest bytes, then all next ones: those of small numbers are zeros that
// lie together.
void AppendPlanes(const Column& column, std::size_t width, std::string& to) {
  for (std::size_t plane = 0; plane < width; ++plane) {
    for (const std::uint64_t value : column) {
      to += static_cast<char>(value >> (8 * plane) & 0xFF);
    }
  }
}

struct Columns {
  std::string kinds;        // of labels
  std::string extra_kinds;  // of those of samples with several
  Column ids, words, extra_words, sizes, times, roots, key_sizes, path_sizes,
      box_counts, field_sizes;
  std::string keys, paths, fields, boxes;

  void Add(const SourceSet& source, std::size_t index);

 private:
  void AddLabels(const SourceList& list, std::size_t index);
  std::vector<Label> labels_;
};

void Columns::AddLabels(const SourceList& list, std::size_t index) {
  list.GetLabels(index, labels_);
  if (labels_.size() == 1) {
    kinds += static_cast<char>(KindOf(labels_[0]));
    words.push_back(Word(labels_[0]));
    return;
  }
  kinds += static_cast<char>(labels_.empty() ? kNone : kSeveral);
  words.push_back(labels_.size());
  for (const Label& label : labels_) {
    extra_kinds += static_cast<char>(KindOf(label));
    extra_words.push_back(Word(label));
  }
}

void Columns::Add(const SourceSet& source, std::size_t index) {
  const SourceList& list = source.samples;
  ids.push_back(list.id(index));
  AddLabels(list, index);
  const SourceFacts facts = list.facts(index);
  sizes.push_back(facts.size);
  times.push_back(std::bit_cast<std::uint64_t>(facts.mtime_ns));
  roots.push_back(list.root(index));
  const std::string_view key = list.key(index);
  const std::string_view path = list.path(index);
  key_sizes.push_back(key.size());
  keys += key;
  // One more than there are bytes, so that none can be told.
  path_sizes.push_back(path == key ? 0 : path.size() + 1);
  if (path != key) paths += path;
  if (!source.columns.empty()) {
    const std::string_view own = list.fields(index);
    field_sizes.push_back(own.size());
    fields += own;
  }
  if (source.boxes.empty()) return;
  const auto found = source.boxes.Find(path);
  box_counts.push_back(found.size());
  boxes += AsText(std::as_bytes(found));
}

// Reads the rows of EncodePlanRows(), with bounds.
class RowReader {
 public:
  RowReader(ByteView bytes, std::uint64_t count, RowsOf of)
      : cursor_(bytes), count_(count), of_(of) {}

  bool Read(std::uint32_t split, SourceSet& source);

 private:
  bool ReadKinds(std::uint64_t count, std::uint8_t last, ByteView& kinds) {
    return cursor_.ReadBytes(count, kinds) &&
           std::ranges::all_of(kinds, [&](std::byte kind) {
             return static_cast<std::uint8_t>(kind) <= last;
           });
  }
  bool ReadPlanes(std::uint64_t count, std::size_t width, Column& column) {
    if (count > cursor_.remaining() / width) return false;
    column.assign(count, 0);
    for (std::size_t plane = 0; plane < width; ++plane) {
      ByteView bytes;
      if (!cursor_.ReadBytes(count, bytes)) return false;
      for (std::uint64_t i = 0; i < count; ++i) {
        column[i] |= static_cast<std::uint64_t>(bytes[i]) << (8 * plane);
      }
    }
    return true;
  }
  bool ReadColumns(const SourceSet& source);
  bool ReadExtraLabels();
  bool TakeLabels(std::uint64_t row, std::vector<Label>& labels);
  bool AddRow(std::uint64_t row, std::uint32_t split, SourceSet& source);
  bool AddBoxes(std::uint64_t count, std::string_view path, SourceSet& source);
  bool AddFields(std::uint64_t size, std::size_t sample, SourceSet& source);

  ByteCursor cursor_;
  const std::uint64_t count_;
  const RowsOf of_;
  ByteView kinds_, extra_kinds_;
  Column ids_, words_, extra_words_, sizes_, times_, roots_, key_sizes_,
      path_sizes_, box_counts_, field_sizes_;
  ByteCursor keys_{{}};
  ByteCursor fields_{{}};
  ByteCursor paths_{{}};
  ByteCursor boxes_{{}};
  std::size_t next_extra_ = 0;
  std::vector<Label> labels_;
};

bool LabelOf(std::uint8_t kind, std::uint64_t word, Label& label) {
  if (kind == kInteger) {
    label = Label(std::bit_cast<std::int64_t>(word));
    return true;
  }
  const auto real = std::bit_cast<double>(word);
  if (std::isnan(real)) return false;
  label = Label::FromReal(real);
  // An integer has one way to be written.
  return !label.is_integer();
}

// The sum of their excess over `less`; false where it is more than `most`.
bool Sum(const Column& sizes, std::uint64_t less, std::uint64_t most,
         std::uint64_t& sum) {
  sum = 0;
  for (const std::uint64_t size : sizes) {
    const std::uint64_t added = size > less ? size - less : 0;
    if (added > most - sum) return false;
    sum += added;
  }
  return true;
}

bool RowReader::ReadExtraLabels() {
  std::uint64_t extra = 0;
  for (std::uint64_t i = 0; i < count_; ++i) {
    if (static_cast<std::uint8_t>(kinds_[i]) == kNone && words_[i] != 0) {
      return false;
    }
    if (static_cast<std::uint8_t>(kinds_[i]) != kSeveral) continue;
    if (words_[i] < 2 || words_[i] > SourceList::kMaxLabels) return false;
    extra += words_[i];
  }
  return ReadKinds(extra, kReal, extra_kinds_) &&
         ReadPlanes(extra, 8, extra_words_);
}

bool RowReader::ReadColumns(const SourceSet& source) {
  const bool has_boxes = !source.boxes.empty();
  const bool has_fields = !source.columns.empty();
  std::uint64_t key_bytes = 0;
  std::uint64_t path_bytes = 0;
  std::uint64_t field_bytes = 0;
  ByteView keys;
  ByteView paths;
  ByteView fields;
  if (!ReadPlanes(count_, 8, ids_) || !ReadKinds(count_, kSeveral, kinds_) ||
      !ReadPlanes(count_, 8, words_) || !ReadExtraLabels() ||
      !ReadPlanes(count_, 8, sizes_) || !ReadPlanes(count_, 8, times_) ||
      !ReadPlanes(count_, 4, roots_) || !ReadPlanes(count_, 4, key_sizes_) ||
      !ReadPlanes(count_, 4, path_sizes_) ||
      (has_boxes && !ReadPlanes(count_, 4, box_counts_)) ||
      (has_fields && !ReadPlanes(count_, 4, field_sizes_)) ||
      !Sum(key_sizes_, 0, cursor_.remaining(), key_bytes) ||
      !cursor_.ReadBytes(key_bytes, keys) ||
      !Sum(path_sizes_, 1, cursor_.remaining(), path_bytes) ||
      !cursor_.ReadBytes(path_bytes, paths) ||
      !Sum(field_sizes_, 0, cursor_.remaining(), field_bytes) ||
      !cursor_.ReadBytes(field_bytes, fields)) {
    return false;
  }
  keys_ = ByteCursor(keys);
  paths_ = ByteCursor(paths);
  fields_ = ByteCursor(fields);
  ByteView boxes;
  if (!cursor_.ReadBytes(cursor_.remaining(), boxes)) return false;
  boxes_ = ByteCursor(boxes);
  return true;
}

bool RowReader::TakeLabels(std::uint64_t row, std::vector<Label>& labels) {
  labels.clear();
  const auto kind = static_cast<std::uint8_t>(kinds_[row]);
  if (kind == kNone) return true;
  if (kind != kSeveral)
    return LabelOf(kind, words_[row], labels.emplace_back());
  for (std::uint64_t i = 0; i < words_[row]; ++i, ++next_extra_) {
    const auto extra = static_cast<std::uint8_t>(extra_kinds_[next_extra_]);
    if (extra == kNone ||
        !LabelOf(extra, extra_words_[next_extra_], labels.emplace_back())) {
      return false;
    }
  }
  return true;
}

// Whether a file of that path lies below its folder, as far as names go.
bool StaysBelow(std::string_view path) {
  if (path.empty() || path.front() == '/' ||
      path.find('\0') != std::string_view::npos) {
    return false;
  }
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part == "..") return false;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return true;
}

bool RowReader::AddBoxes(std::uint64_t count, std::string_view path,
                         SourceSet& source) {
  std::vector<BoundingBox> boxes;
  for (std::uint64_t i = 0; i < count; ++i) {
    BoundingBox box;
    for (float* value : {&box.xmin, &box.ymin, &box.xmax, &box.ymax}) {
      if (!boxes_.Read(*value) || !(*value >= 0 && *value <= 1)) return false;
    }
    boxes.push_back(box);
  }
  const auto known = source.boxes.FindName(path);
  // A path that comes several times has the same boxes each time.
  if (!known.empty()) {
    return std::ranges::equal(std::as_bytes(known),
                              std::as_bytes(std::span(boxes)));
  }
  source.boxes.Add(path, boxes);
  return true;
}

// Accepts only fields that every reader of fields accepts.
bool RowReader::AddFields(std::uint64_t size, std::size_t sample,
                          SourceSet& source) {
  ByteView bytes;
  if (size > SourceList::kMaxKey || !fields_.ReadBytes(size, bytes) ||
      !ColumnFieldsOf(AsText(bytes), source.columns)) {
    return false;
  }
  if (size > 0) source.samples.SetFields(sample, AsText(bytes));
  return true;
}

bool RowReader::AddRow(std::uint64_t row, std::uint32_t split,
                       SourceSet& source) {
  ByteView key;
  ByteView path;
  if (key_sizes_[row] > SourceList::kMaxKey ||
      path_sizes_[row] > SourceList::kMaxKey || sizes_[row] > kMaxFile ||
      roots_[row] >= source.roots.size() || !TakeLabels(row, labels_) ||
      !keys_.ReadBytes(key_sizes_[row], key)) {
    return false;
  }
  const bool has_path = path_sizes_[row] > 0;
  if (of_ == RowsOf::kRecords && has_path) return false;
  if (has_path && !paths_.ReadBytes(path_sizes_[row] - 1, path)) return false;
  const std::string_view name = AsText(has_path ? path : key);
  if ((of_ == RowsOf::kFiles && !StaysBelow(name)) ||
      (has_path && AsText(path) == AsText(key))) {
    return false;
  }
  const std::size_t i = source.samples.Add(name, ids_[row], labels_, split);
  if (has_path) source.samples.SetKey(i, AsText(key));
  source.samples.SetRoot(i, static_cast<std::uint32_t>(roots_[row]));
  source.samples.SetFacts(
      i, {sizes_[row], std::bit_cast<std::int64_t>(times_[row])});
  if (!field_sizes_.empty() && !AddFields(field_sizes_[row], i, source)) {
    return false;
  }
  return box_counts_.empty() || AddBoxes(box_counts_[row], name, source);
}

bool RowReader::Read(std::uint32_t split, SourceSet& source) {
  if (!ReadColumns(source)) return false;
  for (std::uint64_t row = 0; row < count_; ++row) {
    if (!AddRow(row, split, source)) return false;
  }
  return boxes_.done();
}

}  // namespace

std::string EncodePlanRows(const ShardPlan& plan, const PlannedShard& shard) {
  Columns columns;
  for (std::uint64_t i = 0; i < shard.count; ++i) {
    columns.Add(plan.source(), plan.SampleAt(shard, i));
  }
  std::string bytes;
  AppendPlanes(columns.ids, 8, bytes);
  bytes += columns.kinds;
  AppendPlanes(columns.words, 8, bytes);
  bytes += columns.extra_kinds;
  AppendPlanes(columns.extra_words, 8, bytes);
  AppendPlanes(columns.sizes, 8, bytes);
  AppendPlanes(columns.times, 8, bytes);
  AppendPlanes(columns.roots, 4, bytes);
  AppendPlanes(columns.key_sizes, 4, bytes);
  AppendPlanes(columns.path_sizes, 4, bytes);
  AppendPlanes(columns.box_counts, 4, bytes);
  AppendPlanes(columns.field_sizes, 4, bytes);
  return bytes + columns.keys + columns.paths + columns.fields + columns.boxes;
}

bool DecodePlanRows(ByteView bytes, std::uint64_t count, std::uint32_t split,
                    SourceSet& source, RowsOf of) {
  return RowReader(bytes, count, of).Read(split, source);
}

}  // namespace shardine
