// The format seam. A format is a container: it implements a ShardWriter
// (samples in, a file its own ecosystem reads unchanged) and a ShardScanner
// (file in, samples with the extents of their payloads out), and states as
// data what it cannot hold. Everything else in shardine is the same for all.
#ifndef SHARDINE_SHARD_FORMAT_H_
#define SHARDINE_SHARD_FORMAT_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "io/storage.h"
#include "shard/extent.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

enum class LabelType : std::uint8_t { kInt32, kInt64, kFloat32, kFloat64 };

// What a record of this format keeps by itself. What it cannot hold lives in
// the sidecar alone.
struct Limits {
  LabelType label_type = LabelType::kInt64;
  std::uint64_t max_labels = 1;
  bool ids = false;
  bool keys = false;
  std::uint64_t max_key = 0;  // bytes; 0 = unlimited, where keys is true
  bool fields = false;        // fields beyond the image
  std::uint64_t max_payload = std::numeric_limits<std::uint64_t>::max();
};

// `label` as it comes back from a record with that label type: the nearest
// value; outside the range of an integer type, its nearer end.
Label RoundToLabelType(const Label& label, LabelType type);

// Where a writer puts its files. Both are temporary names; the caller
// publishes them (io/atomic_file.h).
struct ShardPaths {
  std::string shard;
  std::string companion;  // the format's own index; empty if it has none
};

struct ShardSummary {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of the shard file
};

// Thread-compatible. Ends in exactly one of a successful Finish() or
// destruction; the caller removes what an unfinished writer left under the
// temporary names.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Fails with kUnsupported, naming the key, for what the format's Limits
  // exclude: nothing of the sample is written then. After any other failure
  // the writer can only be destroyed.
  virtual Status Append(const SampleView& sample) = 0;

  // All or nothing: on success the files are complete and synced.
  virtual Result<ShardSummary> Finish() = 0;
};

// One field as found in a file: `bytes` is the joined payload, `extents` where
// it lies (empty: not in the file as such, e.g. compressed).
struct ScannedField {
  std::string_view name;
  std::string_view dtype = kBytesDtype;
  std::span<const std::uint64_t> shape;
  ByteView bytes;
  std::span<const Extent> extents;
};

// Views: valid until the next call of Next().
struct ScannedSample {
  std::uint64_t record = 0;         // number in the file, from 0
  std::uint64_t record_offset = 0;  // first byte of its framing
  std::optional<std::uint64_t> id;
  std::optional<std::string_view> key;
  std::span<const Label> labels;
  std::span<const ScannedField> fields;  // by ascending name
};

// Strict and bounds-checked, for our own files and foreign ones: a length from
// the file is compared with the file before anything is allocated by it.
// Errors are kCorrupt (or kUnsupported, kIo) with path, record and byte.
// Thread-compatible. The file must outlive the scanner.
class ShardScanner {
 public:
  virtual ~ShardScanner() = default;

  // The next sample in file order; nullopt at the clean end of the file.
  virtual Result<std::optional<ScannedSample>> Next() = 0;
};

// A named convention inside a format, e.g. "mxnet" in "recordio/mxnet".
struct Layout {
  std::string_view name;
  Limits limits;
};

struct WriterOptions {
  std::string_view layout;  // name of one of the format's layouts
};

struct Format {
  std::string_view name;              // "recordio"
  std::string_view suffix;            // ".rec"
  std::string_view companion_suffix;  // ".idx"; empty: none
  std::span<const Layout> layouts;    // the first is the default
  // Could a file that begins with `head` (up to 4 KiB) be of this format?
  bool (*probe)(ByteView head);
  Result<std::unique_ptr<ShardScanner>> (*open_scanner)(
      const RandomAccessFile& file);
  Result<std::unique_ptr<ShardWriter>> (*create_writer)(
      Storage& storage, const ShardPaths& paths, const WriterOptions& options);
  // Compares a shard's companion with what a scan of the shard found.
  // `record_offsets` and `ids` have one entry per record. Null: no companion.
  Status (*check_companion)(Storage& storage, const std::string& path,
                            std::span<const std::uint64_t> record_offsets,
                            std::span<const std::uint64_t> ids);
  // The id that a companion gives to the record at each of these offsets;
  // kCorrupt where it lists other records. Null: companions hold no ids.
  Result<std::vector<std::uint64_t>> (*read_companion_ids)(
      Storage& storage, const std::string& path,
      std::span<const std::uint64_t> record_offsets) = nullptr;
};

// The table of formats: constant data, so thread-safe.
class FormatRegistry {
 public:
  // `formats` must outlive the registry.
  explicit constexpr FormatRegistry(std::span<const Format* const> formats)
      : formats_(formats) {}

  std::span<const Format* const> formats() const { return formats_; }
  // nullptr if there is none.
  const Format* FindByName(std::string_view name) const;
  const Format* FindBySuffix(std::string_view file_name) const;
  // By content first, the suffix deciding between several that could be. If
  // no content fits, or the file is empty, by suffix alone, so that the scanner
  // says where the head is damaged. kUnsupported naming the known formats if
  // neither fits.
  Result<const Format*> Detect(const RandomAccessFile& file) const;

 private:
  std::span<const Format* const> formats_;
};

// Parses "recordio" or "recordio/mxnet". kInvalidArgument lists what exists.
struct FormatAndLayout {
  const Format* format = nullptr;
  const Layout* layout = nullptr;
  std::string Name() const;  // "recordio/mxnet"
};
Result<FormatAndLayout> ParseFormat(const FormatRegistry& registry,
                                    std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_SHARD_FORMAT_H_
