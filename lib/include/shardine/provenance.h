// Provenance: the command that made a dataset, as its manifest has it.
#ifndef SHARDINE_PROVENANCE_H_
#define SHARDINE_PROVENANCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardine {

struct Provenance {
  std::string command;  // "pack"; empty in manifests of schema 1
  // The sources as the user wrote them: any bytes.
  std::vector<std::string> sources;
  // The options that decide the dataset's bytes, by name ("shard-size"), in one
  // way of writing their values ("256M"); a flag has none. Others than format,
  // shards, seed and entry points are there if they are not the default. Names
  // with a space are no options: "kept group-by" is a promise of the inputs
  // that holds for this dataset, "dropped group-by" one that does not.
  std::map<std::string, std::string> options;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Sizes below are written with a unit, "256B", since 256 is mostly meant as
// 256M.
inline constexpr std::uint64_t kLeastSizeWithoutUnit = 64 << 10;

using Making [[deprecated("the name is Provenance")]] = Provenance;

// Samples that lie in one split together, such as "samples of a group
// (folder:1)" and "images of the same bytes", as the command cut the splits.
struct SplitPromiseTexts {
  std::vector<std::string> held;
  std::vector<std::string> dropped;  // promises of the inputs
};
SplitPromiseTexts PromiseTexts(const Provenance& made);

// In one line for people, without the output:
// "pack --seed 0 --shard-size 256M photos". Escaped (shardine/escape.h).
std::string ToString(const Provenance& provenance);

}  // namespace shardine

#endif  // SHARDINE_PROVENANCE_H_
