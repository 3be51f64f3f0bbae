#include "hdf5/sandbox/program/describe_dataset.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "hdf5/sandbox/program/chunk_filters.h"

namespace shardine {
namespace {

std::string_view ClassName(H5T_class_t type) {
  switch (type) {
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return "enumeration";
    case H5T_ARRAY:
      return "array";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_BITFIELD:
      return "bit field";
    case H5T_TIME:
      return "time";
    case H5T_VLEN:
      return "variable-length";
    default:
      return "unusual";
  }
}

// HDF5 has integers with fewer bits than their bytes. libhdf5 would convert
// them, but the parent reads bytes as they are.
bool IsWholeInteger(hid_t type) {
  return H5Tget_precision(type) == 8 * H5Tget_size(type) &&
         H5Tget_offset(type) == 0;
}

// HDF5 describes floats bit by bit, and other forms than these three would have
// to be converted.
bool IsIeee(hid_t type) {
  struct Form {
    std::size_t sign, exponent, exponent_bits, mantissa, mantissa_bits, bias;
  };
  static constexpr Form kHalf = {15, 10, 5, 0, 10, 15};
  static constexpr Form kSingle = {31, 23, 8, 0, 23, 127};
  static constexpr Form kDouble = {63, 52, 11, 0, 52, 1023};
  const std::size_t size = H5Tget_size(type);
  const Form& want = size == 2 ? kHalf : size == 4 ? kSingle : kDouble;
  Form form{};
  if (H5Tget_fields(type, &form.sign, &form.exponent, &form.exponent_bits,
                    &form.mantissa, &form.mantissa_bits) < 0) {
    return false;
  }
  form.bias = H5Tget_ebias(type);
  return std::memcmp(&form, &want, sizeof(form)) == 0 && IsWholeInteger(type) &&
         H5Tget_norm(type) == H5T_NORM_IMPLIED;
}

// h5py writes a bool as an enumeration of one byte, FALSE = 0 and TRUE = 1.
bool IsBool(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  for (const unsigned member : {0U, 1U}) {
    std::int8_t value = -1;
    char* name = H5Tget_member_name(type, member);
    const bool right = name != nullptr &&
                       H5Tget_member_value(type, member, &value) >= 0 &&
                       std::strcmp(name, value == 0 ? "FALSE" : "TRUE") == 0 &&
                       value >= 0 && value <= 1;
    H5free_memory(name);
    if (!right) return false;
  }
  return true;
}

Hdf5Element ElementOf(hid_t type) {
  Hdf5Element element;
  const std::size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  const bool power = size == 1 || size == 2 || size == 4 || size == 8;
  if (kind == H5T_INTEGER && power && IsWholeInteger(type)) {
    element.kind = H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
  } else if (kind == H5T_FLOAT && power && size > 1 && IsIeee(type)) {
    element.kind = 'f';
  } else if (kind == H5T_ENUM && IsBool(type)) {
    element.kind = 'b';
  } else if (kind == H5T_STRING && size > 0 && H5Tis_variable_str(type) == 0) {
    element.kind = 'S';
  }
  element.size = static_cast<std::uint32_t>(size);
  const H5T_order_t order = kind == H5T_INTEGER || kind == H5T_FLOAT
                                ? H5Tget_order(type)
                                : H5T_ORDER_LE;
  element.big_endian = size > 1 && order == H5T_ORDER_BE;
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) element.kind = 'O';
  return element;
}

void DescribeType(hid_t type, Hdf5Dataset& info) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_STRING && H5Tis_variable_str(type) > 0) {
    info.row = Hdf5Row::kString;
    info.element = {'u', 1, false};
  } else if (kind == H5T_VLEN) {
    info.row = Hdf5Row::kSequence;
    const hid_t base = H5Tget_super(type);
    info.element = ElementOf(base);
    // Rows of several texts each are not read.
    if (info.element.kind == 'S') info.element.kind = 'O';
    H5Tclose(base);
  } else {
    info.element = ElementOf(type);
  }
  if (info.element.kind == 'O') info.type_name = ClassName(kind);
}

// The names of registered filters, for files that do not say them.
std::string FilterName(H5Z_filter_t filter, std::string_view in_file) {
  static constexpr std::pair<H5Z_filter_t, std::string_view> kNames[] = {
      {H5Z_FILTER_SZIP, "szip"}, {307, "bzip2"},
      {32001, "blosc"},          {32004, "lz4"},
      {32008, "bitshuffle"},     {32013, "zfp"},
      {32015, "zstd"},           {32026, "blosc2"}};
  const auto* known = std::ranges::find(
      kNames, filter, &std::pair<H5Z_filter_t, std::string_view>::first);
  std::string name(known != std::end(kNames) ? known->second : in_file);
  if (name.empty()) name = "without a name";
  return name + " (" + std::to_string(filter) + ")";
}

// The name of the first filter that makes chunks unreadable; "" without one.
std::string UnreadFilter(hid_t creation) {
  const auto filters = FiltersOf(creation);
  const auto unread = filters ? FirstUnreadFilter(*filters) : std::nullopt;
  if (!unread) return "";
  unsigned flags = 0;
  std::size_t values = 0;
  char name[256] = {};
  unsigned config = 0;
  H5Pget_filter_by_id2(creation, *unread, &flags, &values, nullptr,
                       sizeof(name) - 1, name, &config);
  return FilterName(*unread, name) +
         (IsReadFilter(*unread) ? " after another" : "");
}

// Do the filters leave the bytes where they are? fletcher32 only adds some.
bool AreBytesInPlace(hid_t creation) {
  const int filters = H5Pget_nfilters(creation);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    unsigned config = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                       nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_FLETCHER32) return false;
  }
  return filters >= 0;
}

// The sides of the chunks of a chunked dataset; empty for other layouts. False
// if the library fails.
bool GetChunk(hid_t creation, std::vector<std::uint64_t>& chunk) {
  chunk.clear();
  if (H5Pget_layout(creation) != H5D_CHUNKED) return true;
  std::array<hsize_t, kHdf5MaxRank> sides{};
  const int rank = H5Pget_chunk(creation, kHdf5MaxRank, sides.data());
  if (rank < 1) return false;
  chunk.assign(sides.begin(), sides.begin() + rank);
  return true;
}

bool DescribeStorage(hid_t dataset, hid_t creation, Hdf5Dataset& info) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  info.filter = UnreadFilter(creation);
  if (H5Pget_external_count(creation) > 0) {
    info.type_name = "stored in other files";
  } else if (layout == H5D_VIRTUAL) {
    info.type_name = "virtual";
  } else if (layout == H5D_CONTIGUOUS) {
    const haddr_t offset = H5Dget_offset(dataset);
    // Rows that were never written have no place; the library knows their fill
    // value.
    if (offset != HADDR_UNDEF) {
      info.storage = Hdf5Storage::kContiguous;
      info.offset = offset;
    }
  } else if (layout == H5D_CHUNKED && AreBytesInPlace(creation)) {
    if (!GetChunk(creation, info.chunk)) return false;
    info.storage = Hdf5Storage::kChunked;
  }
  if (!info.type_name.empty()) info.element.kind = 'O';
  return layout != H5D_LAYOUT_ERROR;
}

// Whether the fill value was chosen on purpose. Types of variable length have
// no fill value of zeros.
bool IsFillMeant(hid_t dataset, hid_t creation) {
  H5D_fill_value_t kind = H5D_FILL_VALUE_ERROR;
  if (H5Pfill_value_defined(creation, &kind) < 0) return true;
  if (kind != H5D_FILL_VALUE_USER_DEFINED) return false;
  constexpr std::size_t kMostBytes = 4096;
  const hid_t type = H5Dget_type(dataset);
  const std::size_t size = H5Tget_size(type);
  std::vector<std::byte> value(std::min(size, kMostBytes));
  const bool is_known = size <= kMostBytes &&
                        H5Tdetect_class(type, H5T_VLEN) <= 0 &&
                        H5Tis_variable_str(type) <= 0 &&
                        H5Pget_fill_value(creation, type, value.data()) >= 0;
  H5Tclose(type);
  return !is_known || std::ranges::any_of(value, [](std::byte byte) {
    return byte != std::byte{0};
  });
}

bool DescribeDims(hid_t dataset, Hdf5Dataset& info) {
  const hid_t space = H5Dget_space(dataset);
  std::array<hsize_t, kHdf5MaxRank> dims{};
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  const int rank = H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  H5Sclose(space);
  if (kind == H5S_NULL) {
    info.type_name = "empty";
    info.element.kind = 'O';
    return true;
  }
  if (rank < 0) return false;
  info.dims.assign(dims.begin(), dims.begin() + rank);
  return true;
}

}  // namespace

bool DescribeDataset(hid_t dataset, Hdf5Dataset& info) {
  const hid_t type = H5Dget_type(dataset);
  if (type < 0) return false;
  DescribeType(type, info);
  H5Tclose(type);
  const hid_t creation = H5Dget_create_plist(dataset);
  if (creation < 0) return false;
  const bool stored = DescribeStorage(dataset, creation, info);
  H5Pclose(creation);
  return stored && DescribeDims(dataset, info);
}

std::vector<std::uint64_t> ChunksAlong(std::span<const std::uint64_t> dims,
                                       std::span<const std::uint64_t> chunk) {
  std::vector<std::uint64_t> counts;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::uint64_t size = std::max<std::uint64_t>(1, chunk[axis]);
    counts.push_back(std::max<std::uint64_t>(
        1, dims[axis] / size + (dims[axis] % size != 0)));
  }
  return counts;
}

bool CountUnwritten(hid_t dataset, const Hdf5Dataset& info,
                    Hdf5Unwritten& unwritten) {
  unwritten = {};
  if (std::ranges::count(info.dims, 0U) > 0) return true;
  const hid_t creation = H5Dget_create_plist(dataset);
  if (creation < 0) return false;
  std::vector<std::uint64_t> chunk;
  const bool is_known = GetChunk(creation, chunk);
  const H5D_layout_t layout = H5Pget_layout(creation);
  const bool is_meant = IsFillMeant(dataset, creation);
  H5Pclose(creation);
  if (!is_known) return false;
  if (is_meant) return true;
  if (layout == H5D_CONTIGUOUS) {
    unwritten = {H5Dget_offset(dataset) == HADDR_UNDEF ? 1U : 0U, 1};
  }
  if (layout != H5D_CHUNKED) return true;
  if (chunk.size() != info.dims.size()) return false;
  hsize_t written = 0;
  const hid_t space = H5Dget_space(dataset);
  const bool is_counted = H5Dget_num_chunks(dataset, space, &written) >= 0;
  H5Sclose(space);
  if (!is_counted) return false;
  unwritten.of =
      Product(1, ChunksAlong(info.dims, chunk)).value_or(~std::uint64_t{0});
  unwritten.pieces =
      unwritten.of - std::min<std::uint64_t>(written, unwritten.of);
  return true;
}

std::uint64_t ChunkRowBytes(hid_t dataset, const Hdf5Dataset& info) {
  const hid_t creation = H5Dget_create_plist(dataset);
  std::vector<std::uint64_t> chunk;
  const bool is_known = GetChunk(creation, chunk);
  H5Pclose(creation);
  if (!is_known || chunk.empty() || info.dims.size() != chunk.size()) return 0;
  std::vector<std::uint64_t> sizes = {chunk[0]};
  for (std::size_t axis = 1; axis < info.dims.size(); ++axis) {
    const std::uint64_t size = std::max<std::uint64_t>(1, chunk[axis]);
    if (info.dims[axis] > ~std::uint64_t{0} - size) return 0;
    sizes.push_back((info.dims[axis] + size - 1) / size * size);
  }
  return Product(info.element.size, sizes).value_or(0);
}

}  // namespace shardine
