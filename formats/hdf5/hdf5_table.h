// SampleTable: datasets with a row for each sample, and how it is made of the
// datasets of a group.
#ifndef SHARDINE_FORMATS_HDF5_HDF5_TABLE_H_
#define SHARDINE_FORMATS_HDF5_HDF5_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"
#include "shardine/field_roles.h"
#include "shardine/status.h"

namespace shardine {

// A field's datasets, by their place in the list.
struct TableField {
  std::string name;
  std::size_t payload = 0;
  std::optional<std::size_t> shapes = {};
  std::optional<std::size_t> present = {};
};

// Hdf5Datasets with a row per sample.
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
  // The key of a table with one row; empty: `keys` has it, or nothing does.
  std::string key = {};
};

struct Hdf5Content {
  std::string_view layout;  // "fuel", "array", "caffe": the nearest of ours
  std::uint64_t chunk_rows = 0;  // of images that are arrays; 0 if not chunked
  std::vector<SampleTable> tables;  // in the order of their samples
  // The paths of datasets that are read for no sample, where fields were named.
  std::vector<std::string> left_out = {};
};

using Hdf5Datasets = std::vector<Hdf5Dataset>;
// The datasets of one group, by name.
using PlaceOfName = std::map<std::string_view, std::size_t>;

bool IsNumeric(const Hdf5Dataset& dataset);
// Rows of bytes of variable length.
bool IsByteRows(const Hdf5Dataset& dataset);
// Can a field be made of its rows?
bool IsReadable(const Hdf5Dataset& dataset);
Status RefusedDataset(const Hdf5Dataset& dataset);

// The name of a dataset's field: the role that names its whole path, else its
// own name.
std::string RoleOrName(const Hdf5Dataset& dataset, const FieldRoles& roles);

// The samples of `image` and of the datasets in `names` with as many rows.
// Hdf5Datasets with a role stay fields. kUnsupported, naming the dataset that
// does not suit its part. REQUIRES: the image has rows.
Result<SampleTable> MakeTable(const Hdf5Datasets& datasets,
                              const PlaceOfName& names, std::size_t image,
                              const FieldRoles& roles = {});

// One table of images with an axis of samples. kUnsupported also for images
// that are neither numbers nor bytes.
Result<Hdf5Content> TableContent(const Hdf5Datasets& datasets,
                                 const PlaceOfName& names, std::size_t image,
                                 const FieldRoles& roles);

// "train" of "train/12".
std::string TopGroup(const std::string& group);
// "train/12" becomes ("train/", 12, "12"); a group without a number comes
// after those. Links are listed by name, where 10 comes before 2.
std::tuple<std::string, std::uint64_t, std::string> GroupOrder(
    const std::string& group);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HDF5_TABLE_H_
