#include <charconv>

#include "shardine/escape.h"
#include "shardine/tasks.h"

namespace shardine {
namespace {

// Cuts a number from the front.
bool CutNumber(std::string_view& text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return true;
}

}  // namespace

std::string TaskListText(const std::vector<std::uint64_t>& tasks) {
  std::string text;
  for (std::size_t begin = 0; begin < tasks.size();) {
    std::size_t end = begin + 1;
    while (end < tasks.size() && tasks[end] == tasks[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(tasks[begin]);
    if (end - begin > 1) text += "-" + std::to_string(tasks[end - 1]);
    begin = end;
  }
  return text;
}

Result<std::vector<std::uint64_t>> ParseTaskList(std::string_view text,
                                                 std::uint64_t count) {
  const Status wrong(Code::kInvalidArgument,
                     "\"" + EscapeBytes(text) +
                         "\" are no numbers of tasks like 3,7-9, which count "
                         "from 0");
  std::vector<std::uint64_t> tasks;
  std::string_view rest = text;
  while (true) {
    std::uint64_t first = 0;
    if (!CutNumber(rest, first)) return wrong;
    std::uint64_t last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      if (!CutNumber(rest, last) || last < first) return wrong;
    }
    if (last >= count) {
      return Status(Code::kInvalidArgument,
                    "there is no task " + std::to_string(last) +
                        ": the plan has " + std::to_string(count) +
                        ", which count from 0");
    }
    for (std::uint64_t task = first; task <= last; ++task) {
      // A plan has no more tasks than shards, so that a list that names each
      // of them several times is a mistake.
      if (tasks.size() > count) return wrong;
      tasks.push_back(task);
    }
    if (rest.empty()) return tasks;
    if (!rest.starts_with(',')) return wrong;
    rest.remove_prefix(1);
  }
}

}  // namespace shardine
