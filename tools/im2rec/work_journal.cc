#include "im2rec/work_journal.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"

namespace shardine {

namespace {

constexpr std::string_view kBegin = "im2rec-journal 1 ";
// A mark takes less than 300 bytes: 14 million records have 14,000 of them.
constexpr std::uint64_t kMaxJournal = std::uint64_t{256} << 20;

std::string HeadLine(const Digest128& work) {
  return std::string(kBegin) + work.ToHex() + "\n";
}

std::string CrcText(std::string_view line) {
  char digits[8];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof(digits), Crc32c(AsBytes(line)), 16);
  return {digits, end};
}

std::string MarkLine(const WorkMark& mark) {
  std::string line;
  for (const std::uint64_t number :
       {mark.list_offset, mark.records, mark.empty, mark.rejected}) {
    line += std::to_string(number) + " ";
  }
  for (const FileMark& file : mark.files) {
    line += std::to_string(file.bytes) + " " + file.digest.ToHex() + " ";
  }
  return line + CrcText(line) + "\n";
}

// Cuts the part before the next blank off `rest`.
std::string_view CutWord(std::string_view& rest) {
  const std::size_t size = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return word;
}

bool ParseNumber(std::string_view word, std::uint64_t& number) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end;
}

std::optional<WorkMark> ParseMark(std::string_view line) {
  WorkMark mark;
  std::string_view rest = line;
  for (std::uint64_t* number :
       {&mark.list_offset, &mark.records, &mark.empty, &mark.rejected}) {
    if (!ParseNumber(CutWord(rest), *number)) return std::nullopt;
  }
  for (FileMark& file : mark.files) {
    if (!ParseNumber(CutWord(rest), file.bytes)) return std::nullopt;
    const auto digest = Digest128::FromHex(CutWord(rest));
    if (!digest) return std::nullopt;
    file.digest = *digest;
  }
  if (rest != CrcText(line.substr(0, line.size() - rest.size()))) {
    return std::nullopt;
  }
  return mark;
}

// Cuts a line with its end off `rest`; nullopt if it has none: it was cut off.
std::optional<std::string_view> CutLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

}  // namespace

Result<std::optional<FoundJournal>> ReadWorkJournal(ReadableStorage& storage,
                                                    const std::string& path,
                                                    const Digest128& work) {
  const Result<std::string> text = ReadFile(storage, path, kMaxJournal);
  if (!text.ok()) {
    if (text.status().code() != Code::kNotFound) return text.status();
    return std::optional<FoundJournal>();
  }
  std::optional<FoundJournal> found(std::in_place);
  std::string_view rest = *text;
  const std::string head = HeadLine(work);
  found->of_this_work = rest.starts_with(head);
  if (!found->of_this_work) return found;
  rest.remove_prefix(head.size());
  while (const auto line = CutLine(rest)) {
    const std::optional<WorkMark> mark = ParseMark(*line);
    if (!mark) break;
    found->marks.push_back(*mark);
  }
  return found;
}

Result<WorkJournal> WorkJournal::Begin(Storage& storage,
                                       const std::string& path,
                                       const Digest128& work,
                                       std::span<const WorkMark> marks) {
  std::string text = HeadLine(work);
  for (const WorkMark& mark : marks) text += MarkLine(mark);
  SHARDINE_RETURN_IF_ERROR(WriteFileAtomically(storage, path, AsBytes(text)));
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.OpenForAppend(path));
  return WorkJournal(std::move(file));
}

Status WorkJournal::Add(const WorkMark& mark) {
  return file_->Append(AsBytes(MarkLine(mark)));
}

}  // namespace shardine
