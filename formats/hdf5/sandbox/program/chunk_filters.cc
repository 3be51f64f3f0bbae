#include "hdf5/sandbox/program/chunk_filters.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/inflate.h"
#include "base/status_macros.h"
#include "hdf5/sandbox/program/lzf_filter.h"

namespace shardine {
namespace {

constexpr std::size_t kSumBytes = 4;

Status Damaged(const std::string& what) { return Status(Code::kCorrupt, what); }

Status Inflate(ByteView in, std::size_t bytes, ByteBuffer& out) {
  // There is room for one byte more: the stream's end is seen only where there
  // is room left, and a stream that goes on is seen at all.
  out.Resize(0);
  out.Resize(bytes + 1);
  Inflater inflater;
  SHARDINE_ASSIGN_OR_RETURN(const Inflater::Progress made,
                            inflater.Inflate(in, out.span()));
  if (!made.done && made.produced <= bytes) {
    return Damaged("its deflate stream is cut short");
  }
  out.Resize(made.produced);
  return {};
}

Status ExpandLzfChunk(ByteView in, std::size_t bytes, ByteBuffer& out) {
  out.Resize(0);
  out.Resize(bytes);
  const auto made =
      ExpandLzf({reinterpret_cast<const unsigned char*>(in.data()), in.size()},
                {reinterpret_cast<unsigned char*>(out.data()), out.size()});
  if (!made) return Damaged("its LZF data is damaged");
  out.Resize(*made);
  return {};
}

// Shuffled data has all first bytes of the elements, then all second ones, and
// so on; remaining bytes stay at the end.
void Unshuffle(ByteView in, std::size_t element, ByteBuffer& out) {
  out.Resize(0);
  out.Resize(in.size());
  const std::size_t count = in.size() / element;
  for (std::size_t place = 0; count > 0 && place < element; ++place) {
    const std::byte* from = in.data() + place * count;
    std::byte* to = out.data() + place;
    for (std::size_t i = 0; i < count; ++i) to[i * element] = from[i];
  }
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(count * element), in.end(),
            out.data() + count * element);
}

std::uint32_t Fold(std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

// The sum adds words of 16 bits, the most significant byte first.
std::uint32_t Fletcher32(ByteView bytes) {
  // After more words than these, 32 bits could run over.
  constexpr std::size_t kBlock = 360;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  const std::size_t words = bytes.size() / 2;
  for (std::size_t at = 0; at < words;) {
    for (const std::size_t end = std::min(words, at + kBlock); at < end; ++at) {
      low += std::to_integer<std::uint32_t>(bytes[2 * at]) << 8 |
             std::to_integer<std::uint32_t>(bytes[2 * at + 1]);
      high += low;
    }
    low = Fold(low);
    high = Fold(high);
  }
  if (bytes.size() % 2 != 0) {
    low += std::to_integer<std::uint32_t>(bytes.back()) << 8;
    high += low;
    low = Fold(low);
    high = Fold(high);
  }
  return Fold(high) << 16 | Fold(low);
}

Status CheckSum(ByteView& bytes) {
  if (bytes.size() < kSumBytes) return Damaged("its checksum is missing");
  const ByteView data = bytes.first(bytes.size() - kSumBytes);
  const auto stored = LoadLe<std::uint32_t>(bytes.data() + data.size());
  const std::uint32_t sum = Fletcher32(data);
  // libhdf5 before 1.6.3 swapped the bytes of each half.
  const std::uint32_t old = (sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff);
  if (stored != sum && stored != old) return Damaged("its checksum is wrong");
  bytes = data;
  return {};
}

bool IsApplied(std::uint32_t mask, std::size_t filter) {
  return (mask >> filter & 1) == 0;
}

bool IsCompressor(H5Z_filter_t number) {
  return number == H5Z_FILTER_DEFLATE || number == kLzfFilter;
}

// Filters that only look at the bytes need no second place for them.
bool MovesBytes(const ChunkFilter& filter) {
  return filter.number != H5Z_FILTER_FLETCHER32 &&
         (filter.number != H5Z_FILTER_SHUFFLE || filter.element > 1);
}

// Undoes one filter: `data` views the result, in `to` if it moved.
Status Undo(const ChunkFilter& filter, std::size_t expected, ByteView& data,
            ByteBuffer& to) {
  if (filter.number == H5Z_FILTER_FLETCHER32) return CheckSum(data);
  if (!MovesBytes(filter)) return {};
  if (filter.number == H5Z_FILTER_SHUFFLE) {
    Unshuffle(data, filter.element, to);
  } else if (filter.number == H5Z_FILTER_DEFLATE) {
    SHARDINE_RETURN_IF_ERROR(Inflate(data, expected, to));
  } else {
    SHARDINE_RETURN_IF_ERROR(ExpandLzfChunk(data, expected, to));
  }
  data = to.view();
  return {};
}

}  // namespace

bool IsReadFilter(H5Z_filter_t number) {
  return IsCompressor(number) || number == H5Z_FILTER_SHUFFLE ||
         number == H5Z_FILTER_FLETCHER32;
}

std::optional<std::vector<ChunkFilter>> FiltersOf(hid_t creation) {
  const int count = H5Pget_nfilters(creation);
  if (count < 0) return std::nullopt;
  std::vector<ChunkFilter> filters;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    unsigned flags = 0;
    unsigned config = 0;
    unsigned values[1] = {0};
    std::size_t value_count = 1;
    const H5Z_filter_t number = H5Pget_filter2(
        creation, i, &flags, &value_count, values, 0, nullptr, &config);
    if (number < 0) return std::nullopt;
    const bool shuffles = number == H5Z_FILTER_SHUFFLE && value_count == 1;
    filters.push_back({number, shuffles ? values[0] : 0});
  }
  return filters;
}

std::optional<H5Z_filter_t> FirstUnreadFilter(
    std::span<const ChunkFilter> filters) {
  bool compressed = false;
  for (const ChunkFilter& filter : filters) {
    const bool again = compressed && IsCompressor(filter.number);
    if (again || !IsReadFilter(filter.number)) return filter.number;
    compressed = compressed || IsCompressor(filter.number);
  }
  return std::nullopt;
}

bool CanExpand(std::span<const ChunkFilter> filters, std::uint32_t mask) {
  std::vector<ChunkFilter> applied;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (IsApplied(mask, i)) applied.push_back(filters[i]);
  }
  return !FirstUnreadFilter(applied) &&
         std::ranges::none_of(applied, [](const ChunkFilter& filter) {
           return filter.number == H5Z_FILTER_SHUFFLE && filter.element == 0;
         });
}

Status ExpandChunk(std::span<const ChunkFilter> filters, std::uint32_t mask,
                   std::size_t bytes, ByteBuffer& chunk) {
  // The input of the compressor: the chunk, with the checksums before it.
  std::size_t given = bytes;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (IsCompressor(filters[i].number) && IsApplied(mask, i)) break;
    if (filters[i].number == H5Z_FILTER_FLETCHER32 && IsApplied(mask, i)) {
      given += kSumBytes;
    }
  }
  ByteBuffer spare;
  ByteView data = chunk.view();
  for (std::size_t i = filters.size(); i-- > 0;) {
    if (!IsApplied(mask, i)) continue;
    if (MovesBytes(filters[i])) std::swap(chunk, spare);
    SHARDINE_RETURN_IF_ERROR(Undo(filters[i], given, data, chunk));
  }
  if (data.size() != bytes) {
    return Damaged((data.size() < bytes ? std::to_string(data.size())
                                        : std::string("more")) +
                   " bytes where " + std::to_string(bytes) + " belong");
  }
  chunk.Resize(bytes);
  return {};
}

}  // namespace shardine
