// HeapWindow: the window through which rows of variable length are read.
#ifndef SHARDINE_FORMATS_HDF5_HEAP_WINDOW_H_
#define SHARDINE_FORMATS_HDF5_HEAP_WINDOW_H_

#include <cstddef>
#include <cstdint>

#include "hdf5/global_heap.h"
#include "io/file_window.h"

namespace shardine {

// Rows were written in their order, or in any: reading ahead pays in the first
// case alone. Thread-compatible.
class HeapWindow {
 public:
  // `fields`: the columns whose rows lie between each other, and which take
  // turns. `file` must outlive the window.
  HeapWindow(const RandomAccessFile& file, std::uint64_t ahead,
             std::size_t fields)
      : forward_(file, {.ahead = ahead, .gap = ahead}),
        stray_(file, {.ahead = kStray, .gap = kStray}),
        fields_(fields),
        in_order_(fields) {}

  // The window for the next row, of so many bytes.
  FileWindow& For(const HeapReference& row, std::uint64_t bytes);

 private:
  // Bytes read at least of a row that lies elsewhere.
  static constexpr std::uint64_t kStray = std::uint64_t{1} << 12;
  // Rows sorted by place are no further from each other, other data between
  // them included.
  static constexpr std::uint64_t kNear = std::uint64_t{1} << 22;

  FileWindow forward_;
  FileWindow stray_;
  const std::size_t fields_;
  std::size_t in_order_;     // rows since the last one that lay elsewhere
  std::uint64_t last_ = 0;   // address of the collection of the row before
  std::uint64_t bytes_ = 0;  // of the row before
  bool first_ = true;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_HEAP_WINDOW_H_
