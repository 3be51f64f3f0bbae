#include "archive/pax_header.h"

#include <charconv>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxSize = (std::uint64_t{1} << 63) - 1;

// All of `text` is a decimal number below 2^63.
std::optional<std::uint64_t> ParseDecimal(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > kMaxSize) {
    return std::nullopt;
  }
  return value;
}

Status MalformedRecords() {
  return Status(Code::kCorrupt, "a pax header that is no list of records");
}

// Cuts the first record off `records`: "LENGTH KEYWORD=VALUE\n".
Status TakeRecord(std::string_view& records, std::string_view& keyword,
                  std::string_view& value) {
  const std::size_t blank = records.substr(0, 20).find(' ');
  if (blank == records.npos) return MalformedRecords();
  const auto length = ParseDecimal(records.substr(0, blank));
  if (!length || *length > records.size() || *length < blank + 2) {
    return MalformedRecords();
  }
  const std::string_view record =
      records.substr(blank + 1, static_cast<std::size_t>(*length) - blank - 1);
  const std::size_t equals = record.find('=');
  if (equals == record.npos || record.back() != '\n') return MalformedRecords();
  keyword = record.substr(0, equals);
  value = record.substr(equals + 1, record.size() - equals - 2);
  records.remove_prefix(static_cast<std::size_t>(*length));
  return Status();
}

}  // namespace

Status ParsePaxRecords(std::string_view records, PaxValues& values) {
  bool any = false;
  while (!records.empty()) {
    // Zeros alone are a header whose records were lost.
    if (any && records.find_first_not_of('\0') == records.npos) break;
    any = true;
    std::string_view keyword;
    std::string_view value;
    SHARDINE_RETURN_IF_ERROR(TakeRecord(records, keyword, value));
    if (keyword == "path") {
      values.takes_back_path = value.empty();
      values.path.reset();
      if (!value.empty()) values.path = value;
    } else if (keyword == "size") {
      values.takes_back_size = value.empty();
      values.size = ParseDecimal(value);
      if (!values.size && !value.empty()) return MalformedRecords();
    } else if (keyword == "linkpath") {
      values.link.reset();
      if (!value.empty()) values.link = value;
    } else if (keyword.starts_with("GNU.sparse.")) {
      return Status(Code::kUnsupported,
                    "a sparse file in a tar archive; make the archive again "
                    "with whole files, without -S of tar");
    }
  }
  return Status();
}

void AppendPaxRecord(std::string_view keyword, std::string_view value,
                     std::string& to) {
  const std::size_t rest = keyword.size() + value.size() + 3;
  std::size_t length = rest + 1;
  // The digits count themselves.
  while (rest + std::to_string(length).size() != length) ++length;
  to += std::to_string(length);
  to += ' ';
  to += keyword;
  to += '=';
  to += value;
  to += '\n';
}

}  // namespace shardine
