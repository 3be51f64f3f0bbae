// HDF5 files in memory that the C library writes and reads by itself, without
// our code between: the oracle for our writers and our readers. A failure in
// here fails the test.
#ifndef SHARDINE_TESTS_UNIT_HDF5_LIBRARY_FILE_H_
#define SHARDINE_TESTS_UNIT_HDF5_LIBRARY_FILE_H_

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "hdf5/hdf5_library.h"

namespace shardine {

using Dims = std::vector<hsize_t>;

// How a dataset is stored; without chunks in one piece.
struct StoredAs {
  Dims chunk = {};
  bool compact = false;
  bool shuffle = false;
  bool deflate = false;
  bool fletcher32 = false;
  const void* fill = nullptr;  // one element of the type in the file
};

inline hsize_t CountOf(const Dims& dims) {
  hsize_t count = 1;
  for (const hsize_t size : dims) count *= size;
  return count;
}

class LibraryFile {
 public:
  // A new file.
  LibraryFile() : LibraryFile(std::string()) {}
  // One to be read, of these bytes.
  explicit LibraryFile(const std::string& bytes) {
    // The driver takes two files of one name for one file.
    static int number = 0;
    const std::string name = "library-" + std::to_string(number++);
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    REQUIRE(H5Pset_fapl_core(access.get(), 1 << 16, false) >= 0);
    hid_t id = H5I_INVALID_HID;
    if (bytes.empty()) {
      id = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
    } else {
      std::string image = bytes;
      REQUIRE(H5Pset_file_image(access.get(), image.data(), image.size()) >= 0);
      id = H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.get());
    }
    file_ = Hdf5Id(id, H5Fclose);
    REQUIRE(file_.valid());
  }

  hid_t id() const { return file_.get(); }

  std::string Bytes() const {
    REQUIRE(H5Fflush(id(), H5F_SCOPE_GLOBAL) >= 0);
    const ssize_t size = H5Fget_file_image(id(), nullptr, 0);
    REQUIRE(size > 0);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    REQUIRE(H5Fget_file_image(id(), bytes.data(), bytes.size()) == size);
    return bytes;
  }

  // Makes a dataset, and the groups it is in, without writing any of it.
  Hdf5Id Create(const std::string& name, hid_t type, const Dims& dims,
                const StoredAs& as = {}) {
    const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.get(), 1);
    const Hdf5Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (!as.chunk.empty()) {
      H5Pset_chunk(list.get(), static_cast<int>(as.chunk.size()),
                   as.chunk.data());
    }
    if (as.compact) H5Pset_layout(list.get(), H5D_COMPACT);
    if (as.shuffle) H5Pset_shuffle(list.get());
    if (as.deflate) H5Pset_deflate(list.get(), 6);
    if (as.fletcher32) H5Pset_fletcher32(list.get());
    if (as.fill != nullptr) H5Pset_fill_value(list.get(), type, as.fill);
    const Hdf5Id space(
        H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
        H5Sclose);
    Hdf5Id dataset(H5Dcreate2(id(), name.c_str(), type, space.get(),
                              links.get(), list.get(), H5P_DEFAULT),
                   H5Dclose);
    INFO(name);
    REQUIRE(dataset.valid());
    return dataset;
  }

  // A dataset of `type` from elements of type `memory`.
  void Put(const std::string& name, hid_t type, hid_t memory, const Dims& dims,
           const std::string& elements, const StoredAs& as = {}) {
    REQUIRE(elements.size() == CountOf(dims) * H5Tget_size(memory));
    const Hdf5Id dataset = Create(name, type, dims, as);
    REQUIRE(H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     elements.data()) >= 0);
  }
  void Put(const std::string& name, hid_t type, const Dims& dims,
           const std::string& elements, const StoredAs& as = {}) {
    Put(name, type, type, dims, elements, as);
  }

  // Rows of variable length: elements of `type` from those of type `memory`.
  void PutRows(const std::string& name, hid_t type, hid_t memory,
               const std::vector<std::string>& rows, const StoredAs& as = {}) {
    const Hdf5Id in_file(H5Tvlen_create(type), H5Tclose);
    const Hdf5Id in_memory(H5Tvlen_create(memory), H5Tclose);
    std::vector<hvl_t> views;
    for (const std::string& row : rows) {
      views.push_back(
          {row.size() / H5Tget_size(memory), const_cast<char*>(row.data())});
    }
    const Hdf5Id dataset = Create(name, in_file.get(), {rows.size()}, as);
    REQUIRE(H5Dwrite(dataset.get(), in_memory.get(), H5S_ALL, H5S_ALL,
                     H5P_DEFAULT, views.data()) >= 0);
  }
  void PutRows(const std::string& name, hid_t type,
               const std::vector<std::string>& rows, const StoredAs& as = {}) {
    PutRows(name, type, type, rows, as);
  }

  // Strings of variable length; null: one that is not there.
  void PutTexts(const std::string& name, const std::vector<const char*>& rows,
                const Dims& dims) {
    const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), H5T_VARIABLE);
    const Hdf5Id dataset = Create(name, type.get(), dims);
    REQUIRE(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     rows.data()) >= 0);
  }

  bool Has(const std::string& name) const {
    return H5Lexists(id(), name.c_str(), H5P_DEFAULT) > 0;
  }
  Hdf5Id Open(const std::string& name) const {
    Hdf5Id dataset(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    INFO(name);
    REQUIRE(dataset.valid());
    return dataset;
  }

 private:
  const Hdf5Lock lock_;
  Hdf5Id file_;
};

inline Dims DimsOf(const Hdf5Id& dataset) {
  const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
  Dims dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
  return dims;
}

// The chunk's sides, empty where there are no chunks.
inline Dims ChunkOf(const Hdf5Id& dataset) {
  const Hdf5Id list(H5Dget_create_plist(dataset.get()), H5Pclose);
  if (H5Pget_layout(list.get()) != H5D_CHUNKED) return {};
  Dims chunk(DimsOf(dataset).size());
  H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  return chunk;
}

inline bool HasType(const Hdf5Id& dataset, hid_t type) {
  const Hdf5Id own(H5Dget_type(dataset.get()), H5Tclose);
  return H5Tequal(own.get(), type) > 0;
}

// All elements, as ones of type `memory`.
inline std::string ElementsOf(const Hdf5Id& dataset, hid_t memory) {
  std::string elements(CountOf(DimsOf(dataset)) * H5Tget_size(memory), '\x5a');
  REQUIRE(H5Dread(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  elements.data()) >= 0);
  return elements;
}

// Rows of variable length, as elements of type `memory`.
inline std::vector<std::string> RowsOf(const Hdf5Id& dataset, hid_t memory) {
  const Hdf5Id type(H5Tvlen_create(memory), H5Tclose);
  std::vector<hvl_t> views(CountOf(DimsOf(dataset)));
  REQUIRE(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  views.data()) >= 0);
  std::vector<std::string> rows;
  for (const hvl_t& view : views) {
    rows.emplace_back(static_cast<const char*>(view.p),
                      view.len * H5Tget_size(memory));
    if (view.len > 0) H5free_memory(view.p);
  }
  return rows;
}

// Strings of variable length.
inline std::vector<std::string> TextsOf(const Hdf5Id& dataset) {
  const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
  REQUIRE(H5Tis_variable_str(type.get()) > 0);
  std::vector<char*> views(CountOf(DimsOf(dataset)));
  REQUIRE(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  views.data()) >= 0);
  std::vector<std::string> texts;
  for (char* view : views) {
    texts.emplace_back(view == nullptr ? "" : view);
    H5free_memory(view);
  }
  return texts;
}

// The values as they lie in memory.
template <typename T>
std::string Packed(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}
template <typename T>
std::vector<T> ValuesOf(const std::string& packed) {
  std::vector<T> values(packed.size() / sizeof(T));
  packed.copy(reinterpret_cast<char*>(values.data()), packed.size());
  return values;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_LIBRARY_FILE_H_
