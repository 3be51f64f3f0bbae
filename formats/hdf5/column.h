// A dataset read row by row: the bytes of a row, and where they lie.
#ifndef SHARDINE_FORMATS_HDF5_COLUMN_H_
#define SHARDINE_FORMATS_HDF5_COLUMN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hdf5/global_heap.h"
#include "hdf5/heap_window.h"
#include "hdf5/sandbox/sandbox_session.h"
#include "io/file_window.h"

namespace shardine {

// Views: valid until the next call.
struct Cell {
  ByteView bytes;  // elements, little-endian
  // Empty: the file does not hold them unchanged.
  std::span<const Extent> extents;
};

// Rows are asked for in ascending order, most of the time. Errors: kCorrupt,
// kUnsupported, kIo, with path and as far as known the offset.
// Thread-compatible. The session must outlive the column.
class Column {
 public:
  virtual ~Column() = default;
  virtual Result<Cell> Row(std::uint64_t row) = 0;
};

struct ColumnSource {
  const RandomAccessFile& file;
  SandboxSession& session;
  std::size_t dataset;
  // The dataset as a whole is one row.
  bool whole = false;
  // Bytes read at a time where rows lie in the file unchanged.
  std::size_t read_ahead = std::size_t{1} << 12;
  // Bytes of rows that the other process delivers at a time.
  std::uint64_t batch = std::uint64_t{1} << 18;
  // The heaps of all of the table's rows.
  GlobalHeap* heap = nullptr;
  // Rows of variable length of several datasets that lie between each other are
  // read through one window, and copied, since each moves it. May be null.
  HeapWindow* shared = nullptr;

  const Hdf5Dataset& info() const { return session.datasets()[dataset]; }
};

// The memory that rows may take at a time. Beyond the size of the file that is
// 64 MiB, since filters pack rows and rows that were never written take no
// space.
std::uint64_t MostRowBytes(const RandomAccessFile& file);

// The bytes of a row of fixed size, or of a reference. nullopt if no file has
// as many.
std::optional<std::uint64_t> RowBytesOf(const ColumnSource& source);

// Opens a column of any dataset but one of elements of kind 'O'. kCorrupt if a
// row is longer than the file allows, whatever filters do; kUnsupported if the
// dataset claims more rows than were ever written (IsStored). REQUIRES: a heap
// where rows are of variable length, which must outlive the column.
Result<std::unique_ptr<Column>> OpenColumn(const ColumnSource& source);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_COLUMN_H_
