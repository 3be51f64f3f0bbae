#include "hdf5/sandbox/sandbox_protocol.h"

#include <limits>

namespace shardine {
namespace {

// With four texts of this size and two lists, a dataset is far below a frame.
constexpr std::size_t kMaxName = 4096;

void PutText(std::string_view text, std::string& to) {
  AppendLe(static_cast<std::uint32_t>(text.size()), to);
  to += text;
}

void PutList(const std::vector<std::uint64_t>& list, std::string& to) {
  AppendLe(static_cast<std::uint32_t>(list.size()), to);
  for (const std::uint64_t value : list) AppendLe(value, to);
}

bool ReadText(ByteCursor& cursor, std::string& text) {
  std::uint32_t size = 0;
  ByteView bytes;
  if (!cursor.Read(size) || size > kMaxName || !cursor.ReadBytes(size, bytes)) {
    return false;
  }
  text = AsText(bytes);
  return true;
}

// The size is checked before room is made: it comes from a process that may
// have been written over by its file.
bool ReadList(ByteCursor& cursor, std::vector<std::uint64_t>& list) {
  std::uint32_t size = 0;
  if (!cursor.Read(size) || size > kHdf5MaxRank) return false;
  list.resize(size);
  for (std::uint64_t& value : list) {
    if (!cursor.Read(value)) return false;
  }
  return true;
}

template <typename Enum>
bool ReadEnum(ByteCursor& cursor, Enum last, Enum& value) {
  std::uint8_t number = 0;
  if (!cursor.Read(number) || number > static_cast<std::uint8_t>(last)) {
    return false;
  }
  value = static_cast<Enum>(number);
  return true;
}

// Readers load numbers of these sizes and no others, so that none reads beyond
// a row.
bool IsElement(const Hdf5Element& element) {
  const std::uint32_t size = element.size;
  switch (element.kind) {
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8;
    case 'b':
      return size == 1;
    case 'S':
      return size >= 1;
    default:
      return element.kind == 'O';
  }
}

// Places are found by dividing by the sizes of chunks, axis by axis.
bool AreChunks(const Hdf5Dataset& dataset) {
  if (dataset.storage != Hdf5Storage::kChunked) return dataset.chunk.empty();
  for (const std::uint64_t size : dataset.chunk) {
    if (size == 0) return false;
  }
  return !dataset.chunk.empty() && dataset.chunk.size() == dataset.dims.size();
}

Status Nonsense(std::string_view what) {
  return Status(Code::kCorrupt, "the HDF5 scanner's answer makes no sense: " +
                                    std::string(what));
}

}  // namespace

void EncodeWidths(const Hdf5Widths& widths, std::string& to) {
  AppendLe(widths.address, to);
  AppendLe(widths.length, to);
  AppendLe(widths.base, to);
}

Result<Hdf5Widths> DecodeWidths(ByteView payload) {
  ByteCursor cursor(payload);
  Hdf5Widths widths;
  const auto is_width = [](std::uint32_t width) {
    return width == 2 || width == 4 || width == 8;
  };
  if (!cursor.Read(widths.address) || !cursor.Read(widths.length) ||
      !cursor.Read(widths.base) || !cursor.done() ||
      !is_width(widths.address) || !is_width(widths.length)) {
    return Nonsense("widths");
  }
  return widths;
}

void EncodeDataset(const Hdf5Dataset& dataset, std::string& to) {
  PutText(dataset.group, to);
  PutText(dataset.name, to);
  PutText(dataset.type_name, to);
  AppendLe(static_cast<std::uint8_t>(dataset.row), to);
  AppendLe(dataset.element.kind, to);
  AppendLe(dataset.element.size, to);
  AppendLe(static_cast<std::uint8_t>(dataset.element.big_endian), to);
  AppendLe(static_cast<std::uint8_t>(dataset.storage), to);
  AppendLe(dataset.offset, to);
  PutList(dataset.dims, to);
  PutList(dataset.chunk, to);
  PutText(dataset.filter, to);
  AppendLe(dataset.stored, to);
}

// The two sides belong to one build, so the order of the fields needs no
// numbers. Payloads are checked all the same: after a crash in libhdf5 the
// other side may send anything.
Result<Hdf5Dataset> DecodeDataset(ByteView payload) {
  ByteCursor cursor(payload);
  Hdf5Dataset dataset;
  std::uint8_t big_endian = 0;
  const bool read =
      ReadText(cursor, dataset.group) && ReadText(cursor, dataset.name) &&
      ReadText(cursor, dataset.type_name) &&
      ReadEnum(cursor, Hdf5Row::kString, dataset.row) &&
      cursor.Read(dataset.element.kind) && cursor.Read(dataset.element.size) &&
      cursor.Read(big_endian) &&
      ReadEnum(cursor, Hdf5Storage::kChunked, dataset.storage) &&
      cursor.Read(dataset.offset) && ReadList(cursor, dataset.dims) &&
      ReadList(cursor, dataset.chunk) && ReadText(cursor, dataset.filter) &&
      cursor.Read(dataset.stored) && cursor.done();
  if (!read || big_endian > 1) return Nonsense("a dataset");
  dataset.element.big_endian = big_endian == 1;
  if (!IsElement(dataset.element)) return Nonsense("a type");
  if (!AreChunks(dataset)) return Nonsense("chunks");
  if (!Product(1, dataset.dims)) return Nonsense("a size");
  return dataset;
}

void EncodeSplit(const Hdf5Split& split, std::string& to) {
  PutText(split.split, to);
  PutText(split.source, to);
  AppendLe(split.start, to);
  AppendLe(split.stop, to);
  PutText(split.indices, to);
  AppendLe(static_cast<std::uint8_t>(split.available), to);
}

Result<Hdf5Split> DecodeSplit(ByteView payload) {
  ByteCursor cursor(payload);
  Hdf5Split split;
  std::uint8_t available = 0;
  const bool read = ReadText(cursor, split.split) &&
                    ReadText(cursor, split.source) &&
                    cursor.Read(split.start) && cursor.Read(split.stop) &&
                    ReadText(cursor, split.indices) && cursor.Read(available) &&
                    cursor.done();
  if (!read || available > 1) return Nonsense("a split");
  split.available = available == 1;
  return split;
}

std::optional<std::uint64_t> ClaimedBytes(const Hdf5Dataset& dataset,
                                          const Hdf5Widths& widths) {
  return Product(dataset.row == Hdf5Row::kFixed ? dataset.element.size
                                                : ReferenceBytes(widths),
                 dataset.dims);
}

bool IsStored(const Hdf5Dataset& dataset, const Hdf5Widths& widths) {
  const auto claimed = ClaimedBytes(dataset, widths);
  if (!claimed) return false;
  if (*claimed <= kHdf5FreeBytes) return true;
  // The claim is divided, since the product of the other side could overflow.
  return (*claimed - kHdf5FreeBytes) / kHdf5MostExpansion <= dataset.stored;
}

std::optional<std::uint64_t> Product(std::uint64_t first,
                                     std::span<const std::uint64_t> factors) {
  // Sizes and offsets are off_t in the end, which is signed.
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t product = first;
  for (const std::uint64_t factor : factors) {
    if (factor != 0 && product > kMost / factor) return std::nullopt;
    product *= factor;
  }
  return product;
}

}  // namespace shardine
