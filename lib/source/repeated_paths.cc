#include "source/repeated_paths.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "shardine/escape.h"
#include "source/source_file.h"
#include "source/unique_samples.h"

namespace shardine {

std::string NumberedKey(std::string_view path, std::uint64_t number) {
  const std::string_view stem = StemOf(path);
  return std::string(stem) + '#' + std::to_string(number) +
         std::string(path.substr(stem.size()));
}

Status KeyRepeatedPaths(ReadableStorage& storage, SourceSet& set) {
  const std::vector<std::size_t> repeated = FindRepeated(set.samples);
  if (repeated.empty()) return Status();
  // Samples and the numbers in their keys.
  std::vector<std::pair<std::size_t, std::uint64_t>> numbers;
  std::uint64_t number = 1;
  for (std::size_t i = 1; i < repeated.size(); ++i) {
    const std::size_t sample = repeated[i];
    const std::uint32_t root = set.samples.root(sample);
    const std::string_view path = set.samples.path(sample);
    const std::size_t before = repeated[i - 1];
    if (set.samples.root(before) != root || set.samples.path(before) != path) {
      number = 1;  // the first of another path
      continue;
    }
    std::string file;
    do {
      file = JoinPath(set.roots[root], NumberedKey(path, ++number));
    } while (storage.Stat(file).ok());
    numbers.emplace_back(sample, number);
  }
  // In ascending order, which is the quick one for SetKey().
  std::ranges::sort(numbers);
  for (const auto& [sample, given] : numbers) {
    set.samples.SetKey(sample, NumberedKey(set.samples.path(sample), given));
  }
  set.notes.push_back(
      std::to_string(numbers.size()) +
      (numbers.size() == 1 ? " sample is" : " samples are") +
      " of a file that the list named before: their keys have a number, such "
      "as " +
      EscapeBytes(set.samples.key(numbers.front().first)));
  return CheckUnique(set.samples);
}

}  // namespace shardine
