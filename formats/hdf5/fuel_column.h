// One field of all samples in a hdf5/fuel file being written: a dataset of
// variable-length rows, and beside it the shapes of arrays, and which samples
// have the field.
#ifndef SHARDINE_FORMATS_HDF5_FUEL_COLUMN_H_
#define SHARDINE_FORMATS_HDF5_FUEL_COLUMN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdf5/dtype_name.h"
#include "hdf5/growing_dataset.h"
#include "shardine/sample.h"

namespace shardine {

// Thread-compatible; every call, destruction too, under Hdf5Lock. The output
// must outlive the column.
class FuelColumn {
 public:
  // `dtype` nullopt: plain bytes. `first_row`: the samples before have no such
  // field; samples before `flushed` were flushed.
  static Result<FuelColumn> Create(Hdf5Output& output, std::string name,
                                   std::optional<Dtype> dtype,
                                   std::uint64_t first_row,
                                   std::uint64_t flushed);

  const std::string& name() const { return name_; }
  const std::optional<Dtype>& dtype() const { return dtype_; }

  // REQUIRES: rows ascend; the field has this column's dtype.
  Status Append(std::uint64_t row, const FieldView& field);
  // Writes the held rows before `rows`; rows that were left out have no such
  // field. Called every few hundred rows, and at the end.
  Status Flush(std::uint64_t rows);

 private:
  FuelColumn(Hdf5Output& output, std::string name, std::optional<Dtype> dtype,
             VlenDataset payload)
      : output_(&output),
        name_(std::move(name)),
        dtype_(dtype),
        payload_(std::move(payload)) {}

  Status FlushShapes(std::uint64_t rows);
  Status FlushPresent(std::uint64_t rows);
  Status CreatePresent();

  Hdf5Output* output_;
  std::string name_;
  std::optional<Dtype> dtype_;
  std::uint64_t first_row_ = 0;
  VlenDataset payload_;
  std::optional<VlenDataset> shapes_;
  std::optional<GrowingDataset> present_;
  // Rows since the last flush, which was of the rows before flushed_.
  struct Row {
    std::uint64_t number;
    std::vector<std::uint64_t> shape;
  };
  std::vector<Row> held_;
  std::uint64_t flushed_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_FUEL_COLUMN_H_
