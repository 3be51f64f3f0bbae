// The samples-to-be of a pack: what a tree or a list holds, before any image
// is read. Built to hold 14 million of them in little more than their keys.
#ifndef SHARDINE_DATASET_SOURCE_SET_H_
#define SHARDINE_DATASET_SOURCE_SET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/class_map.h"
#include "io/storage.h"
#include "shardine/sample.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

// What is known of one file without reading it.
struct SourceFacts {
  std::uint64_t size = 0;      // bytes
  std::int64_t mtime_ns = 0;
};

// Structure of arrays; about 40 bytes and the key per sample with one label.
// Thread-compatible; concurrent reads are fine.
class SourceList {
 public:
  SourceList();
  ~SourceList();
  SourceList(SourceList&&) noexcept;
  SourceList& operator=(SourceList&&) noexcept;

  // Returns the index of the new sample. `key` is copied.
  std::size_t Add(std::string_view key, std::uint64_t id,
                  std::span<const Label> labels, std::uint32_t split);

  std::size_t size() const;
  // REQUIRES for all below: index < size().
  std::string_view key(std::size_t index) const;
  std::uint64_t id(std::size_t index) const;
  std::uint32_t split(std::size_t index) const;  // into SourceSet::splits
  std::uint32_t root(std::size_t index) const;   // into SourceSet::roots
  SourceFacts facts(std::size_t index) const;
  // Appends to `labels` after clearing it.
  void GetLabels(std::size_t index, std::vector<Label>& labels) const;

  void SetId(std::size_t index, std::uint64_t id);
  void SetSplit(std::size_t index, std::uint32_t split);
  void SetRoot(std::size_t index, std::uint32_t root);
  void SetFacts(std::size_t index, const SourceFacts& facts);
  void SetLabel(std::size_t index, const Label& label);

  // Keeps the samples whose flag is true, in order. REQUIRES: one flag each.
  void Keep(const std::vector<bool>& flags);

 private:
  struct Columns;
  std::unique_ptr<Columns> columns_;
};

// Something a source holds that will not become a sample, or should not.
struct SourceProblem {
  std::string key;     // of the file, or the class for "empty-class"
  std::string reason;  // "empty-class", "not-an-image-suffix", "not-a-file",
                       // "unreadable", "dangling-link", "link-loop",
                       // "blacklisted", "below-min-per-class"
};

struct SourceSet {
  std::vector<std::string> roots;   // folders that keys are relative to
  std::vector<std::string> splits;  // names; index = SourceList::split
  ClassMap classes;                 // empty if the source has none
  SourceList samples;               // in id order for trees, list order else
  // Left out on purpose or not meant to be samples: reported and counted.
  std::vector<SourceProblem> ignored;
  // Would be samples but cannot be read: the bad-image policy applies.
  std::vector<SourceProblem> bad;
};

// Parses SOURCE arguments: {"DIR"} or {"train=DIR", "val=DIR"}; a single
// argument may be a .lst or .json file when `root` says where paths start.
// kInvalidArgument with the hint `train=DIR val=DIR` for a tree whose only top
// folders are train, val, valid, validation or test.
Result<SourceSet> LoadSource(Storage& storage, const SourceOptions& options);

}  // namespace shardine

#endif  // SHARDINE_DATASET_SOURCE_SET_H_
