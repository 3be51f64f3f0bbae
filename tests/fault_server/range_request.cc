#include "fault_server/range_request.h"

#include <algorithm>
#include <charconv>

#include "remote/percent_code.h"

namespace shardine::fault_server {

namespace {

std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '%' && i + 2 < text.size() &&
                       HexValue(text[i + 1]) >= 0 && HexValue(text[i + 2]) >= 0;
    if (!coded) {
      out += text[i];
      continue;
    }
    out +=
        static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return out;
}

// Takes the text before the first `mark`, and the mark; all where there is
// none.
std::string_view TakeUntil(std::string_view& text, std::string_view mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(text.size(), part.size() + mark.size()));
  return part;
}

void ParseTarget(std::string_view target, RangeRequest& request) {
  request.path = Decoded(TakeUntil(target, "?"));
  while (!target.empty()) {
    std::string_view pair = TakeUntil(target, "&");
    const std::string_view name = TakeUntil(pair, "=");
    request.query[Decoded(name)] = Decoded(pair);
  }
}

std::optional<std::uint64_t> Number(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::string RangeRequest::Header(const std::string& name) const {
  const auto at = headers.find(name);
  return at == headers.end() ? "" : at->second;
}

std::optional<Span> RangeRequest::SpanOf(std::uint64_t size) const {
  const std::string header = Header("range");
  if (header.empty()) return Span{0, size};
  std::string_view rest = header;
  if (!rest.starts_with("bytes=")) return std::nullopt;
  rest.remove_prefix(6);
  const auto first = Number(TakeUntil(rest, "-"));
  const auto last = Number(rest);
  if (!first && !last) return std::nullopt;
  if (!first) return Span{size - std::min(size, *last), size};
  const Span span{*first, last ? std::min(size, *last + 1) : size};
  if (span.first >= span.end) return std::nullopt;
  return span;
}

std::optional<RangeRequest> ParseRequest(std::string_view head) {
  RangeRequest request;
  std::string_view line = TakeUntil(head, "\r\n");
  request.method = TakeUntil(line, " ");
  ParseTarget(TakeUntil(line, " "), request);
  if (!line.starts_with("HTTP/1.") || !request.path.starts_with('/'))
    return std::nullopt;
  while (!head.empty()) {
    line = TakeUntil(head, "\r\n");
    std::string name(TakeUntil(line, ":"));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    request.headers[name] = line;
  }
  return request;
}

}  // namespace shardine::fault_server
