// HDF5 files that libhdf5 makes in memory: the sandbox's answers are compared
// with the data given to the library.
#ifndef SHARDINE_TESTS_UNIT_HDF5_PROGRAM_HDF5_MAKER_H_
#define SHARDINE_TESTS_UNIT_HDF5_PROGRAM_HDF5_MAKER_H_

#include <hdf5.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "hdf5/hdf5_library.h"
#include "support/draws.h"

namespace shardine {

using Dims = std::vector<hsize_t>;

// `creation`: a list of properties for the file.
inline Hdf5Id NewFile(hid_t creation = H5P_DEFAULT) {
  static int files = 0;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), std::size_t{1} << 16, false);
  // The library takes two files in memory of one name for one file.
  const std::string name = "made" + std::to_string(++files) + ".h5";
  Hdf5Id file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation, access.get()),
              H5Fclose);
  REQUIRE(file.valid());
  return file;
}

// The file's bytes, as they would be on disk, after zeros for its user block,
// which the library leaves out.
inline std::string ImageOf(const Hdf5Id& file) {
  REQUIRE(H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0);
  const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
  REQUIRE(size > 0);
  std::string image(static_cast<std::size_t>(size), '\0');
  REQUIRE(H5Fget_file_image(file.get(), image.data(), image.size()) == size);
  const Hdf5Id creation(H5Fget_create_plist(file.get()), H5Pclose);
  hsize_t block = 0;
  REQUIRE(H5Pget_userblock(creation.get(), &block) >= 0);
  return std::string(static_cast<std::size_t>(block), '\0') + image;
}

// A file of the newest form. The library gives no image of such a file that it
// would read again, so it is on disk and its bytes are there once it is closed.
inline Hdf5Id NewestFile(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
              H5Fclose);
  REQUIRE(file.valid());
  return file;
}

inline Hdf5Id NewCreation() {
  return {H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
}

inline Hdf5Id Chunked(const Dims& chunk) {
  Hdf5Id creation = NewCreation();
  REQUIRE(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()),
                       chunk.data()) >= 0);
  return creation;
}

inline Hdf5Id Space(const Dims& dims) {
  return {H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
          H5Sclose};
}

inline Hdf5Id MakeDataset(hid_t where, const char* name, hid_t type,
                          const Dims& dims, hid_t creation = H5P_DEFAULT) {
  const Hdf5Id space = Space(dims);
  Hdf5Id dataset(H5Dcreate2(where, name, type, space.get(), H5P_DEFAULT,
                            creation, H5P_DEFAULT),
                 H5Dclose);
  REQUIRE(dataset.valid());
  return dataset;
}

inline void WriteAll(const Hdf5Id& dataset, hid_t type, const void* data) {
  REQUIRE(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >=
          0);
}

inline void WriteChunk(const Hdf5Id& dataset, const Dims& start,
                       std::uint32_t mask, const std::string& bytes) {
  REQUIRE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, mask, start.data(),
                         bytes.size(), bytes.data()) >= 0);
}

// A chunk as it is in the file; `mask` says which filters were left out.
inline std::string RawChunk(const Hdf5Id& dataset, const Dims& start,
                            std::uint32_t& mask) {
  hsize_t size = 0;
  REQUIRE(H5Dget_chunk_storage_size(dataset.get(), start.data(), &size) >= 0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  REQUIRE(H5Dread_chunk(dataset.get(), H5P_DEFAULT, start.data(), &mask,
                        bytes.data()) >= 0);
  return bytes;
}

inline Hdf5Id Opaque(std::size_t size) {
  return {H5Tcreate(H5T_OPAQUE, size), H5Tclose};
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_PROGRAM_HDF5_MAKER_H_
