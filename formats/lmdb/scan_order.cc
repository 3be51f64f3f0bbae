#include "lmdb/scan_order.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "lmdb/bare_image.h"
#include "lmdb/numbered_key.h"
#include "lmdb/pattern_codec.h"
#include "lmdb/value_codec.h"
#include "lmdb/value_reader.h"

namespace shardine {
namespace {

// Parsed objects take several times their bytes in a pickle. The size of the
// file alone would refuse a small database that is mostly keys.
constexpr std::uint64_t kBeyondFile = std::uint64_t{64} << 20;

struct Listed {
  std::vector<LmdbPlace> places;  // of the keys that exist
  std::size_t keys = 0;
};

Status NotAList(std::string_view what, PickleKind kind,
                const LmdbEntry& entry) {
  return Status(Code::kUnsupported, std::string(what) + " of type " +
                                        std::string(PickleKindName(kind)) +
                                        ", where a list of keys is expected")
      .At({.offset = entry.offset});
}

Status ListedTwice() {
  return Status(Code::kCorrupt, std::string(kKeysEntry) + " lists a key twice");
}

Result<Listed> ReadListed(LmdbReader& reader, const LmdbEntry& entry,
                          std::uint64_t max_memory) {
  SHARDINE_ASSIGN_OR_RETURN(ByteView value, reader.Value(entry));
  // While keys are looked up, a page may go; a value of its own pages stays.
  ByteBuffer copy;
  if (entry.overflow_page == 0) {
    copy.Append(value);
    value = copy.view();
  }
  ValueReader reader_of_keys(max_memory);
  SHARDINE_ASSIGN_OR_RETURN(const PickleValue keys,
                            reader_of_keys.Read(value, entry.value.offset));
  if (!keys.is_sequence()) {
    return NotAList("__keys__ is", keys.kind(), entry);
  }
  Listed listed;
  listed.keys = keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const PickleKind kind = keys.item(i).kind();
    if (kind != PickleKind::kBytes && kind != PickleKind::kText) {
      return NotAList("__keys__ has an item", kind, entry);
    }
    const ByteView key = keys.item(i).bytes().bytes;
    SHARDINE_ASSIGN_OR_RETURN(const auto found, reader.Find(key));
    // A list that names `__keys__` itself counts as one with a key that is
    // missing.
    if (found && !IsListEntry(AsText(key)))
      listed.places.push_back(found->place);
    // More places than entries: a list may hold one key any number of times.
    if (listed.places.size() > reader.size()) {
      return ListedTwice().At({.offset = entry.offset});
    }
  }
  return listed;
}

// A list with some of its keys is neither the list of this database nor one
// that was left from another, so it is damage. Equal keys lead to one place,
// and places are cheaper to sort than keys.
Status CheckListed(const Listed& listed) {
  if (listed.places.size() < listed.keys) {
    return Status(Code::kCorrupt,
                  std::string(kKeysEntry) + " lists " +
                      std::to_string(listed.keys) + " keys, of which only " +
                      std::to_string(listed.places.size()) + " exist");
  }
  std::vector<LmdbPlace> sorted = listed.places;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return {};
  return ListedTwice();
}

// Only a list that is followed is held against `__len__`: a merged database has
// a length as stale as its list.
Status CheckLength(LmdbReader& reader, std::size_t keys,
                   std::uint64_t max_memory) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entry,
                            reader.Find(AsBytes(kLengthEntry)));
  if (!entry) return {};
  SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader.Value(*entry));
  ValueReader number(max_memory);
  SHARDINE_ASSIGN_OR_RETURN(const PickleValue length,
                            number.Read(value, entry->value.offset));
  if (length.kind() == PickleKind::kInt &&
      length.integer() == static_cast<std::int64_t>(keys)) {
    return {};
  }
  return Status(Code::kCorrupt,
                std::string(kLengthEntry) + " is not the number of keys that " +
                    std::string(kKeysEntry) + " lists, " + std::to_string(keys))
      .At({.offset = entry->offset});
}

bool IsCount(std::string_view text) {
  constexpr std::size_t kMostDigits = 19;
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

// `__len__` of a database without `__keys__`: a number of a serialiser, or its
// digits. A digit alone may be both. A value that is neither counts nothing.
Status ScanOrder::ReadLength(std::uint64_t max_memory) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entry,
                            reader_->Find(AsBytes(kLengthEntry)));
  if (!entry) return {};
  SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader_->Value(*entry));
  Said said = {std::string(kLengthEntry), "", entry->value.offset};
  if (IsCount(AsText(value))) said.number = AsText(value);
  ValueReader reader(max_memory);
  const auto length = reader.Read(value, entry->value.offset);
  if (length.ok() && length->kind() == PickleKind::kInt) {
    said.also = std::to_string(length->integer());
  }
  if (said.number.empty()) said.number = said.also;
  if (!said.number.empty()) said_.push_back(std::move(said));
  return {};
}

std::uint64_t MaxValueMemory(const RandomAccessFile& file) {
  return file.size() + kBeyondFile;
}

Result<ScanOrder> ScanOrder::Make(LmdbReader& reader, ValueCodec& codec,
                                  std::uint64_t max_memory) {
  ScanOrder order(reader, codec);
  SHARDINE_ASSIGN_OR_RETURN(const auto entry, reader.Find(AsBytes(kKeysEntry)));
  if (!entry) {
    SHARDINE_RETURN_IF_ERROR(order.ReadLength(max_memory));
    SHARDINE_ASSIGN_OR_RETURN(order.form_, KeyForm::Find(reader));
    return order;
  }
  SHARDINE_ASSIGN_OR_RETURN(Listed listed,
                            ReadListed(reader, *entry, max_memory));
  if (listed.places.empty()) {
    // An empty list belongs to an empty shard, so its length is checked: it
    // must not hide entries of the database.
    SHARDINE_ASSIGN_OR_RETURN(order.form_, KeyForm::Find(reader));
    if (listed.keys > 0) return order;
    SHARDINE_RETURN_IF_ERROR(CheckLength(reader, 0, max_memory));
    return order;
  }
  SHARDINE_RETURN_IF_ERROR(CheckListed(listed).At({.offset = entry->offset}));
  SHARDINE_RETURN_IF_ERROR(CheckLength(reader, listed.keys, max_memory));
  order.listed_ = std::move(listed.places);
  return order;
}

Result<std::optional<LmdbEntry>> ScanOrder::Next() {
  if (listed_) {
    if (next_ == listed_->size()) return std::optional<LmdbEntry>();
    SHARDINE_ASSIGN_OR_RETURN(const LmdbEntry entry,
                              reader_->At((*listed_)[next_]));
    ++next_;
    return std::optional(entry);
  }
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(
        const auto entry, last_ ? reader_->After(*last_) : reader_->First());
    if (!entry) {
      SHARDINE_RETURN_IF_ERROR(CheckCount());
      return entry;
    }
    last_ = entry->place;
    const std::string_view key = AsText(entry->key);
    if (IsListEntry(key)) continue;
    if (!codec_->may_be_beside(key)) return entry;
    SHARDINE_ASSIGN_OR_RETURN(const bool sample, IsSample(*entry));
    if (!sample) continue;
    SHARDINE_ASSIGN_OR_RETURN(const LmdbEntry again, reader_->At(*last_));
    return std::optional(again);
  }
}

void ScanOrder::TakeIn(std::string_view key) {
  if (listed_) return;
  ++found_;
  CountInSeries(key);
}

bool ScanOrder::LeaveOut(std::string_view key, ByteView value, bool readable) {
  // Beside bare images a dict is a note, and no sample that lacks its image.
  const bool of_their_kind = !form_.of_bare_images() || IsBareImage(value);
  if ((readable && of_their_kind) || !form_.IsOther(key)) return false;
  constexpr std::uint64_t kMostNames = 3;
  if (others_ < kMostNames) {
    if (others_ > 0) names_ += ", ";
    names_ += ShowName(key);
  } else if (others_ == kMostNames) {
    names_ += ", ...";
  }
  ++others_;
  return true;
}

std::string ScanOrder::left_out() const {
  std::string forms;
  for (const auto& [form, count] : forms_.counts()) {
    forms += (forms.empty() ? "" : ", ") + ShowName(form) + " (" +
             std::to_string(count) + ")";
  }
  if (!forms.empty()) return "entries left out: " + forms;
  if (others_ == 0) return {};
  return std::to_string(others_) +
         (others_ == 1 ? " entry is no sample and is"
                       : " entries are no samples and are") +
         " left out, by the form of the keys: " + names_;
}

Result<bool> ScanOrder::IsSample(const LmdbEntry& entry) {
  const std::string key(AsText(entry.key));
  for (const std::string& owner : codec_->owners_of(key)) {
    SHARDINE_ASSIGN_OR_RETURN(const auto found, reader_->Find(AsBytes(owner)));
    if (!found) continue;
    if (IsNumbered(key, kTextPrefix)) ++beside_;
    return false;
  }
  SHARDINE_ASSIGN_OR_RETURN(const LmdbEntry again, reader_->At(entry.place));
  SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader_->Value(again));
  if (codec_->is_sample(value)) return true;
  const std::string_view text = AsText(value);
  if (IsCountEntry(key) && IsCount(text)) {
    said_.push_back({key, std::string(text), again.value.offset});
  } else if (codec_->lists_left_out()) {
    forms_.Add(PatternOfKey(key));
  }
  return false;
}

// Keys are sorted, so the keys of a series are neighbours.
void ScanOrder::CountInSeries(std::string_view key) {
  const std::string_view name = key.substr(0, key.rfind('-') + 1);
  if (in_series_ == 0 || name != series_) {
    alike_ = alike_ && (first_series_ == 0 || first_series_ == in_series_);
    first_series_ = in_series_;
    series_ = name;
    in_series_ = 0;
  }
  ++in_series_;
}

// A count counts the images or, where each exists in several sizes or as color
// and depth, the texts or each series of equal length.
Status ScanOrder::CheckSaid() const {
  const bool alike = alike_ && first_series_ == in_series_;
  for (const Said& said : said_) {
    const bool right =
        said.number == std::to_string(found_) ||
        said.also == std::to_string(found_) ||
        (beside_ > 0 && said.number == std::to_string(beside_)) ||
        (alike && said.number == std::to_string(in_series_));
    if (right) continue;
    return Status(Code::kCorrupt, said.name + " says " + said.number +
                                      " where there are " +
                                      std::to_string(found_) + " samples")
        .At({.offset = said.offset});
  }
  return {};
}

// Programs go from the first number to that one and look at nothing else.
Status ScanOrder::CheckCount() {
  const std::string_view name = codec_->count_entry();
  if (name.empty()) return CheckSaid();
  SHARDINE_ASSIGN_OR_RETURN(const auto entry, reader_->Find(AsBytes(name)));
  Where where;
  if (entry) {
    SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader_->Value(*entry));
    if (AsText(value) == std::to_string(found_)) return {};
    where.offset = entry->value.offset;
  }
  return Status(Code::kCorrupt,
                std::string(name) +
                    " does not say how many images there are, " +
                    std::to_string(found_))
      .At(where);
}

}  // namespace shardine
