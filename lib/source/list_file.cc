#include "source/list_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/status_macros.h"
#include "io/replaced_file.h"
#include "shardine/escape.h"
#include "source/source_file.h"

namespace shardine {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;

template <typename T>
std::errc ParseWhole(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop != end ? std::errc::invalid_argument : error;
}

// True if `value` is exactly the whole number that `digits` says.
bool SameInteger(double value, std::string_view digits) {
  char exact[512];  // the largest double has 309 digits
  const auto [end, error] = std::to_chars(exact, exact + sizeof(exact), value,
                                          std::chars_format::fixed, 0);
  return error == std::errc() &&
         digits ==
             std::string_view(exact, static_cast<std::size_t>(end - exact));
}

// The reason why `path` cannot be the last field of a line, or nullptr.
// A carriage return at the end would be read as part of "\r\n", the end of a
// line.
const char* PathFault(std::string_view path) {
  if (path.empty()) return "no path";
  if (path.find('\0') != std::string_view::npos) return "NUL byte in the path";
  if (path.ends_with('\r')) return "carriage return at the end of the path";
  return nullptr;
}

// Cuts the part before the next blanks, and those, off `rest`, which has none
// at its ends then.
std::string_view CutWord(std::string_view& rest) {
  rest = WithoutBlanks(rest, " \t");
  const std::size_t size = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, size);
  rest = WithoutBlanks(rest.substr(size), " \t");
  return word;
}

std::string_view LastWord(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  return text.substr(text.find_last_of(" \t") + 1);
}

bool IsId(std::string_view word) {
  std::uint64_t id = 0;
  return ParseWhole(word, id) == std::errc();
}

// A line that is an id and more, or a path and the label after it.
std::string BothWays(const std::string& with_id, std::string_view text) {
  const std::string_view label = LastWord(text);
  const std::string_view path = WithoutBlanks(
      text.substr(0, static_cast<std::size_t>(label.data() - text.data())),
      " \t");
  return with_id + ", or the path \"" + EscapeBytes(path) + "\" and label " +
         std::string(label) +
         ": it could be both; write id, label and path with tabs between";
}

bool IsLabel(std::string_view word) { return ParseLabel(word).has_value(); }

// Cuts labels off the path of "path label label", the last of which is gone:
// after tabs, which no path has, or after the suffix of an image.
void CutEarlierLabels(ListEntry& entry) {
  const bool tabs = entry.path.find('\t') != entry.path.npos;
  if (!tabs && HasImageSuffix(entry.path)) return;
  std::string_view path = entry.path;
  std::vector<Label> labels;
  while (path.find_first_of(tabs ? "\t" : " ") != path.npos) {
    const std::string_view word = LastWord(path);
    const std::optional<Label> label = ParseLabel(word);
    if (!label) break;
    labels.push_back(*label);
    path = WithoutBlanks(
        path.substr(0, static_cast<std::size_t>(word.data() - path.data())),
        " \t");
  }
  if (!tabs && !HasImageSuffix(path)) return;
  entry.path = path;
  entry.labels.assign(labels.rbegin(), labels.rend());
}

// Cuts the part before the first tab off `rest`, blanks around it left out;
// false if there is no tab.
bool CutField(std::string_view& rest, std::string_view& field) {
  const std::size_t tab = rest.find('\t');
  if (tab == std::string_view::npos) return false;
  field = WithoutBlanks(rest.substr(0, tab), " ");
  rest.remove_prefix(tab + 1);
  return true;
}

// The new list may replace a list, and no manifest, image, device, pipe or
// folder.
Status CheckReplaceable(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const bool is_there,
                            HasFileToReplace(storage, path));
  if (!is_there) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ListReader reader = ListReader::OfAnyForm(*file);
  ListEntry first;
  const Result<bool> read = reader.Next(first);
  if (read.ok() || read.status().code() != Code::kCorrupt) {
    return read.status();
  }
  return Status(Code::kInvalidArgument,
                "is there and is no list, which would replace it; remove it, "
                "or name another file")
      .At({.path = path});
}

}  // namespace

std::optional<Label> ParseLabel(std::string_view text) {
  std::int64_t integer = 0;
  const std::errc error = ParseWhole(text, integer);
  if (error == std::errc()) return Label(integer);
  double real = 0;
  if (ParseWhole(text, real) != std::errc() || std::isnan(real)) {
    return std::nullopt;
  }
  // A whole number beyond int64 is taken if a double is just that number: a
  // label that changes on the way would be another class.
  if (error == std::errc::result_out_of_range && !SameInteger(real, text)) {
    return std::nullopt;
  }
  return Label::FromReal(real);
}

std::optional<std::int64_t> ParseClassNumber(std::string_view text) {
  const std::optional<Label> label = ParseLabel(text);
  if (!label || !label->is_integer() || label->ToString() != text) {
    return std::nullopt;
  }
  return label->integer();
}

Result<bool> ListReader::Next(ListEntry& entry) {
  do {
    SHARDINE_ASSIGN_OR_RETURN(const std::optional<Line> line, lines_.Next());
    if (!line) return false;
    entry.line = *line;
  } while (entry.line.text.empty());

  if (!form_) SHARDINE_RETURN_IF_ERROR(FindForm(entry));
  entry.labels.clear();
  switch (*form_) {
    case ListForm::kTabs:
      SHARDINE_RETURN_IF_ERROR(ReadTabs(entry));
      break;
    case ListForm::kBlanks:
      SHARDINE_RETURN_IF_ERROR(ReadBlanks(entry));
      break;
    case ListForm::kPathLabel:
      SHARDINE_RETURN_IF_ERROR(ReadPathLabel(entry));
      break;
  }
  if (const char* fault = PathFault(entry.path)) return Error(entry, fault);
  return true;
}

// A line of "id label path" whose path ends in a number could be one of "path
// label" whose path begins with two: labels are never guessed.
Status ListReader::FindForm(const ListEntry& entry) {
  const std::string_view text = entry.line.text;
  const bool tabs = text.find('\t') != text.npos;
  std::string_view rest = text;
  const std::string_view first = CutWord(rest);
  const bool id = IsId(first);
  const bool ends_in_label = IsLabel(LastWord(text)) && !rest.empty();
  if (tabs) {
    // "5<tab>3": an id and a path without labels, or a path and its label.
    if (id && ends_in_label && LastWord(text) == rest) {
      return Error(entry,
                   BothWays("id " + std::string(first) + " and the path \"" +
                                EscapeBytes(rest) + "\"",
                            text));
    }
    form_ = id || !ends_in_label ? ListForm::kTabs : ListForm::kPathLabel;
    return {};
  }
  const std::string_view second = CutWord(rest);
  const bool blanks = id && IsLabel(second) && !rest.empty();
  if (blanks && ends_in_label && rest.find(' ') != rest.npos) {
    return Error(entry, BothWays("id " + std::string(first) + ", label " +
                                     std::string(second) + " and the path \"" +
                                     EscapeBytes(rest) + "\"",
                                 text));
  }
  form_ = blanks          ? ListForm::kBlanks
          : ends_in_label ? ListForm::kPathLabel
                          : ListForm::kTabs;
  return {};
}

Status ListReader::ReadBlanks(ListEntry& entry) const {
  std::string_view rest = entry.line.text;
  if (ParseWhole(CutWord(rest), entry.id) != std::errc()) {
    return Error(entry, "the id is not a whole number in [0, 2^64)");
  }
  const std::optional<Label> label = ParseLabel(CutWord(rest));
  if (!label) return Error(entry, "label 1 is not a number that can be held");
  entry.labels.push_back(*label);
  entry.path = rest;
  const std::string_view next = CutWord(rest);
  if (IsLabel(next) && !rest.empty()) {
    return Error(entry, "a second label " + std::string(next) +
                            " and the path \"" + EscapeBytes(rest) +
                            "\", or the path \"" + EscapeBytes(entry.path) +
                            "\": it could be both; write tabs between the "
                            "parts");
  }
  return {};
}

Status ListReader::ReadPathLabel(ListEntry& entry) {
  const std::string_view text = entry.line.text;
  const std::string_view word = LastWord(text);
  const std::optional<Label> label = ParseLabel(word);
  const std::string_view before(
      text.data(), static_cast<std::size_t>(word.data() - text.data()));
  entry.path = WithoutBlanks(before, " \t");
  if (!label || entry.path.empty()) {
    return Error(entry, "not a path and a label after it, as the first line");
  }
  CutEarlierLabels(entry);
  entry.labels.push_back(*label);
  entry.id = next_id_++;
  return {};
}

Status ListReader::ReadTabs(ListEntry& entry) const {
  std::string_view rest = entry.line.text;
  std::string_view field;
  if (!CutField(rest, field)) {
    return Error(entry,
                 "no tab: a line is id, labels and path with one tab "
                 "between them");
  }
  if (ParseWhole(field, entry.id) != std::errc()) {
    return Error(entry, "the id is not a whole number in [0, 2^64)");
  }
  while (CutField(rest, field)) {
    const std::optional<Label> label = ParseLabel(field);
    if (!label) {
      return Error(entry, "label " + std::to_string(entry.labels.size() + 1) +
                              " is not a number that can be held");
    }
    entry.labels.push_back(*label);
  }
  entry.path = rest;
  return {};
}

Status AppendListLine(std::uint64_t id, std::span<const Label> labels,
                      std::string_view path, std::string& text) {
  const char* fault = PathFault(path);
  // A reader takes the last field as the path, so that a tab in it would turn
  // its beginning into a label.
  if (path.find_first_of("\t\n") != std::string_view::npos) {
    fault = "tab or line feed in the path";
  }
  const std::size_t begin = text.size();
  text += std::to_string(id);
  text += '\t';
  for (const Label& label : labels) {
    text += label.ToString();
    text += '\t';
  }
  text += path;
  if (text.size() - begin > LineReader::kMaxLine) fault = "line too long";
  if (fault) {
    // `text` holds the lines of other samples, too: they stay as they were.
    text.resize(begin);
    return Status(Code::kUnsupported,
                  std::string("a .lst line cannot hold this sample: ") + fault)
        .At({.key = std::string(path)});
  }
  text += '\n';
  return Status();
}

std::string SplitListPath(const std::string& output, const std::string& split) {
  constexpr std::string_view kSuffix = ".lst";
  const bool suffixed =
      FileNameOf(output).size() > kSuffix.size() && output.ends_with(kSuffix);
  const std::string stem =
      suffixed ? output.substr(0, output.size() - kSuffix.size()) : output;
  return stem + "_" + split + std::string(suffixed ? kSuffix : "");
}

Result<ListWriter> ListWriter::Create(Storage& storage, std::string path) {
  SHARDINE_RETURN_IF_ERROR(CheckReplaceable(storage, path));
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file,
                            AtomicFile::Create(storage, std::move(path)));
  return ListWriter(std::move(file));
}

Status ListWriter::Add(std::uint64_t id, std::span<const Label> labels,
                       std::string_view path) {
  SHARDINE_RETURN_IF_ERROR(AppendListLine(id, labels, path, pending_));
  if (pending_.size() < kFlushBytes) return Status();
  Status status = file_.Append(AsBytes(pending_));
  pending_.clear();
  return status;
}

Status ListWriter::Publish() {
  SHARDINE_RETURN_IF_ERROR(file_.Append(AsBytes(pending_)));
  pending_.clear();
  return file_.Publish();
}

}  // namespace shardine
