#include "remote/http_answer.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "base/ascii.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxHeadBytes = 64 << 10;
constexpr std::size_t kMaxWords = 64;

// Digits alone: no sign, no blank, nothing after them.
std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

bool SameName(std::string_view a, std::string_view lower) {
  return LowerAscii(a) == lower;
}

constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr",
                                        "May", "Jun", "Jul", "Aug",
                                        "Sep", "Oct", "Nov", "Dec"};

// The next run of letters or digits; moves on after it.
std::string_view NextWord(std::string_view& text) {
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
  };
  while (!text.empty() && !is_part(text.front())) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && is_part(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" and
// "Sun Nov  6 08:49:37 1994": the same words in two orders.
std::optional<std::int64_t> ParseHttpDate(std::string_view text) {
  std::string_view words[8];
  for (std::string_view& word : words) word = NextWord(text);
  // Not GMT: asctime's order, which begins with the month.
  const bool by_month = !ParseNumber(words[1]).has_value();
  if (by_month) {
    std::swap(words[1], words[2]);
    std::rotate(words + 3, words + 6, words + 7);  // the year to the front
  }
  const auto month = std::ranges::find(kMonths, words[2]);
  std::optional<std::uint64_t> numbers[5];
  const std::string_view texts[] = {words[1], words[3], words[4], words[5],
                                    words[6]};
  for (std::size_t i = 0; i < 5; ++i) {
    numbers[i] = ParseNumber(texts[i]);
    if (!numbers[i] || *numbers[i] > 9999) return std::nullopt;
  }
  if (month == std::end(kMonths)) return std::nullopt;
  std::tm date = {};
  date.tm_mday = static_cast<int>(*numbers[0]);
  date.tm_mon = static_cast<int>(month - std::begin(kMonths));
  const auto year = static_cast<int>(*numbers[1]);
  const int century = year < 70 ? 2000 : year < 100 ? 1900 : 0;
  date.tm_year = year + century - 1900;
  date.tm_hour = static_cast<int>(*numbers[2]);
  date.tm_min = static_cast<int>(*numbers[3]);
  date.tm_sec = static_cast<int>(*numbers[4]);
  return timegm(&date);
}

std::optional<ContentRange> ParseContentRange(std::string_view text) {
  text = WithoutBlanks(text);
  constexpr std::string_view kUnit = "bytes ";
  if (text.size() < kUnit.size() || !SameName(text.substr(0, 5), "bytes")) {
    return std::nullopt;
  }
  text = WithoutBlanks(text.substr(kUnit.size() - 1));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  ContentRange range;
  const std::string_view total = text.substr(slash + 1);
  if (total != "*") {
    range.total = ParseNumber(total);
    if (!range.total) return std::nullopt;
  }
  const std::string_view span = text.substr(0, slash);
  if (span == "*") return range;
  const std::size_t dash = span.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = ParseNumber(span.substr(0, dash));
  const auto last = ParseNumber(span.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  if (range.total && *last >= *range.total) return std::nullopt;
  range.first = *first;
  range.last = *last;
  return range;
}

std::optional<std::uint64_t> ParseRetryAfter(std::string_view text,
                                             std::int64_t now) {
  text = WithoutBlanks(text);
  if (const auto seconds = ParseNumber(text)) return seconds;
  const auto date = ParseHttpDate(text);
  if (!date) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*date - now, 0));
}

bool IsStrong(std::string_view etag) {
  return etag.size() >= 2 && etag.front() == '"' && etag.back() == '"';
}

bool HttpAnswer::AddLine(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > kMaxHeadBytes) return false;
  line = WithoutBlanks(line);
  if (line.starts_with("HTTP/")) {
    const std::size_t bytes = bytes_;
    *this = HttpAnswer();
    bytes_ = bytes;
    const std::size_t blank = line.find(' ');
    const std::string_view words =
        blank == line.npos ? "" : WithoutBlanks(line.substr(blank));
    words_ = EscapeBytes(words.substr(0, kMaxWords));
    const auto number = ParseNumber(words.substr(0, words.find(' ')));
    status_ = number && *number < 1000 ? static_cast<int>(*number) : 0;
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return true;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = WithoutBlanks(line.substr(colon + 1));
  const std::pair<std::string_view, std::string*> kept[] = {
      {"etag", &etag_},
      {"last-modified", &modified_},
      {"x-amz-meta-shardine", &mark_},
      {"x-goog-meta-shardine", &mark_},
      {"date", &date_},
      {"content-encoding", &encoding_},
      {"retry-after", &retry_after_},
      {"x-amz-bucket-region", &region_},
  };
  for (const auto& [wanted, place] : kept) {
    if (SameName(name, wanted)) *place = value;
  }
  if (SameName(name, "content-range")) range_ = value;
  if (SameName(name, "content-length")) length_ = ParseNumber(value);
  if (SameName(name, "x-amz-request-id") || SameName(name, "x-request-id")) {
    request_id_ = EscapeBytes(value.substr(0, kMaxWords));
  }
  return true;
}

std::optional<std::uint64_t> HttpAnswer::retry_after() const {
  if (retry_after_.empty()) return std::nullopt;
  // A date is by the server's clock.
  const auto now = date();
  return ParseRetryAfter(retry_after_, now ? *now : std::time(nullptr));
}

std::optional<std::int64_t> HttpAnswer::date() const {
  return ParseHttpDate(date_);
}

ObjectFacts HttpAnswer::Facts(std::uint64_t size) const {
  return {.size = size, .etag = etag_, .modified = modified_, .mark = mark_};
}

// Compares an object with its facts of an earlier answer.
void HttpAnswer::Compare(const HttpQuestion& question, Verdict& verdict) const {
  const ObjectFacts& before = question.facts;
  const ObjectFacts& now = verdict.facts;
  if (now.size != before.size) {
    verdict.wrong = "it has " + std::to_string(now.size) + " bytes now, " +
                    std::to_string(before.size) + " before";
    verdict.changed = true;
  } else if (!before.etag.empty() && now.etag.empty()) {
    verdict.wrong = "an answer without ETag, which earlier ones had";
  } else if (now.etag != before.etag && !before.etag.empty()) {
    verdict.wrong = "its ETag was " + EscapeBytes(before.etag).substr(0, 64) +
                    " and is " + EscapeBytes(now.etag).substr(0, 64) + " now";
    verdict.changed = true;
  } else if (before.etag.empty() && now.modified != before.modified) {
    verdict.wrong = "its time of modification is another now";
    verdict.changed = true;
  }
}

HttpAnswer::Verdict HttpAnswer::JudgeRange(const HttpQuestion& question) const {
  Verdict verdict;
  verdict.facts = Facts(0);
  const auto range = range_ ? ParseContentRange(*range_) : std::nullopt;
  if (!range || !range->total || range->first > range->last) {
    verdict.wrong = "a part without Content-Range";
    return verdict;
  }
  verdict.facts.size = *range->total;
  if (question.ask == Ask::kRange) {
    Compare(question, verdict);
    if (!verdict.wrong.empty()) return verdict;
  }
  const std::uint64_t wanted = std::min(
      question.size, *range->total - std::min(question.first, *range->total));
  verdict.body = range->last - range->first + 1;
  if (range->first != question.first || verdict.body != wanted) {
    verdict.wrong = "bytes " + std::to_string(range->first) + " to " +
                    std::to_string(range->last) + ", which were not asked for";
  } else if (length_ && *length_ != verdict.body) {
    verdict.wrong = "a length that is not that of the range";
  }
  return verdict;
}

// A server that has no ranges, or an object that is no longer than the range.
HttpAnswer::Verdict HttpAnswer::JudgeWhole(const HttpQuestion& question) const {
  Verdict verdict;
  verdict.facts = Facts(length_.value_or(0));
  if (!length_) {
    verdict.wrong = "an answer that does not say how long the object is";
    return verdict;
  }
  if (question.ask == Ask::kFacts) return verdict;
  if (question.ask == Ask::kRange) Compare(question, verdict);
  if (!verdict.wrong.empty()) return verdict;
  verdict.body = *length_;
  if (question.first != 0 || *length_ > question.size) {
    verdict.wrong =
        "the whole object, where a range of it was asked for: the "
        "server has no ranges";
  }
  return verdict;
}

// The answer is a service's own text, not an object.
HttpAnswer::Verdict HttpAnswer::JudgeAnswer(
    const HttpQuestion& question) const {
  Verdict verdict;
  verdict.facts = Facts(length_.value_or(0));
  verdict.body = length_.value_or(question.size);
  verdict.at_most = !length_;
  if (verdict.body > question.size) {
    verdict.wrong = "an answer of " + std::to_string(verdict.body) + " bytes";
  }
  return verdict;
}

bool HttpAnswer::IsOfEmptyObject() const {
  const auto range = range_ ? ParseContentRange(*range_) : std::nullopt;
  return status_ == 416 && range && range->total == 0;
}

HttpAnswer::Verdict HttpAnswer::Judge(const HttpQuestion& question) const {
  if (!encoding_.empty() && !SameName(encoding_, "identity")) {
    return {.wrong = "an answer in Content-Encoding " +
                     EscapeBytes(encoding_).substr(0, kMaxWords)};
  }
  if (question.ask == Ask::kWhole) return JudgeAnswer(question);
  // Some services give a part and call it the whole (rclone serve s3).
  const bool is_part = status_ == 206 || range_;
  if (is_part && question.ask != Ask::kFacts) return JudgeRange(question);
  return JudgeWhole(question);
}

}  // namespace shardine
