// A dataset of a file being written, extended row by row.
#ifndef SHARDINE_FORMATS_HDF5_GROWING_DATASET_H_
#define SHARDINE_FORMATS_HDF5_GROWING_DATASET_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "hdf5/hdf5_output.h"

namespace shardine {

// Rows of N elements each (row shape), chunked along the first axis only.
// Thread-compatible; every call, destruction too, under Hdf5Lock. The output
// must outlive the dataset.
class GrowingDataset {
 public:
  struct Shape {
    std::vector<std::uint64_t> row = {};  // sizes of the axes after the first
    std::uint64_t chunk_rows = 256;
    // Rows go to the file at once instead of through a chunk in memory: for
    // chunks larger than one would want to hold.
    bool unbuffered = false;
  };

  // `type` is the elements' type in the file; `fill` one element of it for rows
  // never written, or null for zeros.
  static Result<GrowingDataset> Create(Hdf5Output& output,
                                       const std::string& name,
                                       const Hdf5Id& type, const Shape& shape,
                                       const void* fill = nullptr);

  std::uint64_t rows() const { return rows_; }
  hid_t id() const { return dataset_.get(); }
  const std::string& name() const { return name_; }

  // Appends `count` rows, `data` being their elements of type `memory_type`.
  Status Append(hid_t memory_type, std::uint64_t count, const void* data);
  // Extends with fill values.
  Status ExtendTo(std::uint64_t rows);

 private:
  GrowingDataset(const Hdf5Output& output, std::string name,
                 std::vector<hsize_t> dims, Hdf5Id dataset, Hdf5Id transfer)
      : output_(&output),
        name_(std::move(name)),
        dims_(std::move(dims)),
        dataset_(std::move(dataset)),
        transfer_(std::move(transfer)) {}

  const Hdf5Output* output_;
  std::string name_;
  std::vector<hsize_t> dims_;  // the first is rows_
  std::uint64_t rows_ = 0;
  Hdf5Id dataset_;
  Hdf5Id transfer_;
};

// Appends views of bytes as variable-length rows of elements of `size` bytes,
// without a copy of ours. As GrowingDataset.
class VlenDataset {
 public:
  // The element's type in the file is `element`.
  static Result<VlenDataset> Create(Hdf5Output& output, const std::string& name,
                                    const Hdf5Id& element, std::size_t size);
  // Strings of variable length instead; a row ends at its first NUL.
  static Result<VlenDataset> CreateStrings(Hdf5Output& output,
                                           const std::string& name);

  // REQUIRES: each a multiple of the element's size.
  Status Append(std::span<const ByteView> rows);
  // Strings only; `rows` end with a NUL each.
  Status AppendStrings(std::span<const char* const> rows);
  Status ExtendTo(std::uint64_t rows) { return dataset_.ExtendTo(rows); }
  std::uint64_t rows() const { return dataset_.rows(); }

 private:
  VlenDataset(GrowingDataset dataset, Hdf5Id memory_type, std::size_t size)
      : dataset_(std::move(dataset)),
        memory_type_(std::move(memory_type)),
        size_(size) {}

  GrowingDataset dataset_;
  Hdf5Id memory_type_;
  std::size_t size_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_GROWING_DATASET_H_
