#include "source/unique_samples.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// The same key below another root is another file: the root goes in as the
// seed, so that train/0.jpg and val/0.jpg are no suspects.
std::uint64_t HashKey(const SourceList& samples, std::size_t index) {
  return Xxh3_64(AsBytes(samples.key(index)), samples.root(index));
}

// Sorts `values` and leaves one of each that comes more than once.
void KeepRepeated(std::vector<std::uint64_t>& values) {
  std::sort(values.begin(), values.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != values[i - 1]) continue;
    if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
  }
  values.resize(kept);
}

Status SameId(const SourceList& samples, std::uint64_t id) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < samples.size() && keys.size() < 2; ++i) {
    if (samples.id(i) == id) keys.push_back(EscapeBytes(samples.key(i)));
  }
  return Status(Code::kInvalidArgument, "id " + std::to_string(id) +
                                            " comes twice: " + keys[0] +
                                            " and " + keys[1]);
}

// A name that is the same for two samples just if their keys are.
auto NameOf(const SourceList& samples, std::size_t index) {
  return std::tuple(samples.root(index), samples.key(index));
}

Status CheckKeys(const SourceList& samples) {
  const std::vector<std::size_t> repeated = FindRepeated(samples);
  if (repeated.empty()) return Status();
  return Status(Code::kInvalidArgument,
                "the key comes twice, with ids " +
                    std::to_string(samples.id(repeated[0])) + " and " +
                    std::to_string(samples.id(repeated[1])))
      .At({.key = std::string(samples.key(repeated[0]))});
}

}  // namespace

Status CheckUnique(const SourceList& samples) {
  SHARDINE_RETURN_IF_ERROR(CheckUniqueIds(samples));
  return CheckKeys(samples);
}

Status CheckUniqueIds(const SourceList& samples) {
  // Most sources number their samples in order. For those there is nothing to
  // sort and no memory to take.
  bool ascending = true;
  for (std::size_t i = 1; i < samples.size() && ascending; ++i) {
    ascending = samples.id(i - 1) < samples.id(i);
  }
  if (ascending) return Status();
  std::vector<std::uint64_t> ids(samples.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = samples.id(i);
  KeepRepeated(ids);
  return ids.empty() ? Status() : SameId(samples, ids.front());
}

std::vector<std::size_t> FindRepeated(const SourceList& samples) {
  std::vector<std::uint64_t> hashes(samples.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    hashes[i] = HashKey(samples, i);
  }
  KeepRepeated(hashes);
  std::vector<std::size_t> repeated;
  if (hashes.empty()) return repeated;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::binary_search(hashes.begin(), hashes.end(), HashKey(samples, i))) {
      repeated.push_back(i);
    }
  }
  // Stable, so that samples of one key stay in the order of the list.
  std::ranges::stable_sort(repeated, {},
                           [&](std::size_t i) { return NameOf(samples, i); });
  // Two keys may have one hash by chance: only equal neighbours are repeated.
  std::size_t kept = 0;
  for (std::size_t i = 0, end = 0; i < repeated.size(); i = end) {
    const auto name = NameOf(samples, repeated[i]);
    for (end = i; end < repeated.size(); ++end) {
      if (NameOf(samples, repeated[end]) != name) break;
    }
    if (end - i < 2) continue;
    for (std::size_t k = i; k < end; ++k) repeated[kept++] = repeated[k];
  }
  repeated.resize(kept);
  return repeated;
}

std::optional<std::size_t> FindKeyTwice(const SourceList& samples,
                                        KeyScope of) {
  std::vector<std::uint32_t> order(samples.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto name = [&](std::uint32_t i) {
    return std::tuple(samples.split(i),
                      of == KeyScope::kInput ? samples.root(i) : 0,
                      samples.key(i));
  };
  std::ranges::sort(order, std::ranges::less(), name);
  const auto twice =
      std::ranges::adjacent_find(order, std::ranges::equal_to(), name);
  if (twice == order.end()) return std::nullopt;
  return *twice;
}

}  // namespace shardine
