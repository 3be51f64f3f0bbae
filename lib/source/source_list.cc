#include "source/source_list.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>

#include "base/check.h"

namespace shardine {
namespace {

constexpr std::size_t kBlockRows = 8192;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// How the word of the label column is to be read.
enum class LabelKind : std::uint8_t { kNone, kInteger, kReal, kSeveral };

struct Place {
  std::uint32_t split : 16 = 0;
  std::uint32_t root : 14 = 0;
  std::uint32_t kind : 2 = 0;  // LabelKind
};
static_assert(sizeof(Place) == 4);

// A run of up to 2^24 - 1 things in something with 2^40 places.
struct Span {
  std::uint64_t begin : 40 = 0;
  std::uint64_t count : 24 = 0;
};
static_assert(sizeof(Span) == 8);

// Columns, not rows: a struct of these fields would be padded to 48 bytes.
struct Block {
  Span keys[kBlockRows];  // begin = chunk * kChunkBytes + offset in it
  std::uint64_t ids[kBlockRows];
  std::uint64_t labels[kBlockRows];
  std::uint64_t sizes[kBlockRows];
  std::int64_t mtimes[kBlockRows];
  Place places[kBlockRows];
};

// Keys back to back in chunks that never move. A key longer than a chunk has
// one of its own.
class KeyArena {
 public:
  Span Add(std::string_view key) {
    // Even an empty key must begin inside its chunk.
    if (used_ == kChunkBytes || key.size() > kChunkBytes - used_) {
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(
          std::max(key.size(), kChunkBytes)));
      used_ = 0;
    }
    const std::size_t chunk = chunks_.size() - 1;
    if (!key.empty()) {
      std::memcpy(chunks_[chunk].get() + used_, key.data(), key.size());
    }
    Span span;
    // No memory holds 2^40 bytes of keys. The masks here and below change no
    // number; they tell the compiler that it fits.
    span.begin = (chunk * kChunkBytes + used_) & ((std::uint64_t{1} << 40) - 1);
    span.count = key.size() & SourceList::kMaxKey;
    // The chunk of a longer key counts as full.
    used_ = std::min(used_ + key.size(), kChunkBytes);
    return span;
  }

  std::string_view Get(Span span) const {
    return {chunks_[span.begin / kChunkBytes].get() + span.begin % kChunkBytes,
            span.count};
  }

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t used_ = kChunkBytes;  // of the last chunk
};

// A sample whose key is not the path of its file. Few lists have any, so there
// is no column for them.
struct Alias {
  std::uint64_t index = 0;
  Span path;
};

}  // namespace

struct SourceList::Columns {
  std::size_t size = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  KeyArena keys;
  // A deque grows without a second copy of its contents. Labels that others
  // replaced stay in it, unused.
  std::deque<Label> several;  // labels of the samples that have many
  std::deque<Alias> aliases;  // by index
  std::deque<Span> fields;    // by index, up to the last that has any

  Block& block(std::size_t index) { return *blocks[index / kBlockRows]; }
  LabelKind kind(std::size_t index) {
    return static_cast<LabelKind>(block(index).places[index % kBlockRows].kind);
  }
  Span several_of(std::size_t index) {
    return std::bit_cast<Span>(block(index).labels[index % kBlockRows]);
  }

  // The first alias of `index` or one after it.
  std::deque<Alias>::iterator FindAlias(std::size_t index) {
    return std::ranges::lower_bound(aliases, index, {}, &Alias::index);
  }

  void StoreLabels(std::size_t index, std::span<const Label> labels) {
    LabelKind kind = LabelKind::kNone;
    std::uint64_t word = 0;
    if (labels.size() > 1) {
      kind = LabelKind::kSeveral;
      Span span;
      span.begin = several.size() & ((std::uint64_t{1} << 40) - 1);
      span.count = labels.size() & kMaxLabels;
      word = std::bit_cast<std::uint64_t>(span);
      several.insert(several.end(), labels.begin(), labels.end());
    } else if (labels.size() == 1) {
      const Label label = labels.front();
      kind = label.is_integer() ? LabelKind::kInteger : LabelKind::kReal;
      word = label.is_integer() ? std::bit_cast<std::uint64_t>(label.integer())
                                : std::bit_cast<std::uint64_t>(label.real());
    }
    block(index).labels[index % kBlockRows] = word;
    block(index).places[index % kBlockRows].kind =
        static_cast<std::uint32_t>(kind) & 3;
  }

  void CopyRow(std::size_t from, std::size_t to) {
    const Block& source = block(from);
    Block& target = block(to);
    const std::size_t f = from % kBlockRows;
    const std::size_t t = to % kBlockRows;
    target.keys[t] = source.keys[f];
    target.ids[t] = source.ids[f];
    target.labels[t] = source.labels[f];
    target.sizes[t] = source.sizes[f];
    target.mtimes[t] = source.mtimes[f];
    target.places[t] = source.places[f];
    if (from < fields.size()) fields[to] = fields[from];
  }
};

SourceList::SourceList() : columns_(std::make_unique<Columns>()) {}
SourceList::~SourceList() = default;
SourceList::SourceList(SourceList&&) noexcept = default;
SourceList& SourceList::operator=(SourceList&&) noexcept = default;

std::size_t SourceList::Add(std::string_view key, std::uint64_t id,
                            std::span<const Label> labels,
                            std::uint32_t split) {
  SHARDINE_CHECK(key.size() <= kMaxKey && labels.size() <= kMaxLabels);
  Columns& columns = *columns_;
  const std::size_t index = columns.size;
  if (index / kBlockRows == columns.blocks.size()) {
    columns.blocks.push_back(std::make_unique_for_overwrite<Block>());
  }
  ++columns.size;
  Block& block = columns.block(index);
  const std::size_t row = index % kBlockRows;
  block.keys[row] = columns.keys.Add(key);
  block.places[row] = Place();
  columns.StoreLabels(index, labels);
  SetId(index, id);
  SetSplit(index, split);
  SetFacts(index, SourceFacts());
  return index;
}

std::size_t SourceList::size() const { return columns_->size; }

std::string_view SourceList::key(std::size_t index) const {
  return columns_->keys.Get(columns_->block(index).keys[index % kBlockRows]);
}

std::string_view SourceList::path(std::size_t index) const {
  const auto alias = columns_->FindAlias(index);
  if (alias == columns_->aliases.end() || alias->index != index) {
    return key(index);
  }
  return columns_->keys.Get(alias->path);
}

std::uint64_t SourceList::id(std::size_t index) const {
  return columns_->block(index).ids[index % kBlockRows];
}

std::uint32_t SourceList::split(std::size_t index) const {
  return columns_->block(index).places[index % kBlockRows].split;
}

std::uint32_t SourceList::root(std::size_t index) const {
  return columns_->block(index).places[index % kBlockRows].root;
}

SourceFacts SourceList::facts(std::size_t index) const {
  const Block& block = columns_->block(index);
  return {block.sizes[index % kBlockRows], block.mtimes[index % kBlockRows]};
}

std::size_t SourceList::label_count(std::size_t index) const {
  switch (columns_->kind(index)) {
    case LabelKind::kNone:
      return 0;
    case LabelKind::kInteger:
    case LabelKind::kReal:
      return 1;
    case LabelKind::kSeveral:
      break;
  }
  return columns_->several_of(index).count;
}

std::optional<std::int64_t> SourceList::class_label(std::size_t index) const {
  if (columns_->kind(index) != LabelKind::kInteger) return std::nullopt;
  return std::bit_cast<std::int64_t>(
      columns_->block(index).labels[index % kBlockRows]);
}

void SourceList::GetLabels(std::size_t index,
                           std::vector<Label>& labels) const {
  labels.clear();
  const std::uint64_t word = columns_->block(index).labels[index % kBlockRows];
  switch (columns_->kind(index)) {
    case LabelKind::kNone:
      return;
    case LabelKind::kInteger:
      labels.emplace_back(std::bit_cast<std::int64_t>(word));
      return;
    case LabelKind::kReal:
      labels.push_back(Label::FromReal(std::bit_cast<double>(word)));
      return;
    case LabelKind::kSeveral:
      break;
  }
  const Span span = columns_->several_of(index);
  for (std::uint64_t i = 0; i < span.count; ++i) {
    labels.push_back(columns_->several[span.begin + i]);
  }
}

void SourceList::SetKey(std::size_t index, std::string_view key) {
  SHARDINE_CHECK(key.size() <= kMaxKey);
  Columns& columns = *columns_;
  Span& held = columns.block(index).keys[index % kBlockRows];
  const auto alias = columns.FindAlias(index);
  if (alias == columns.aliases.end() || alias->index != index) {
    columns.aliases.insert(alias, Alias{index, held});
  }
  held = columns.keys.Add(key);
}

void SourceList::SetId(std::size_t index, std::uint64_t id) {
  columns_->block(index).ids[index % kBlockRows] = id;
}

void SourceList::SetSplit(std::size_t index, std::uint32_t split) {
  SHARDINE_CHECK(split < kMaxSplits);
  columns_->block(index).places[index % kBlockRows].split =
      split & (kMaxSplits - 1);
}

void SourceList::SetRoot(std::size_t index, std::uint32_t root) {
  SHARDINE_CHECK(root < kMaxRoots);
  columns_->block(index).places[index % kBlockRows].root =
      root & (kMaxRoots - 1);
}

void SourceList::SetFacts(std::size_t index, const SourceFacts& facts) {
  Block& block = columns_->block(index);
  block.sizes[index % kBlockRows] = facts.size;
  block.mtimes[index % kBlockRows] = facts.mtime_ns;
}

void SourceList::SetLabel(std::size_t index, const Label& label) {
  columns_->StoreLabels(index, std::span(&label, 1));
}

void SourceList::SetLabels(std::size_t index, std::span<const Label> labels) {
  Columns& columns = *columns_;
  if (columns.kind(index) != LabelKind::kSeveral) {
    columns.StoreLabels(index, labels);
    return;
  }
  const Span span = columns.several_of(index);
  SHARDINE_CHECK(span.count == labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    columns.several[span.begin + i] = labels[i];
  }
}

void SourceList::SetFields(std::size_t index, std::string_view bytes) {
  SHARDINE_CHECK(bytes.size() <= kMaxKey);
  Columns& columns = *columns_;
  if (columns.fields.size() <= index) columns.fields.resize(index + 1);
  columns.fields[index] = columns.keys.Add(bytes);
}

std::string_view SourceList::fields(std::size_t index) const {
  const Columns& columns = *columns_;
  if (index >= columns.fields.size()) return {};
  const Span span = columns.fields[index];
  return span.count == 0 ? std::string_view() : columns.keys.Get(span);
}

// Rows only move to the front, so they move in place. Keys stay in their
// chunks: views of them, and of those that are dropped, stay good.
void SourceList::Keep(const std::vector<bool>& flags) {
  Columns& columns = *columns_;
  SHARDINE_CHECK(flags.size() == columns.size);
  std::size_t kept = 0;
  auto alias = columns.aliases.begin();
  auto kept_alias = alias;
  for (std::size_t i = 0; i < columns.size; ++i) {
    const bool aliased = alias != columns.aliases.end() && alias->index == i;
    if (flags[i]) {
      if (kept != i) columns.CopyRow(i, kept);
      if (aliased) *kept_alias++ = Alias{kept, alias->path};
      ++kept;
    }
    if (aliased) ++alias;
  }
  columns.aliases.erase(kept_alias, columns.aliases.end());
  columns.size = kept;
  columns.fields.resize(std::min(columns.fields.size(), kept));
  columns.blocks.resize((kept + kBlockRows - 1) / kBlockRows);
}

}  // namespace shardine
