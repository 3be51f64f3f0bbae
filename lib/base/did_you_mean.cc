#include "shardine/did_you_mean.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"

namespace shardine {
namespace {

// Longer ones are no typing errors, and would take their product in time.
constexpr std::size_t kLongest = 64;

// The optimal string alignment distance: no letter is changed twice.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = LowerAscii(a[i - 1]) == LowerAscii(b[j - 1]);
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && LowerAscii(a[i - 1]) == LowerAscii(b[j - 2]) &&
          LowerAscii(a[i - 2]) == LowerAscii(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string DidYouMean(std::string_view typed,
                       const std::vector<std::string>& words) {
  if (typed.size() > kLongest) return {};
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& word : words) {
    const std::size_t distance = EditDistance(typed, word);
    // A word of one or two letters would have no letter left.
    if (distance >= least || distance >= word.size()) continue;
    least = distance;
    nearest = &word;
  }
  return nearest == nullptr ? "" : " (did you mean " + *nearest + "?)";
}

}  // namespace shardine
