#include "hdf5/sandbox/program/chunk_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "hdf5/sandbox/program/scanned_file.h"

namespace shardine {
namespace {

// The bound for chunks that are held, expanded.
constexpr std::uint64_t kMostHeld = std::uint64_t{256} << 20;

// Steps to the next place in C order, from `low` to before `high` by `step`;
// false after the last one.
bool Advance(std::span<const hsize_t> low, std::span<const hsize_t> high,
             std::span<const hsize_t> step, std::span<hsize_t> at) {
  for (std::size_t axis = at.size(); axis-- > 0;) {
    if (high[axis] - at[axis] > step[axis]) {
      at[axis] += step[axis];
      return true;
    }
    at[axis] = low[axis];
  }
  return false;
}

// The size is one that the compiler knows, so it makes one instruction of a
// swap.
template <std::size_t kSize>
void SwapEach(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + kSize <= bytes.size(); at += kSize) {
    std::reverse(&bytes[at], &bytes[at] + kSize);
  }
}

// Turns elements round. REQUIRES: numbers, of 2, 4 or 8 bytes.
void SwapElements(std::size_t element, std::span<std::byte> bytes) {
  if (element == 2) SwapEach<2>(bytes);
  if (element == 4) SwapEach<4>(bytes);
  if (element == 8) SwapEach<8>(bytes);
}

}  // namespace

std::unique_ptr<ChunkReader> ChunkReader::Make(Parent& parent, hid_t dataset,
                                               const Hdf5Dataset& info,
                                               std::uint64_t element) {
  const hid_t creation = H5Dget_create_plist(dataset);
  const bool is_chunked = H5Pget_layout(creation) == H5D_CHUNKED;
  std::array<hsize_t, kHdf5MaxRank> chunk{};
  const int rank =
      is_chunked ? H5Pget_chunk(creation, kHdf5MaxRank, chunk.data()) : -1;
  unsigned options = 0;
  const bool known = rank >= 1 && H5Pget_chunk_opts(creation, &options) >= 0;
  const auto filters = known ? FiltersOf(creation) : std::nullopt;
  H5Pclose(creation);
  if (!is_chunked) return nullptr;
  if (!filters || info.dims.size() != static_cast<std::size_t>(rank)) {
    throw SandboxFailure{"chunks that are not of its rows"};
  }
  std::unique_ptr<ChunkReader> reader(new ChunkReader(parent, dataset));
  reader->dims_.assign(info.dims.begin(), info.dims.end());
  reader->chunk_.assign(chunk.begin(), chunk.begin() + rank);
  const auto bytes = Product(
      element, std::vector<std::uint64_t>(chunk.begin(), chunk.begin() + rank));
  if (!bytes || *bytes == 0) throw SandboxFailure{"chunks of no known size"};
  reader->element_ = static_cast<std::size_t>(element);
  reader->chunk_bytes_ = static_cast<std::size_t>(*bytes);
  reader->swaps_ = info.row == Hdf5Row::kFixed && info.element.big_endian;
  reader->packs_edges_ = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) == 0;
  reader->filters_ = *filters;
  return reader;
}

void ChunkReader::Read(std::uint64_t first, std::uint64_t count, hid_t type,
                       std::span<std::byte> rows) {
  Box wanted{std::vector<hsize_t>(dims_.size(), 0), dims_};
  wanted.start[0] = first;
  wanted.end[0] = first + count;
  ReadChunk(wanted, type, rows);
}

void ChunkReader::ReadChunk(const Box& wanted, hid_t type,
                            std::span<std::byte> rows) {
  std::vector<hsize_t> low(dims_.size(), 0);
  low[0] = wanted.start[0] / chunk_[0] * chunk_[0];
  std::vector<hsize_t> at = low;
  do {
    Box box{at, at};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      box.start[axis] = std::max(at[axis], wanted.start[axis]);
      box.end[axis] =
          at[axis] + std::min(chunk_[axis], wanted.end[axis] - at[axis]);
    }
    if (const ByteBuffer* chunk = Expand(at); chunk != nullptr) {
      Copy(*chunk, box, wanted, rows);
    } else {
      ReadByLibrary(box, wanted, type, rows);
    }
  } while (Advance(low, wanted.end, chunk_, at));
}

// Files can say that chunks over the edge are not filtered. The mask of such a
// chunk does not repeat it.
bool ChunkReader::IsUnfiltered(const std::vector<hsize_t>& start) const {
  if (packs_edges_) return false;
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    if (dims_[axis] - start[axis] < chunk_[axis]) return true;
  }
  return false;
}

std::optional<ReadTrap::Place> ChunkReader::Find(
    const std::vector<hsize_t>& start, std::uint32_t& mask) const {
  const ReadTrap trap;
  // The trap keeps libhdf5 from filling the buffer, whatever the size of the
  // chunk.
  std::byte nothing[64];
  if (H5Dread_chunk(id_, H5P_DEFAULT, start.data(), &mask, nothing) < 0) {
    return std::nullopt;
  }
  if (IsUnfiltered(start)) mask = ~std::uint32_t{0};
  const ReadTrap::Place place = trap.place();
  if (place.offset > parent_.file_size() ||
      place.size > parent_.file_size() - place.offset) {
    throw SandboxFailure{"a chunk reaches beyond the end of the file"};
  }
  return place;
}

const ByteBuffer* ChunkReader::Expand(const std::vector<hsize_t>& start) {
  if (const auto held = held_.find(start); held != held_.end()) {
    return &held->second;
  }
  std::uint32_t mask = 0;
  const auto place = Find(start, mask);
  if (!place) return nullptr;
  if (!CanExpand(filters_, mask)) {
    throw SandboxFailure{"a chunk under filters that are not undone here",
                         false};
  }
  // The chunk is too large to hold, but whole and as it is: the library reads
  // pieces of it.
  if (filters_.empty() && chunk_bytes_ > kMostHeld &&
      place->size == chunk_bytes_) {
    return nullptr;
  }
  // Rows are asked for one after the other: the chunks of other ones are done.
  if ((!held_.empty() && held_.begin()->first[0] != start[0]) ||
      (held_.size() + 1) * std::uint64_t{chunk_bytes_} > kMostHeld) {
    held_.clear();
  }
  ByteBuffer chunk;
  chunk.Resize(static_cast<std::size_t>(place->size));
  if (!parent_.ReadAt(place->offset, chunk.span())) {
    throw SandboxFailure{"a chunk cannot be read"};
  }
  const Status expanded = ExpandChunk(filters_, mask, chunk_bytes_, chunk);
  if (!expanded.ok()) {
    throw SandboxFailure{"a damaged chunk: " + expanded.message()};
  }
  if (swaps_) SwapElements(element_, chunk.span());
  return &held_.emplace(start, std::move(chunk)).first->second;
}

void ChunkReader::ReadByLibrary(const Box& box, const Box& wanted, hid_t type,
                                std::span<std::byte> rows) {
  std::vector<hsize_t> size(dims_.size());
  std::vector<hsize_t> whole(dims_.size());
  std::vector<hsize_t> inside(dims_.size());
  for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
    size[axis] = box.end[axis] - box.start[axis];
    whole[axis] = wanted.end[axis] - wanted.start[axis];
    inside[axis] = box.start[axis] - wanted.start[axis];
  }
  const hid_t in_file = H5Dget_space(id_);
  const hid_t in_memory =
      H5Screate_simple(static_cast<int>(whole.size()), whole.data(), nullptr);
  const bool read =
      H5Sselect_hyperslab(in_file, H5S_SELECT_SET, box.start.data(), nullptr,
                          size.data(), nullptr) >= 0 &&
      H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, inside.data(), nullptr,
                          size.data(), nullptr) >= 0 &&
      H5Dread(id_, type, in_memory, in_file, H5P_DEFAULT, rows.data()) >= 0;
  const SandboxFailure failure =
      read ? SandboxFailure() : LibraryFailure("the library refuses");
  H5Sclose(in_memory);
  H5Sclose(in_file);
  if (!read) throw failure;
}

void ChunkReader::Copy(const ByteBuffer& chunk, const Box& box,
                       const Box& wanted, std::span<std::byte> rows) const {
  // After the last axis along which one of the two is cut, elements lie side by
  // side in both.
  std::size_t last = dims_.size() - 1;
  std::size_t run = element_;
  std::vector<hsize_t> step(dims_.size(), 1);
  for (;; --last) {
    step[last] = box.end[last] - box.start[last];
    run *= static_cast<std::size_t>(step[last]);
    const bool whole = step[last] == chunk_[last] &&
                       step[last] == wanted.end[last] - wanted.start[last];
    if (last == 0 || !whole) break;
  }
  std::vector<hsize_t> at = box.start;
  do {
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const hsize_t width = wanted.end[axis] - wanted.start[axis];
      from = from * static_cast<std::size_t>(chunk_[axis]) +
             static_cast<std::size_t>(at[axis] % chunk_[axis]);
      to = to * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(at[axis] - wanted.start[axis]);
    }
    std::memcpy(rows.data() + to * element_, chunk.data() + from * element_,
                run);
  } while (Advance(box.start, box.end, step, at));
}

}  // namespace shardine
