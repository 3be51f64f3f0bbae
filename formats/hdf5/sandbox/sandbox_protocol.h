// The messages over a socket between the process that reads a file's structure
// with libhdf5 (shardine-hdf5-scan) and its parent. The first has no access to
// the file: it asks for its bytes. The parent trusts no answer.
//
// A frame is u32 kind, u32 payload size, payload; integers little-endian. One
// side speaks at a time: both say kHello, the parent first
// (sandbox_greeting.h); then the parent asks kOpen, kRows, kChunks, kSplits,
// kUnwritten or kClose; until the child has answered with kDone or kFailed, the
// parent answers its kRead.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROTOCOL_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

enum class SandboxMessage : std::uint32_t {
  // To the child.
  kOpen = 1,   // u64 size of the file -> kHeader, kDataset..., kDone
  kReadReply,  // the bytes; fewer where the file ends or cannot be read
  kRows,       // u64 dataset, u64 first, u64 count -> kData..., kDone
  kChunks,     // u64 dataset, u64 first, u64 count -> kData..., kDone
  kClose,      // -> kDone
  kSplits,     // -> kSplit..., kDone
  kUnwritten,  // u64 dataset -> kData: Hdf5Unwritten, kDone
  // From the child.
  kRead = 16,  // u64 offset, u64 length up to kSandboxMaxPayload
  kHeader,     // Hdf5Widths
  kDataset,    // Hdf5Dataset
  kData,       // rows; or per chunk u64 offset, u64 size
  kDone,
  kFailed,  // text: the file is damaged
  kSplit,   // Hdf5Split
  kCannot,  // text: the library has no means for it, whatever the file is
  // Both ways, in every version.
  kHello = 32,  // SandboxGreeting
};

inline constexpr std::size_t kSandboxFrameHeader = 8;
inline constexpr std::size_t kSandboxMaxPayload = std::size_t{1} << 20;

// Widths of numbers in the file, in bytes, and where its addresses count from.
struct Hdf5Widths {
  std::uint32_t address = 8;
  std::uint32_t length = 8;
  std::uint64_t base = 0;
};

// How a row's elements are stored.
enum class Hdf5Row : std::uint8_t {
  kFixed,     // elements, in C order
  kSequence,  // one reference to a variable number of elements
  kString,    // one reference to a string
};

// Where rows are found.
enum class Hdf5Storage : std::uint8_t {
  kDelivered,   // nowhere as such (filters, compact): kRows alone gives them
  kContiguous,  // in one piece from `offset`
  kChunked,     // in chunks as they are, places by kChunks
};

// The type of elements: integer, unsigned, float, h5py's bool, or string of
// fixed size; 'O' for any other.
struct Hdf5Element {
  char kind = 'O';
  std::uint32_t size = 0;
  bool big_endian = false;
};

struct Hdf5Dataset {
  std::string group;  // "" at the root, else "a" or "a/b"
  std::string name;
  std::string type_name;  // "compound": of a kind 'O', for messages
  Hdf5Row row = Hdf5Row::kFixed;
  Hdf5Element element;
  Hdf5Storage storage = Hdf5Storage::kDelivered;
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> dims;
  std::vector<std::uint64_t> chunk;  // as many as dims where kChunked
  // The first of its filters that is not undone here: "zstd (32015)".
  std::string filter;
  // Bytes that it takes in the file; counted only where it claims more than
  // kHdf5FreeBytes.
  std::uint64_t stored = 0;

  std::string path() const { return group.empty() ? name : group + "/" + name; }
};

inline constexpr std::size_t kHdf5MaxRank = 32;

// Pieces of a dataset that no program ever wrote: their elements read as its
// fill value. A contiguous dataset is one piece, a chunked one its chunks.
struct Hdf5Unwritten {
  std::uint64_t pieces = 0;
  std::uint64_t of = 0;
};

// A row of Fuel's attribute `split`: the rows of a dataset in a split.
struct Hdf5Split {
  std::string split;
  std::string source;  // the dataset
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::string indices;  // path of the dataset that lists them; empty: none does
  bool available = true;

  bool operator==(const Hdf5Split&) const = default;
};

// Bytes of the attribute, as it is in memory: more than any that Fuel makes.
inline constexpr std::size_t kHdf5MostSplits = std::size_t{1} << 20;

// Rows that were never written take no space: a file of 1 KiB can claim 2^40 of
// them. So many bytes a dataset may claim whatever it has in the file, ...
inline constexpr std::uint64_t kHdf5FreeBytes = std::uint64_t{64} << 20;
// ... and so many for each byte it has. No filter makes more of one: deflate,
// which comes nearest, 1032.
inline constexpr std::uint64_t kHdf5MostExpansion = 1100;

// The bytes of all rows of a dataset when read, as elements or references;
// nullopt if that does not fit 63 bits.
std::optional<std::uint64_t> ClaimedBytes(const Hdf5Dataset& dataset,
                                          const Hdf5Widths& widths);
// False if the dataset claims more than the two bounds allow.
bool IsStored(const Hdf5Dataset& dataset, const Hdf5Widths& widths);

void EncodeWidths(const Hdf5Widths& widths, std::string& to);
void EncodeDataset(const Hdf5Dataset& dataset, std::string& to);
void EncodeSplit(const Hdf5Split& split, std::string& to);
// kCorrupt for payloads that no child of ours sends: unknown values, numbers
// that contradict each other, bytes left over.
Result<Hdf5Widths> DecodeWidths(ByteView payload);
Result<Hdf5Dataset> DecodeDataset(ByteView payload);
Result<Hdf5Split> DecodeSplit(ByteView payload);

// Bytes of a reference to a row of variable length: u32 length, address, u32
// index.
inline std::uint64_t ReferenceBytes(const Hdf5Widths& widths) {
  return 8 + widths.address;
}

// Product of `factors`; nullopt if it does not fit 63 bits.
std::optional<std::uint64_t> Product(std::uint64_t first,
                                     std::span<const std::uint64_t> factors);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_PROTOCOL_H_
