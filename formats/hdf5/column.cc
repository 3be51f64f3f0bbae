#include "hdf5/column.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "hdf5/chunk_runs.h"

namespace shardine {
namespace {

std::uint64_t RowsOf(const ColumnSource& source) {
  const Hdf5Dataset& info = source.info();
  return source.whole || info.dims.empty() ? 1 : info.dims[0];
}

// Reading ahead and over gaps pays: the bytes a little further on belong to the
// next row, unless rows were written in any order.
FileWindow::Options WindowOf(const ColumnSource& source) {
  return {.ahead = source.read_ahead,
          .gap = source.read_ahead,
          .keeps_strays = true};
}

// Rows as the other process delivers them.
class DeliveredRows {
 public:
  DeliveredRows(const ColumnSource& source, std::uint64_t row_bytes)
      : source_(source), row_bytes_(row_bytes) {}

  Result<ByteView> Row(std::uint64_t row) {
    if (row < first_ || row - first_ >= count_) {
      SHARDINE_RETURN_IF_ERROR(Fill(row));
    }
    return rows_.view().subspan(
        static_cast<std::size_t>((row - first_) * row_bytes_),
        static_cast<std::size_t>(row_bytes_));
  }

 private:
  Status Fill(std::uint64_t row) {
    count_ = 0;
    const std::uint64_t batch = std::max<std::uint64_t>(
        1, source_.batch / std::max<std::uint64_t>(1, row_bytes_));
    const std::uint64_t count = std::min(batch, RowsOf(source_) - row);
    // A dataset that is one row is asked for by its own rows.
    const Hdf5Dataset& info = source_.info();
    const std::uint64_t asked =
        source_.whole && !info.dims.empty() ? info.dims[0] : count;
    SHARDINE_RETURN_IF_ERROR(source_.session.ReadRows(
        source_.dataset, row, asked, count * row_bytes_, rows_));
    rows_.Resize(static_cast<std::size_t>(count * row_bytes_));
    first_ = row;
    count_ = count;
    return {};
  }

  const ColumnSource source_;
  const std::uint64_t row_bytes_;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  ByteBuffer rows_;
};

class DeliveredColumn : public Column {
 public:
  DeliveredColumn(const ColumnSource& source, std::uint64_t row_bytes)
      : rows_(source, row_bytes), row_bytes_(row_bytes) {}

  Result<Cell> Row(std::uint64_t row) override {
    SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, rows_.Row(row));
    // An empty row has an extent of length 0, as a row that lies in the file
    // has; other delivered rows have no place in the file.
    static constexpr Extent kNothing{0, 0};
    return Cell{bytes, {&kNothing, row_bytes_ == 0 ? 1U : 0U}};
  }

 private:
  DeliveredRows rows_;
  const std::uint64_t row_bytes_;
};

// Turns round elements of several bytes, the most significant first.
void SwapElements(std::span<std::byte> bytes, std::size_t element) {
  for (std::size_t at = 0; at + element <= bytes.size(); at += element) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + element));
  }
}

class HeapColumn : public Column {
 public:
  explicit HeapColumn(const ColumnSource& source)
      : path_(source.file.path()),
        widths_(source.session.widths()),
        element_(source.info().element),
        shared_(source.shared),
        references_(source, ReferenceBytes(widths_)),
        own_(source.file, source.read_ahead, 1),
        heap_(*source.heap) {}

  Result<Cell> Row(std::uint64_t row) override {
    SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, references_.Row(row));
    const HeapReference reference = HeapReference::Load(bytes, widths_);
    const std::uint64_t size = std::uint64_t{reference.length} * element_.size;
    FileWindow& window =
        (shared_ == nullptr ? own_ : *shared_).For(reference, size);
    auto found = heap_.Find(window, reference, size);
    if (!found.ok()) return std::move(found).status().At({.path = path_});
    extent_ = *found;
    SHARDINE_ASSIGN_OR_RETURN(const ByteView payload,
                              window.Read(extent_.offset, extent_.length));
    // A shared window moves with the next field of the same sample.
    if (shared_ == nullptr && !element_.big_endian) {
      return Cell{payload, {&extent_, 1}};
    }
    copy_.Resize(0);
    copy_.Append(payload);
    if (!element_.big_endian) return Cell{copy_.view(), {&extent_, 1}};
    SwapElements(copy_.span(), element_.size);
    return Cell{copy_.view(), {&extent_, copy_.size() == 0 ? 1U : 0U}};
  }

 private:
  const std::string path_;
  const Hdf5Widths widths_;
  const Hdf5Element element_;
  HeapWindow* const shared_;  // may be null
  DeliveredRows references_;
  HeapWindow own_;
  GlobalHeap& heap_;
  Extent extent_;
  ByteBuffer copy_;
};

// Rows that lie in the file as they are, in one piece or in several.
class PlainColumn : public Column {
 public:
  PlainColumn(const ColumnSource& source, std::uint64_t row_bytes)
      : source_(source),
        row_bytes_(row_bytes),
        window_(source.file, WindowOf(source)),
        delivered_(source, row_bytes) {}

  Result<Cell> Row(std::uint64_t row) override {
    SHARDINE_RETURN_IF_ERROR(Locate(row));
    if (extents_.empty()) {
      // The library knows the values of a chunk that is not stored.
      SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, delivered_.Row(row));
      return Cell{bytes, {}};
    }
    if (extents_.size() == 1) {
      SHARDINE_ASSIGN_OR_RETURN(
          const ByteView bytes,
          window_.Read(extents_[0].offset, extents_[0].length));
      return Cell{bytes, extents_};
    }
    joined_.Resize(0);
    for (const Extent& extent : extents_) {
      SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes,
                                window_.Read(extent.offset, extent.length));
      joined_.Append(bytes);
    }
    return Cell{joined_.view(), extents_};
  }

 private:
  Status Locate(std::uint64_t row) {
    const Hdf5Dataset& info = source_.info();
    if (info.storage == Hdf5Storage::kContiguous) {
      extents_.assign(1, {info.offset + row * row_bytes_, row_bytes_});
      return {};
    }
    const std::uint64_t chunks = ChunksPerRow(info);
    const std::uint64_t band = row / info.chunk[0];
    if (!band_ || *band_ != band) {
      // If FindChunks fails, places_ belong to no band.
      band_.reset();
      SHARDINE_RETURN_IF_ERROR(source_.session.FindChunks(
          source_.dataset, band * chunks, chunks, places_));
      band_ = band;
    }
    FindRuns(info, row % info.chunk[0], places_, extents_);
    return {};
  }

  const ColumnSource source_;
  const std::uint64_t row_bytes_;
  FileWindow window_;
  DeliveredRows delivered_;
  std::optional<std::uint64_t> band_;  // of chunks, whose places_ are known
  std::vector<Extent> places_;
  std::vector<Extent> extents_;
  ByteBuffer joined_;
};

Status NotStored(const ColumnSource& source) {
  const Hdf5Dataset& info = source.info();
  return Status(Code::kUnsupported,
                "the dataset " + ShowName(info.path()) + " claims " +
                    std::to_string(info.dims.empty() ? 1 : info.dims[0]) +
                    " rows and has " + std::to_string(info.stored) +
                    " bytes in the file: most of it was never written")
      .At({.path = source.file.path()});
}

bool IsInPlace(const ColumnSource& source) {
  const Hdf5Dataset& info = source.info();
  if (info.element.big_endian) return false;
  if (info.storage == Hdf5Storage::kContiguous) return true;
  return info.storage == Hdf5Storage::kChunked && !source.whole &&
         CanFindRuns(info);
}

}  // namespace

std::uint64_t MostRowBytes(const RandomAccessFile& file) {
  constexpr std::uint64_t kBeyondFile = std::uint64_t{64} << 20;
  return file.size() + kBeyondFile;
}

std::optional<std::uint64_t> RowBytesOf(const ColumnSource& source) {
  const Hdf5Dataset& info = source.info();
  if (info.row != Hdf5Row::kFixed) {
    return ReferenceBytes(source.session.widths());
  }
  std::span<const std::uint64_t> axes(info.dims);
  if (!source.whole && !axes.empty()) axes = axes.subspan(1);
  return Product(info.element.size, axes);
}

Result<std::unique_ptr<Column>> OpenColumn(const ColumnSource& source) {
  const Hdf5Dataset& info = source.info();
  const bool stored = IsStored(info, source.session.widths());
  if (info.row != Hdf5Row::kFixed) {
    SHARDINE_CHECK(source.heap != nullptr);
    if (!stored) return NotStored(source);
    return std::unique_ptr<Column>(std::make_unique<HeapColumn>(source));
  }
  const auto row_bytes = RowBytesOf(source);
  // Both bounds come before anything is allocated: a file of 1 KiB can claim
  // rows of any size, and any number of them.
  if (!row_bytes || *row_bytes > MostRowBytes(source.file)) {
    return Status(Code::kCorrupt, "a row of the dataset " +
                                      ShowName(info.path()) +
                                      " is larger than the file allows")
        .At({.path = source.file.path()});
  }
  if (!stored) return NotStored(source);
  if (IsInPlace(source) && *row_bytes > 0) {
    return std::unique_ptr<Column>(
        std::make_unique<PlainColumn>(source, *row_bytes));
  }
  return std::unique_ptr<Column>(
      std::make_unique<DeliveredColumn>(source, *row_bytes));
}

}  // namespace shardine
