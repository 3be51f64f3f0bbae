// The samples-to-be of a source as a structure of arrays: 44 bytes and the key
// per sample with one label, 16 more for each label of those with several, and
// 16 and the path for each one whose key is not its path.
// Grows by blocks, so that there is never a second copy of it.
#ifndef SHARDINE_SOURCE_SOURCE_LIST_H_
#define SHARDINE_SOURCE_SOURCE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shardine/label.h"

namespace shardine {

// The known facts of one file without reading it.
struct SourceFacts {
  std::uint64_t size = 0;  // bytes
  std::int64_t mtime_ns = 0;

  friend bool operator==(const SourceFacts&, const SourceFacts&) = default;
};

// Thread-compatible; concurrent reads are fine.
class SourceList {
 public:
  // Limits of one list; LoadSource() refuses sources beyond them.
  static constexpr std::size_t kMaxKey = (std::size_t{1} << 24) - 1;  // bytes
  static constexpr std::size_t kMaxLabels = (std::size_t{1} << 24) - 1;
  static constexpr std::uint32_t kMaxSplits = 1u << 16;
  static constexpr std::uint32_t kMaxRoots = 1u << 14;

  SourceList();
  ~SourceList();
  SourceList(SourceList&&) noexcept;
  SourceList& operator=(SourceList&&) noexcept;

  // Returns the index of the new sample; its root is 0, its facts are zero.
  // `key` is copied. REQUIRES: the limits above.
  std::size_t Add(std::string_view key, std::uint64_t id,
                  std::span<const Label> labels, std::uint32_t split);

  std::size_t size() const;
  // REQUIRES for all below: index < size(). Keys stay where they are until the
  // list is destroyed.
  std::string_view key(std::size_t index) const;
  // The path of its file, below its root: the key that it was added with.
  std::string_view path(std::size_t index) const;
  std::uint64_t id(std::size_t index) const;
  std::uint32_t split(std::size_t index) const;  // into SourceSet::splits
  std::uint32_t root(std::size_t index) const;   // into SourceSet::roots
  SourceFacts facts(std::size_t index) const;
  std::size_t label_count(std::size_t index) const;
  // The label if it is the only one and an integer: a class number.
  std::optional<std::int64_t> class_label(std::size_t index) const;
  // Replaces the contents of `labels`.
  void GetLabels(std::size_t index, std::vector<Label>& labels) const;

  // Gives a sample a key that is not the path of its file. `key` is copied.
  // Quick if the indexes of such samples come in ascending order.
  void SetKey(std::size_t index, std::string_view key);
  void SetId(std::size_t index, std::uint64_t id);
  void SetSplit(std::size_t index, std::uint32_t split);
  void SetRoot(std::size_t index, std::uint32_t root);
  void SetFacts(std::size_t index, const SourceFacts& facts);
  // Replaces all labels by this one.
  void SetLabel(std::size_t index, const Label& label);
  // REQUIRES: as many labels as the sample has.
  void SetLabels(std::size_t index, std::span<const Label> labels);

  // The sample's cells of a table (source/table_fields.h); empty: nothing.
  // `bytes` is copied. REQUIRES: bytes.size() <= kMaxKey.
  void SetFields(std::size_t index, std::string_view bytes);
  std::string_view fields(std::size_t index) const;

  // Keeps the samples whose flag is true, in order. REQUIRES: one flag each.
  void Keep(const std::vector<bool>& flags);

 private:
  struct Columns;
  std::unique_ptr<Columns> columns_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_LIST_H_
