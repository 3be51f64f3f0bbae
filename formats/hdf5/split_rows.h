// The rows of each split that a file names: by the root attribute `split` of
// Fuel's H5PYDataset, or by the groups train, val and the like if all samples
// lie in them.
#ifndef SHARDINE_FORMATS_HDF5_SPLIT_ROWS_H_
#define SHARDINE_FORMATS_HDF5_SPLIT_ROWS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hdf5/hdf5_convention.h"
#include "hdf5/sandbox/sandbox_session.h"
#include "shard/format.h"

namespace shardine {

// Rows of a table, ascending.
class RowSelection {
 public:
  RowSelection() = default;
  RowSelection(std::uint64_t first, std::uint64_t count)
      : first_(first), count_(count) {}
  // REQUIRES: ascending.
  explicit RowSelection(std::vector<std::uint64_t> rows)
      : rows_(std::move(rows)), count_(rows_.size()) {}

  std::uint64_t size() const { return count_; }
  // REQUIRES: i < size().
  std::uint64_t operator[](std::uint64_t i) const {
    return rows_.empty() ? first_ + i : rows_[static_cast<std::size_t>(i)];
  }

 private:
  std::vector<std::uint64_t> rows_;  // empty: all from first_
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
};

// The splits that the file names for its images; none if it has no such
// attribute or groups, or says nothing of them. kCorrupt for rows that the file
// does not have, kUnsupported for a split that names the images twice.
Result<NamedSplits> ReadNamedSplits(SandboxSession& session,
                                    const Hdf5Content& content);

// Leaves in `content` the datasets available in the split, and returns its
// rows; nullopt: all rows of these datasets. Also kInvalidArgument, naming the
// splits, if the file does not name it; kUnsupported if rows are listed twice,
// or other datasets have other rows in it than the images.
Result<std::optional<RowSelection>> SelectSplit(const RandomAccessFile& file,
                                                SandboxSession& session,
                                                std::string_view split,
                                                Hdf5Content& content);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SPLIT_ROWS_H_
