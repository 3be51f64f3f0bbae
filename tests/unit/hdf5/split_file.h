// Files of Fuel's with several splits, written by the C library.
#ifndef SHARDINE_TESTS_UNIT_HDF5_SPLIT_FILE_H_
#define SHARDINE_TESTS_UNIT_HDF5_SPLIT_FILE_H_

#include <cstdio>
#include <string>
#include <vector>

#include "unit/hdf5/library_file.h"

namespace shardine {

// A row of the attribute.
struct SplitEntry {
  std::string split;
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::string indices = {};  // a dataset of the file; empty: none
  std::string source = "encoded_images";
  bool available = true;
};

// A split as it lies in memory, for the library.
struct SplitMemory {
  char split[20];
  char source[40];
  std::int64_t start;
  std::int64_t stop;
  hobj_ref_t indices;
  std::int8_t available;
  char comment[1];
};

inline Hdf5Id FixedText(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), size);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  return type;
}

// `start`: the type of start and stop.
inline Hdf5Id SplitMemoryType(hid_t start = H5T_NATIVE_INT64) {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(SplitMemory)), H5Tclose);
  const Hdf5Id available(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}}) {
    H5Tenum_insert(available.get(), value == 0 ? "FALSE" : "TRUE", &value);
  }
  const auto insert = [&](const char* name, std::size_t at, hid_t member) {
    REQUIRE(H5Tinsert(type.get(), name, at, member) >= 0);
  };
  insert("split", HOFFSET(SplitMemory, split), FixedText(20).get());
  insert("source", HOFFSET(SplitMemory, source), FixedText(40).get());
  insert("start", HOFFSET(SplitMemory, start), start);
  insert("stop", HOFFSET(SplitMemory, stop), start);
  insert("indices", HOFFSET(SplitMemory, indices), H5T_STD_REF_OBJ);
  insert("available", HOFFSET(SplitMemory, available), available.get());
  insert("comment", HOFFSET(SplitMemory, comment), FixedText(1).get());
  return type;
}

inline void PutSplits(LibraryFile& file, const std::vector<SplitEntry>& entries,
                      hid_t start = H5T_NATIVE_INT64) {
  std::vector<SplitMemory> rows;
  for (const SplitEntry& entry : entries) {
    SplitMemory row = {};
    std::snprintf(row.split, sizeof(row.split), "%s", entry.split.c_str());
    std::snprintf(row.source, sizeof(row.source), "%s", entry.source.c_str());
    row.start = entry.start;
    row.stop = entry.stop;
    row.available = entry.available ? 1 : 0;
    row.comment[0] = '.';
    if (!entry.indices.empty()) {
      REQUIRE(H5Rcreate(&row.indices, file.id(), entry.indices.c_str(),
                        H5R_OBJECT, -1) >= 0);
    }
    rows.push_back(row);
  }
  const hsize_t count = rows.size();
  const Hdf5Id type = SplitMemoryType(start);
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Id attribute(H5Acreate2(file.id(), "split", type.get(), space.get(),
                                    H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  REQUIRE(attribute.valid());
  REQUIRE(H5Awrite(attribute.get(), type.get(), rows.data()) >= 0);
}

// The image of row i: not one to decode.
inline std::string SplitImage(std::size_t i) {
  return "image " + std::to_string(i);
}

// `rows` images with the labels 0, 1, 2, ... and keys "0.jpg", "1.jpg", ...
inline void PutSplitRows(LibraryFile& file, std::size_t rows) {
  std::vector<std::string> images;
  std::vector<std::int64_t> labels;
  std::vector<std::string> keys;
  std::vector<const char*> views;
  for (std::size_t i = 0; i < rows; ++i) {
    images.push_back(SplitImage(i));
    labels.push_back(static_cast<std::int64_t>(i));
    keys.push_back(std::to_string(i) + ".jpg");
  }
  for (const std::string& key : keys) views.push_back(key.c_str());
  file.PutRows("encoded_images", H5T_STD_U8LE, images);
  file.Put("targets", H5T_STD_I64LE, {rows, 1}, Packed(labels));
  file.PutTexts("filenames", views, {rows});
}

// A file of ten rows with these splits.
inline std::string TenRows(const std::vector<SplitEntry>& entries) {
  LibraryFile file;
  PutSplitRows(file, 10);
  if (!entries.empty()) PutSplits(file, entries);
  return file.Bytes();
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_SPLIT_FILE_H_
