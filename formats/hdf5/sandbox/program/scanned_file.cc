#include "hdf5/sandbox/program/scanned_file.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "hdf5/sandbox/program/describe_dataset.h"
#include "hdf5/sandbox/program/remote_driver.h"
#include "hdf5/sandbox/program/split_attribute.h"

namespace shardine {
namespace {

constexpr int kMaxDepth = 2;
constexpr std::size_t kMaxOpen = 64;
// Half of the memory that this process may have (LimitMemory).
constexpr std::uint64_t kMaxRows = std::uint64_t{512} << 20;  // bytes
constexpr std::uint64_t kLeastCache = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostCache = std::uint64_t{256} << 20;

// The library has a number for most errors, but only a text for a form that is
// newer than it knows.
herr_t Visit(unsigned, const H5E_error2_t* error, void* data) {
  auto& failure = *static_cast<SandboxFailure*>(data);
  const std::string_view words = error->desc == nullptr ? "" : error->desc;
  if (failure.text.empty()) failure.text = words;
  const hid_t minor = error->min_num;
  const bool newer = minor == H5E_VERSION || minor == H5E_UNSUPPORTED ||
                     words.find("version") != words.npos;
  if (newer && failure.damage) {
    unsigned numbers[3] = {};
    H5get_libversion(&numbers[0], &numbers[1], &numbers[2]);
    failure.text +=
        " (written by a newer HDF5 than " + std::to_string(numbers[0]) + "." +
        std::to_string(numbers[1]) + "." + std::to_string(numbers[2]) +
        ", which reads it here, or damaged; libver=(\"earliest\", "
        "\"v110\") of h5py writes files that it reads)";
  }
  if (newer || minor == H5E_NOSPACE || minor == H5E_CANTALLOC ||
      minor == H5E_NOFILTER) {
    failure.damage = false;
  }
  return 0;
}

// The type in which rows are sent. Strings of fixed size and bools are as they
// are in the file.
hid_t SentType(hid_t dataset, const Hdf5Dataset& info,
               const Hdf5Widths& widths) {
  if (info.row != Hdf5Row::kFixed) {
    return H5Tcreate(H5T_OPAQUE, ReferenceBytes(widths));
  }
  // A dataset's own type cannot be changed.
  const hid_t own = H5Dget_type(dataset);
  const hid_t type = H5Tcopy(own);
  H5Tclose(own);
  const bool numeric = info.element.kind != 'S' && info.element.kind != 'b';
  if (numeric) H5Tset_order(type, H5T_ORDER_LE);
  return type;
}

std::uint64_t ElementBytes(const Hdf5Dataset& info, const Hdf5Widths& widths) {
  return info.row == Hdf5Row::kFixed ? info.element.size
                                     : ReferenceBytes(widths);
}

// Selects the rows of `space` in it, and makes the space they fill in memory.
hid_t SelectRows(hid_t space, const Hdf5Dataset& info, std::uint64_t first,
                 std::uint64_t count) {
  if (info.dims.empty()) return H5Screate(H5S_SCALAR);
  std::vector<hsize_t> start(info.dims.size(), 0);
  std::vector<hsize_t> piece(info.dims.begin(), info.dims.end());
  start[0] = first;
  piece[0] = count;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr,
                      piece.data(), nullptr);
  return H5Screate_simple(static_cast<int>(piece.size()), piece.data(),
                          nullptr);
}

}  // namespace

SandboxFailure LibraryFailure(const std::string& what) {
  SandboxFailure failure;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, Visit, &failure);
  failure.text = what + (failure.text.empty() ? "" : ": " + failure.text);
  return failure;
}

ScannedFile::ScannedFile(Parent& parent, hid_t access) : parent_(parent) {
  // The driver reads the parent's file, whatever the name.
  file_ = H5Fopen("x", H5F_ACC_RDONLY, access);
  if (file_ < 0) FailWith("libhdf5 cannot open it");
  const hid_t creation = H5Fget_create_plist(file_);
  std::size_t address = 0;
  std::size_t length = 0;
  hsize_t base = 0;
  const bool known = H5Pget_sizes(creation, &address, &length) >= 0 &&
                     H5Pget_userblock(creation, &base) >= 0;
  H5Pclose(creation);
  try {
    if (!known) FailWith("no widths of addresses");
    widths_ = {static_cast<std::uint32_t>(address),
               static_cast<std::uint32_t>(length), base};
    std::string header;
    EncodeWidths(widths_, header);
    parent_.Send(SandboxMessage::kHeader, AsBytes(header));
    List(file_, "", 0);
  } catch (...) {
    Close();
    throw;
  }
}

ScannedFile::~ScannedFile() { Close(); }

bool ScannedFile::Close() {
  if (file_ < 0) return true;
  for (const auto& [number, opened] : open_) H5Dclose(opened.id);
  open_.clear();
  // The file itself is the one that is left.
  const bool clean = H5Fget_obj_count(file_, H5F_OBJ_ALL) == 1;
  const bool closed = H5Fclose(file_) >= 0;
  file_ = H5I_INVALID_HID;
  return clean && closed;
}

struct Listing {
  ScannedFile* file;
  const std::string* path;
  int depth;
  SandboxFailure failure;
};

herr_t ScannedFile::OnLink(hid_t group, const char* name,
                           const H5L_info_t* link, void* data) {
  auto& listing = *static_cast<Listing*>(data);
  if (link->type != H5L_TYPE_HARD) return 0;
  // Through the library's C frames no exception may pass.
  try {
    H5O_info_t info;
    if (H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) <
        0) {
      FailWith("cannot read an object's header");
    }
    if (info.type == H5O_TYPE_DATASET) {
      listing.file->Describe(group, *listing.path, name);
    } else if (info.type == H5O_TYPE_GROUP && listing.depth < kMaxDepth) {
      const hid_t inner = H5Gopen2(group, name, H5P_DEFAULT);
      if (inner < 0) FailWith("cannot open a group");
      try {
        listing.file->List(
            inner, listing.path->empty() ? name : *listing.path + "/" + name,
            listing.depth + 1);
      } catch (...) {
        H5Gclose(inner);
        throw;
      }
      H5Gclose(inner);
    }
  } catch (const SandboxFailure& failure) {
    listing.failure = failure;
    return -1;
  } catch (const std::bad_alloc&) {
    listing.failure = OutOfMemory();
    return -1;
  }
  return 0;
}

void ScannedFile::List(hid_t group, const std::string& path, int depth) {
  Listing listing{this, &path, depth, {}};
  const herr_t result =
      H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, OnLink, &listing);
  if (!listing.failure.text.empty()) throw listing.failure;
  if (result < 0) FailWith("cannot list a group");
}

void ScannedFile::Describe(hid_t group, const std::string& path,
                           const char* name) {
  const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
  if (dataset < 0) FailWith("cannot open a dataset");
  Hdf5Dataset info;
  const bool described = DescribeDataset(dataset, info);
  // Counting chunks reads the tree of them, so it is done only where it
  // matters.
  if (described && !IsStored(info, widths_)) {
    info.stored = H5Dget_storage_size(dataset);
  }
  H5Dclose(dataset);
  if (!described) FailWith("cannot describe a dataset");
  info.group = path;
  info.name = name;
  paths_.push_back(info.path());
  std::string message;
  EncodeDataset(info, message);
  parent_.Send(SandboxMessage::kDataset, AsBytes(message));
}

ScannedFile::Opened& ScannedFile::Open(std::uint64_t dataset) {
  if (dataset >= paths_.size()) throw SandboxFailure{"no such dataset"};
  if (const auto known = open_.find(dataset); known != open_.end()) {
    return known->second;
  }
  if (open_.size() >= kMaxOpen) {
    H5Dclose(open_.begin()->second.id);
    open_.erase(open_.begin());
  }
  const char* path = paths_[static_cast<std::size_t>(dataset)].c_str();
  Opened opened;
  opened.path = path;
  opened.id = H5Dopen2(file_, path, H5P_DEFAULT);
  if (opened.id < 0) FailWith("cannot open a dataset");
  if (!DescribeDataset(opened.id, opened.info)) {
    H5Dclose(opened.id);
    FailWith("cannot describe a dataset");
  }
  // Rows come one after the other: without room for all chunks of a row, each
  // would be read and expanded once per row.
  const std::uint64_t wanted = ChunkRowBytes(opened.id, opened.info);
  if (wanted > kLeastCache && wanted <= kMostCache) {
    H5Dclose(opened.id);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 10007, wanted + wanted / 4, 1.0);
    opened.id = H5Dopen2(file_, path, access);
    H5Pclose(access);
    if (opened.id < 0) FailWith("cannot open a dataset");
  }
  try {
    opened.chunks = ChunkReader::Make(parent_, opened.id, opened.info,
                                      ElementBytes(opened.info, widths_));
  } catch (...) {
    // The next file is read in this process only if nothing of this one stays
    // open.
    H5Dclose(opened.id);
    throw;
  }
  return open_.emplace(dataset, std::move(opened)).first->second;
}

void ScannedFile::ReadRows(Opened& opened, std::uint64_t first,
                           std::uint64_t count, std::span<std::byte> rows) {
  const std::string what = "cannot read rows of \"" + opened.path + "\"";
  SandboxFailure failure;
  const hid_t type = SentType(opened.id, opened.info, widths_);
  const hid_t in_file = H5Dget_space(opened.id);
  const hid_t in_memory = SelectRows(in_file, opened.info, first, count);
  try {
    if (opened.chunks != nullptr) {
      opened.chunks->Read(first, count, type, rows);
    } else if (H5Dread(opened.id, type, in_memory, in_file, H5P_DEFAULT,
                       rows.data()) < 0) {
      failure = LibraryFailure(what);
    }
  } catch (const SandboxFailure& caught) {
    failure = {what + ": " + caught.text, caught.damage};
  } catch (const std::bad_alloc&) {
    failure = {what + ": " + OutOfMemory().text, false};
  }
  H5Sclose(in_memory);
  H5Sclose(in_file);
  H5Tclose(type);
  if (!failure.text.empty()) throw failure;
}

void ScannedFile::SendBytes(ByteView bytes) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), kSandboxMaxPayload);
    parent_.Send(SandboxMessage::kData, bytes.first(piece));
    bytes = bytes.subspan(piece);
  }
}

void ScannedFile::SendRows(std::uint64_t dataset, std::uint64_t first,
                           std::uint64_t count) {
  Opened& opened = Open(dataset);
  const Hdf5Dataset& info = opened.info;
  const std::uint64_t rows = info.dims.empty() ? 1 : info.dims[0];
  if (info.element.kind == 'O' || first > rows || count > rows - first) {
    throw SandboxFailure{"no such rows"};
  }
  std::vector<std::uint64_t> factors = {count};
  if (!info.dims.empty()) {
    factors.insert(factors.end(), info.dims.begin() + 1, info.dims.end());
  }
  const auto bytes = Product(ElementBytes(info, widths_), factors);
  if (!bytes || *bytes > kMaxRows)
    throw SandboxFailure{"a row too large to read", false};
  if (*bytes == 0) return;
  // Rows that were never written, of a dataset that is not to be filled, the
  // library leaves as they are here: zeros, not earlier memory of this process.
  ByteBuffer buffer;
  buffer.Resize(static_cast<std::size_t>(*bytes));
  std::memset(buffer.data(), 0, buffer.size());
  ReadRows(opened, first, count, buffer.span());
  SendBytes(buffer.view());
}

void ScannedFile::SendChunks(std::uint64_t dataset, std::uint64_t first,
                             std::uint64_t count) {
  const Opened& opened = Open(dataset);
  const Hdf5Dataset& info = opened.info;
  if (info.storage != Hdf5Storage::kChunked || info.dims.empty()) {
    throw SandboxFailure{"no such chunks"};
  }
  // A number beyond the last would be taken for another chunk's.
  const std::vector<std::uint64_t> along = ChunksAlong(info.dims, info.chunk);
  const auto chunks = Product(1, along);
  if (!chunks || first > *chunks || count > *chunks - first) {
    throw SandboxFailure{"no such chunks"};
  }
  std::string places;
  for (std::uint64_t chunk = first; chunk < first + count; ++chunk) {
    std::vector<hsize_t> start(info.dims.size());
    std::uint64_t rest = chunk;
    for (std::size_t axis = info.dims.size(); axis-- > 0;) {
      start[axis] = rest % along[axis] * info.chunk[axis];
      rest /= along[axis];
    }
    // libhdf5 lists chunks in a time that grows with their square. The trap
    // learns the place of one as it is looked up to be read.
    const ReadTrap trap;
    std::uint32_t mask = 0;
    std::byte nothing[64];
    const bool there = H5Dread_chunk(opened.id, H5P_DEFAULT, start.data(),
                                     &mask, nothing) >= 0 &&
                       trap.place().size > 0;
    AppendLe(there ? trap.place().offset : ~std::uint64_t{0}, places);
    AppendLe(there ? trap.place().size : std::uint64_t{0}, places);
  }
  SendBytes(AsBytes(places));
}

void ScannedFile::SendUnwritten(std::uint64_t dataset) {
  const Opened& opened = Open(dataset);
  Hdf5Unwritten unwritten;
  if (!CountUnwritten(opened.id, opened.info, unwritten)) {
    FailWith("cannot count the chunks of a dataset");
  }
  std::string numbers;
  AppendLe(unwritten.pieces, numbers);
  AppendLe(unwritten.of, numbers);
  SendBytes(AsBytes(numbers));
}

void ScannedFile::SendSplits() {
  const auto splits = ReadSplitAttribute(file_);
  if (!splits) FailWith("cannot read the attribute split");
  for (const Hdf5Split& split : *splits) {
    std::string message;
    EncodeSplit(split, message);
    parent_.Send(SandboxMessage::kSplit, AsBytes(message));
  }
}

}  // namespace shardine
