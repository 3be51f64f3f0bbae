#include "recordio/recordio_index.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "recordio/recordio_reader.h"

namespace shardine {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;
constexpr std::size_t kWindowBytes = std::size_t{64} << 10;
// Two numbers of at most 20 digits, a tab, CR and LF.
constexpr std::size_t kMaxLine = 43;

// All of `text` is a decimal number below 2^64.
bool ParseNumber(std::string_view text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

bool ParseLine(std::string_view line, IdxEntry& entry) {
  const std::size_t tab = line.find('\t');
  return tab != std::string_view::npos &&
         ParseNumber(line.substr(0, tab), entry.key) &&
         ParseNumber(line.substr(tab + 1), entry.offset);
}

}  // namespace

IdxWriter::IdxWriter(std::unique_ptr<WritableFile> file)
    : file_(std::move(file)) {}

Status IdxWriter::Append(const IdxEntry& entry) {
  buffer_ += std::to_string(entry.key);
  buffer_ += '\t';
  buffer_ += std::to_string(entry.offset);
  buffer_ += '\n';
  return buffer_.size() < kFlushBytes ? Status() : Flush();
}

Status IdxWriter::Flush() {
  if (buffer_.empty()) return {};
  Status status = file_->Append(AsBytes(buffer_));
  buffer_.clear();
  return status;
}

Status IdxWriter::Finish() {
  SHARDINE_RETURN_IF_ERROR(Flush());
  SHARDINE_RETURN_IF_ERROR(file_->Sync());
  return file_->Close();
}

Result<std::optional<IdxEntry>> IdxReader::Next() {
  SHARDINE_ASSIGN_OR_RETURN(std::string_view line, NextLine());
  if (line.empty()) return std::optional<IdxEntry>();
  if (line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  IdxEntry entry;
  if (!ParseLine(line, entry)) {
    return Corrupt("not a line of an .idx file: key, tab, offset");
  }
  if (entry.offset == std::numeric_limits<std::uint64_t>::max()) {
    return Corrupt(
        "offset 18446744073709551615: the position of the program that wrote "
        "this index overflowed; make the index anew from the .rec");
  }
  return std::optional<IdxEntry>(entry);
}

// The next line with its newline; empty at the end of the file.
Result<std::string_view> IdxReader::NextLine() {
  std::size_t left = window_.size() - window_position_;
  // A window with room for the longest line holds the next one whole.
  if (left < kMaxLine && file_position_ < file_.size()) {
    if (left > 0) {
      std::memmove(window_.data(), window_.data() + window_position_, left);
    }
    const std::uint64_t rest = file_.size() - file_position_;
    const std::size_t more =
        static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, rest));
    window_.Resize(left + more);
    window_position_ = 0;
    SHARDINE_RETURN_IF_ERROR(
        file_.ReadExactly(file_position_, window_.span().subspan(left)));
    file_position_ += more;
    left += more;
  }
  line_offset_ = file_position_ - left;
  ++line_;
  const std::string_view text =
      AsText(window_.view().subspan(window_position_));
  // A file without newlines fails after 43 bytes, not after all of it was read.
  std::size_t length = text.substr(0, kMaxLine).find('\n') + 1;
  if (length == 0) length = text.size();
  if (length > kMaxLine) return Corrupt("no .idx file: a line is too long");
  window_position_ += length;
  return text.substr(0, length);
}

Status IdxReader::Corrupt(const std::string& message) const {
  return Status(Code::kCorrupt, message)
      .At({.path = file_.path(), .offset = line_offset_, .record = line()});
}

Result<std::vector<IdxEntry>> ReadIdx(const RandomAccessFile& file) {
  std::vector<IdxEntry> entries;
  IdxReader reader(file);
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, reader.Next());
    if (!entry) return entries;
    entries.push_back(*entry);
  }
}

Result<std::vector<ListedRecord>> ListIdx(const RandomAccessFile& file) {
  std::vector<ListedRecord> records;
  IdxReader reader(file);
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, reader.Next());
    if (!entry) return records;
    records.push_back({.offset = entry->offset, .id = entry->key});
  }
}

Result<std::string> IdxOf(const RandomAccessFile& rec) {
  std::string text;
  RecordIoReader reader(rec);
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const auto record, reader.Next());
    if (!record) return text;
    text += std::to_string(record->number) + '\t' +
            std::to_string(record->offset) + '\n';
  }
}

Status CheckIdx(ReadableStorage& storage, const std::string& path,
                std::span<const std::uint64_t> record_offsets,
                std::span<const std::uint64_t> ids) {
  SHARDINE_CHECK(record_offsets.size() == ids.size());
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  IdxReader reader(*file);
  // One loop goes over both, so the reported difference is the first one.
  for (std::size_t i = 0;; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, reader.Next());
    if (!entry && i == ids.size()) return {};
    std::string difference;
    if (!entry) {
      difference = "the index ends, but the shard has " +
                   std::to_string(ids.size()) + " records";
    } else if (i == ids.size()) {
      difference = "the index goes on, but the shard has no more records";
    } else if (entry->offset != record_offsets[i]) {
      difference = "offset " + std::to_string(entry->offset) +
                   ", but the record begins at " +
                   std::to_string(record_offsets[i]);
    } else if (entry->key != ids[i]) {
      difference = "key " + std::to_string(entry->key) +
                   ", but the record has id " + std::to_string(ids[i]);
    } else {
      continue;
    }
    return Status(Code::kCorrupt,
                  "line " + std::to_string(i + 1) + ": " + difference)
        .At({.path = path, .offset = reader.line_offset(), .record = i});
  }
}

Result<std::vector<std::uint64_t>> ReadIdxKeys(
    ReadableStorage& storage, const std::string& path,
    std::span<const std::uint64_t> record_offsets) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  SHARDINE_ASSIGN_OR_RETURN(std::vector<IdxEntry> entries, ReadIdx(*file));
  // Offsets identify a line's record in any order. Two lines of one record make
  // the count or an offset differ.
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<std::uint64_t> keys;
  keys.reserve(entries.size());
  bool same = entries.size() == record_offsets.size();
  for (std::size_t i = 0; same && i < entries.size(); ++i) {
    same = entries[i].offset == record_offsets[i];
    keys.push_back(entries[i].key);
  }
  if (same) return keys;
  return Status(Code::kCorrupt, "lists other records than the shard holds")
      .At({.path = path});
}

}  // namespace shardine
