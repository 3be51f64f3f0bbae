#include "cli/progress_line.h"

#include <string_view>

#include "cli/number_text.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

std::size_t ColumnsOf(char c) {
  if (ContinuesCharacter(c)) return 0;
  return static_cast<unsigned char>(c) < 0x80 ? 1 : 2;
}

std::size_t ColumnsOf(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += ColumnsOf(c);
  return columns;
}

std::string CountText(const Progress& now) {
  std::string text = std::to_string(now.samples);
  if (now.samples_total > 0) text += "/" + std::to_string(now.samples_total);
  return text;
}

std::string PercentText(const ProgressState& state) {
  const auto percent = PercentDone(state.now);
  if (!state.has_percent || !percent) return {};
  return " (" + std::to_string(*percent) + " %)";
}

std::string SecondsLeft(const ProgressState& state) {
  const Progress& now = state.now;
  if (now.bytes_total <= now.bytes || state.done.bytes == 0) return {};
  const double rate = static_cast<double>(state.done.bytes) / state.seconds;
  return ", ETA " +
         FormatSeconds(static_cast<double>(now.bytes_total - now.bytes) / rate);
}

}  // namespace

std::optional<std::uint64_t> PercentDone(const Progress& now) {
  const bool by_bytes = now.bytes_total > 0;
  const std::uint64_t total = by_bytes ? now.bytes_total : now.samples_total;
  if (total == 0) return std::nullopt;
  const std::uint64_t done = by_bytes ? now.bytes : now.samples;
  return static_cast<std::uint64_t>(
      100 * (static_cast<double>(done) / static_cast<double>(total)));
}

std::string FormatProgress(const ProgressState& state, std::size_t columns) {
  const auto rate = [&](std::uint64_t count) {
    return static_cast<double>(count) / state.seconds;
  };
  const std::string count = CountText(state.now);
  std::string images;
  std::string bytes;
  std::string left;
  if (state.seconds > 0) {
    images = ", " + FormatFixed(rate(state.done.samples), 0) + " img/s";
    bytes = ", " + FormatFixed(rate(state.done.bytes) / 1e6, 1) + " MB/s";
    left = SecondsLeft(state);
  }
  std::string rejected;
  if (state.now.rejected > 0) {
    rejected = ", " + std::to_string(state.now.rejected) + " rejected";
  }
  const std::string brief = state.doing + ": " + count;
  const std::string begin = brief + " samples" + PercentText(state);
  const std::string lines[] = {begin + images + bytes + left + rejected,
                               begin + images + left + rejected,
                               begin + left + rejected,
                               brief + left + rejected,
                               brief + rejected,
                               brief,
                               count};
  for (const std::string& line : lines) {
    if (ColumnsOf(line) <= columns) return line;
  }
  return FitColumns(count, columns);
}

std::string FitColumns(const std::string& text, std::size_t columns) {
  constexpr std::string_view kMore = "...";
  if (ColumnsOf(text) <= columns) return text;
  if (columns <= kMore.size()) return {};
  std::size_t used = kMore.size();
  std::size_t end = 0;
  while (end < text.size() && used + ColumnsOf(text[end]) <= columns) {
    used += ColumnsOf(text[end++]);
  }
  return text.substr(0, end).append(kMore);
}

}  // namespace shardine
