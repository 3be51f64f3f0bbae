#include "hdf5/growing_dataset.h"

#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

Hdf5Id MakeSpace(std::span<const hsize_t> dims) {
  std::vector<hsize_t> most(dims.begin(), dims.end());
  most[0] = H5S_UNLIMITED;
  return {
      H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()),
      H5Sclose};
}

// Times would make two files of the same samples differ.
Hdf5Id MakeCreation(std::span<const hsize_t> chunk, const Hdf5Id& type,
                    const void* fill) {
  Hdf5Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const bool set =
      H5Pset_obj_track_times(list.get(), false) >= 0 &&
      H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()) >=
          0 &&
      (fill == nullptr || H5Pset_fill_value(list.get(), type.get(), fill) >= 0);
  return set ? std::move(list) : Hdf5Id();
}

// A cache of one chunk is all that appending needs.
Hdf5Id MakeAccess(std::uint64_t chunk_bytes) {
  Hdf5Id list(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  const bool set = H5Pset_chunk_cache(list.get(), 7, chunk_bytes,
                                      H5D_CHUNK_CACHE_W0_DEFAULT) >= 0;
  return set ? std::move(list) : Hdf5Id();
}

// libhdf5 zeroes its whole buffer for conversion at each write, however few
// rows there are: 1 MiB unless it is told otherwise. A batch is 4 KiB.
Hdf5Id MakeTransfer() {
  Hdf5Id list(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  const bool set =
      H5Pset_buffer(list.get(), std::size_t{1} << 12, nullptr, nullptr) >= 0;
  return set ? std::move(list) : Hdf5Id();
}

}  // namespace

Result<GrowingDataset> GrowingDataset::Create(Hdf5Output& output,
                                              const std::string& name,
                                              const Hdf5Id& type,
                                              const Shape& shape,
                                              const void* fill) {
  std::vector<hsize_t> dims = {0};
  std::vector<hsize_t> chunk = {shape.chunk_rows};
  std::uint64_t chunk_bytes = shape.chunk_rows * H5Tget_size(type.get());
  for (const std::uint64_t size : shape.row) {
    dims.push_back(size);
    // The library refuses chunks of no elements.
    chunk.push_back(size == 0 ? 1 : size);
    chunk_bytes *= chunk.back();
  }
  // A chunk that does not fit in the cache is written through.
  if (shape.unbuffered) chunk_bytes = 0;
  const Hdf5Id space = MakeSpace(dims);
  const Hdf5Id creation = MakeCreation(chunk, type, fill);
  const Hdf5Id access = MakeAccess(chunk_bytes);
  Hdf5Id transfer = MakeTransfer();
  Hdf5Id dataset;
  if (creation.valid() && access.valid() && transfer.valid()) {
    dataset =
        Hdf5Id(H5Dcreate2(output.id(), name.c_str(), type.get(), space.get(),
                          H5P_DEFAULT, creation.get(), access.get()),
               H5Dclose);
  }
  if (!dataset.valid()) return output.Error("create " + name);
  return GrowingDataset(output, name, std::move(dims), std::move(dataset),
                        std::move(transfer));
}

Status GrowingDataset::ExtendTo(std::uint64_t rows) {
  // Rows that are never written after this read as the fill value.
  dims_[0] = rows;
  if (H5Dset_extent(dataset_.get(), dims_.data()) < 0) {
    return output_->Error("extend " + name_);
  }
  rows_ = rows;
  return {};
}

Status GrowingDataset::Append(hid_t memory_type, std::uint64_t count,
                              const void* data) {
  if (count == 0) return {};
  std::vector<hsize_t> start(dims_.size(), 0);
  start[0] = rows_;
  SHARDINE_RETURN_IF_ERROR(ExtendTo(rows_ + count));
  std::vector<hsize_t> piece = dims_;
  piece[0] = count;
  const auto rank = static_cast<int>(dims_.size());
  const Hdf5Id in_memory(H5Screate_simple(rank, piece.data(), nullptr),
                         H5Sclose);
  const Hdf5Id in_file(H5Screate_simple(rank, dims_.data(), nullptr), H5Sclose);
  const bool written =
      H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr,
                          piece.data(), nullptr) >= 0 &&
      H5Dwrite(dataset_.get(), memory_type, in_memory.get(), in_file.get(),
               transfer_.get(), data) >= 0;
  return written ? Status() : output_->Error("write");
}

Result<VlenDataset> VlenDataset::Create(Hdf5Output& output,
                                        const std::string& name,
                                        const Hdf5Id& element,
                                        std::size_t size) {
  Hdf5Id type(H5Tvlen_create(element.get()), H5Tclose);
  SHARDINE_ASSIGN_OR_RETURN(
      GrowingDataset dataset,
      GrowingDataset::Create(output, name, type, GrowingDataset::Shape()));
  return VlenDataset(std::move(dataset), std::move(type), size);
}

Result<VlenDataset> VlenDataset::CreateStrings(Hdf5Output& output,
                                               const std::string& name) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (H5Tset_size(type.get(), H5T_VARIABLE) < 0 ||
      H5Tset_cset(type.get(), H5T_CSET_UTF8) < 0) {
    return output.Error("create " + name);
  }
  SHARDINE_ASSIGN_OR_RETURN(
      GrowingDataset dataset,
      GrowingDataset::Create(output, name, type, GrowingDataset::Shape()));
  return VlenDataset(std::move(dataset), std::move(type), 1);
}

Status VlenDataset::Append(std::span<const ByteView> rows) {
  std::vector<hvl_t> views;
  views.reserve(rows.size());
  for (const ByteView row : rows) {
    // The library's interface is not const; it only reads.
    views.push_back({row.size() / size_, const_cast<std::byte*>(row.data())});
  }
  return dataset_.Append(memory_type_.get(), rows.size(), views.data());
}

Status VlenDataset::AppendStrings(std::span<const char* const> rows) {
  return dataset_.Append(memory_type_.get(), rows.size(), rows.data());
}

}  // namespace shardine
