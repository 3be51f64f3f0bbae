// Rows of a scan of an HDF5 file, owned and checked against the file.
#ifndef SHARDINE_TESTS_UNIT_HDF5_SCANNED_ROWS_H_
#define SHARDINE_TESTS_UNIT_HDF5_SCANNED_ROWS_H_

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "hdf5/hdf5_scanner.h"
#include "io/memory_storage.h"

namespace shardine {

struct ScannedRow {
  std::optional<std::string> key;
  std::vector<Label> labels;
  std::string class_name;
  struct Field {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
    std::string bytes;
    bool in_place = false;
  };
  std::vector<Field> fields;
};

// The bytes at these places; REQUIREs that the file has them.
inline std::string BytesAt(const RandomAccessFile& file,
                           std::span<const Extent> extents) {
  std::string joined;
  for (const Extent& extent : extents) {
    // Not each an assertion: there are millions.
    if (extent.offset > file.size() ||
        extent.length > file.size() - extent.offset) {
      FAIL("an extent beyond the end of the file");
    }
    std::string bytes(extent.length, '\0');
    const auto out = std::as_writable_bytes(std::span(bytes));
    if (!file.ReadExactly(extent.offset, out).ok()) FAIL("cannot read");
    joined += bytes;
  }
  return joined;
}

// All samples up to the end or the first error, which goes to `status`. Extents
// are REQUIREd to hold the returned bytes.
inline std::vector<ScannedRow> ScanRows(
    const RandomAccessFile& file, Status& status,
    SandboxPool& pool = SandboxPool::Global(), const FieldRoles& roles = {}) {
  std::vector<ScannedRow> rows;
  const auto scanner = OpenHdf5Scanner(file, pool, kAllSplits, roles);
  status = scanner.status();
  while (status.ok()) {
    const auto sample = (*scanner)->Next();
    status = sample.status();
    if (!sample.ok() || !*sample) break;
    ScannedRow row;
    if ((*sample)->key) row.key = std::string(*(*sample)->key);
    row.labels.assign((*sample)->labels.begin(), (*sample)->labels.end());
    row.class_name = (*sample)->class_name;
    for (const ScannedField& field : (*sample)->fields) {
      row.fields.push_back({std::string(field.name),
                            std::string(field.dtype),
                            {field.shape.begin(), field.shape.end()},
                            std::string(AsText(field.bytes)),
                            !field.extents.empty()});
      if (!field.extents.empty() &&
          BytesAt(file, field.extents) != AsText(field.bytes)) {
        FAIL("other bytes at the extents than the scan returned");
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::vector<ScannedRow> ScanRows(Storage& storage,
                                        const std::string& path,
                                        Status& status) {
  const auto file = storage.Open(path);
  REQUIRE(file.ok());
  return ScanRows(**file, status);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_SCANNED_ROWS_H_
