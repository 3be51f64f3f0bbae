// The role of each dataset of a file: images, labels, keys, fields. The
// conventions that are known: FORMAT.md, "What is read".
#ifndef SHARDINE_FORMATS_HDF5_HDF5_CONVENTION_H_
#define SHARDINE_FORMATS_HDF5_HDF5_CONVENTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"
#include "shardine/status.h"

namespace shardine {

// A field's datasets, by their place in the list.
struct TableField {
  std::string name;
  std::size_t payload = 0;
  std::optional<std::size_t> shapes = {};
  std::optional<std::size_t> present = {};
};

// Datasets with a row per sample.
struct SampleTable {
  std::uint64_t rows = 0;
  bool whole = false;              // each dataset is one row as a whole
  std::vector<TableField> fields;  // by ascending name
  std::optional<std::size_t> labels = {};
  std::optional<std::size_t> keys = {};
  std::optional<std::size_t> whole_keys = {};
  // The first of the groups that it lies in; empty: the root.
  std::string group = {};
  // The class of all samples where they have only one.
  std::optional<std::int64_t> class_label = {};
  std::string class_name = {};
};

struct Hdf5Content {
  std::string_view layout;  // "fuel", "array", "caffe": the nearest of ours
  std::uint64_t chunk_rows = 0;  // of images that are arrays; 0 if not chunked
  std::vector<SampleTable> tables;  // in the order of their samples
};

// kUnsupported, naming the datasets looked for, if there are no images in it,
// or naming the dataset that cannot be read.
Result<Hdf5Content> FindContent(const std::vector<Hdf5Dataset>& datasets);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_CONVENTION_H_
