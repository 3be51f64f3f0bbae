// The format seam. A format is a container: it implements a ShardWriter
// (samples in, a file its own ecosystem reads unchanged) and a ShardScanner
// (file in, samples with the extents of their payloads out), and states its
// limits as data. Everything else in shardine is the same for all.
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
#include "image/image_facts.h"
#include "io/storage.h"
#include "shard/count_file.h"
#include "shard/dataset_metadata.h"
#include "shard/extent.h"
#include "shard/read_roles.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

enum class LabelType : std::uint8_t {
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kExact,  // whatever a Label holds
};

// The facts that a record of this layout keeps by itself. All others live in
// the sidecar alone.
struct Limits {
  LabelType label_type = LabelType::kInt64;
  std::uint64_t max_labels = 1;
  bool ids = false;
  bool keys = false;
  std::uint64_t max_key = 0;  // bytes; 0 = unlimited, where keys is true
  bool unique_keys = false;   // no empty key, and none twice in a shard
  bool fields = false;        // fields beyond the image
  // Where there are none: the one of plain bytes that there may be all the
  // same.
  std::string_view text_field = {};
  // The image may be encoded bytes; it may be an array.
  bool encoded_image = true;
  bool array_image = false;
  bool needs_image = false;  // a sample without one is refused
  std::uint64_t max_payload = std::numeric_limits<std::uint64_t>::max();
};

// `label` as it comes back from a record with that label type: the nearest
// value; outside the range of an integer type, its nearer end.
Label RoundToLabelType(const Label& label, LabelType type);

// The labels that a record can be given: the first `limits.max_labels`.
std::span<const Label> LabelsWithin(std::span<const Label> labels,
                                    const Limits& limits);

// Where a writer puts its files, and its facts of their dataset. Both names are
// temporary; the caller publishes the files (io/atomic_file.h).
struct ShardPaths {
  std::string shard;
  std::string companion;  // the format's own index; empty if it has none
  // The split of its samples, for formats whose files say it; empty: not known.
  std::string split = {};
  // The classes of its dataset, by label, for formats whose files name them.
  std::vector<DatasetFacts::Class> classes = {};
};

struct ShardSummary {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of the shard file
};

// A parameter of a layout: "label_offset" in
// "tfrecord/imagenet:label_offset=0".
struct LayoutParameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view values;  // its values, for messages: "0 or 1"
  bool (*is_valid)(std::string_view value);
  // Is it named with its default, too? False of one that came after datasets
  // whose manifests do not name it.
  bool said_by_default = true;
  // The value for a conversion of others' shards of this format to the same
  // one; empty: the default; kAsFound.
  std::string_view of_foreign = {};
  // Does it choose how a file is read? Shards are written with its default.
  bool for_reading = false;
};

// A value of LayoutParameter::of_foreign: if the layout is the same, too, takes
// the value of their files (Format::detect_layout). Reading does not depend on
// such a parameter, so files that differ in it are of one dataset.
inline constexpr std::string_view kAsFound = "as found";

// LayoutParameter::is_valid of a parameter that is one of a few words.
template <const std::string_view&... kWords>
constexpr bool IsOneOf(std::string_view value) {
  return ((value == kWords) || ...);
}

// The program that usually decodes the images of a layout's records.
struct ImageReader {
  std::string_view name;
  std::span<const ImageKind> unread;  // of the kinds that a pack takes
};

// PIL.Image.open(), which PyTorch's and most other readers call.
inline constexpr ImageReader kPillowReader = {.name = "Pillow", .unread = {}};

// OpenCV's imdecode, as Caffe and MXNet call it.
inline constexpr ImageKind kOpenCvUnread[] = {ImageKind::kGif};
inline constexpr ImageReader kOpenCvReader = {.name = "OpenCV's imdecode",
                                              .unread = kOpenCvUnread};

// A named convention inside a format, e.g. "mxnet" in "recordio/mxnet". The
// only one of a format may be without a name.
struct Layout {
  std::string_view name;
  Limits limits;
  std::string_view companion_suffix = {};  // ".idx"; empty: no native index
  // Its programs look for it beside the shard; else it is given to them by path
  // and lies in the companions' folder (shard/companion_folder.h).
  bool companion_beside = false;
  std::span<const LayoutParameter> parameters = {};
  // Its records name their parts, so that fields can be given roles.
  bool has_roles = false;
  ImageReader reader = kPillowReader;
};

// A layout with values for all its parameters.
struct LayoutChoice {
  const Layout* layout = nullptr;
  std::vector<std::string> values;  // one per parameter, in their order
  // The fields that are read as image, label and key. A scanner leaves a field
  // with a role among the sample's fields, under the name that the file gives
  // it, and takes nothing else for that role: OpenScanner() does the rest.
  ReadRoles roles = {};

  // REQUIRES: the layout has that parameter.
  std::string_view value(std::string_view parameter) const;
};
// `layout` with the default of each parameter.
LayoutChoice DefaultsOf(const Layout& layout);

// Thread-compatible. Ends in exactly one of a successful Finish() or
// destruction; the caller removes the files that an unfinished writer left
// under the temporary names.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Fails with kUnsupported, naming the key, for a sample that the format's
  // Limits exclude: nothing of it is written then. After any other failure the
  // writer can only be destroyed.
  virtual Status Append(const SampleView& sample) = 0;

  // All or nothing: on success the files are complete and synced.
  virtual Result<ShardSummary> Finish() = 0;
};

// One field as found in a file: `bytes` is the joined payload, `extents` where
// it lies. No extents: it is not in the file as such, e.g. compressed; an empty
// field has an empty extent all the same.
struct ScannedField {
  std::string_view name;
  std::string_view dtype = kBytesDtype;
  std::span<const std::uint64_t> shape;
  ByteView bytes;
  std::span<const Extent> extents;
  // The container says that the plain bytes are text; they need not be UTF-8.
  bool is_text = false;
};

// Views: valid until the next call of Next().
struct ScannedSample {
  std::uint64_t record = 0;         // number in the file, from 0
  std::uint64_t record_offset = 0;  // first byte of its framing
  std::optional<std::uint64_t> id;
  std::optional<std::string_view> key;
  std::span<const Label> labels;
  std::span<const ScannedField> fields;  // by ascending name
  // The class of its only label, where the layout has them.
  std::string_view class_name = {};
  std::string_view class_text = {};
};

// The splits that a file itself gives its samples.
struct NamedSplits {
  struct Split {
    std::string name;
    std::uint64_t samples = 0;
  };
  std::vector<Split> splits;  // as the file lists them; empty: it names none
  std::uint64_t samples = 0;  // of the file

  // One split that has all samples.
  bool one() const {
    return splits.size() == 1 && splits[0].samples == samples;
  }
};

// The parameter of layouts whose files may name splits: a scanner opened with a
// name has that split's samples alone, numbered from 0.
inline constexpr std::string_view kSplitParameter = "split";
inline constexpr std::string_view kAllSplits = "*";

// Strict and bounds-checked, for our own files and foreign ones: a length from
// the file is compared with the file before anything is allocated by it.
// Errors are kCorrupt (or kUnsupported, kIo) with path, record and byte.
// Thread-compatible. The file must outlive the scanner.
class ShardScanner {
 public:
  virtual ~ShardScanner() = default;

  // The next sample in file order; nullopt at the clean end. An error stays.
  virtual Result<std::optional<ScannedSample>> Next() = 0;

  // After a kCorrupt of Next(): passes over the damaged record, if its end is
  // known all the same, so that Next() goes on after it; `record` counts it.
  // False: nobody knows where the next one begins, and the error stays.
  virtual bool SkipDamaged() { return false; }

  // Whatever split the scanner was opened with. Splits may overlap, and samples
  // may be of none.
  virtual Result<NamedSplits> ReadSplits() { return NamedSplits(); }

  // Sentences for people about samples that the file holds in name alone. Asked
  // after the last sample.
  virtual Result<std::vector<std::string>> Warnings() {
    return std::vector<std::string>();
  }
};

// A record as an index of the format's own programs lists it.
struct ListedRecord {
  std::uint64_t offset = 0;  // of its first byte in the shard
  std::uint64_t id = 0;      // as the index says

  friend bool operator==(const ListedRecord&, const ListedRecord&) = default;
};

// The facts that the first bytes of a record hold.
struct RecordHead {
  std::uint64_t id = 0;
  std::size_t image = 0;  // its first byte, from the record's
};

struct Format {
  std::string_view name;    // "recordio"
  std::string_view suffix;  // ".rec"
  // Other suffixes of its files: ".tar.gz". Never written.
  std::span<const std::string_view> read_suffixes = {};
  // The file that is the shard in a directory that stands for one
  // ("data.mdb"); empty: no such directories.
  std::string_view directory_file = {};
  std::span<const Layout> layouts;  // the first is the default
  // Could a file that begins with `head` (up to 4 KiB) be of this format?
  bool (*probe)(ByteView head);
  // The layout of a foreign file, with parameters as far as they can be told.
  // Null: always the first.
  Result<LayoutChoice> (*detect_layout)(const RandomAccessFile& file) = nullptr;
  Result<std::unique_ptr<ShardScanner>> (*open_scanner)(
      const RandomAccessFile& file, const LayoutChoice& layout);
  Result<std::unique_ptr<ShardWriter>> (*create_writer)(
      Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);
  // Whether one shard can have samples of these keys, in this order, as far as
  // their names alone say it. Null: any that keep within the limits.
  Status (*check_keys)(const LayoutChoice& layout,
                       std::span<const std::string_view> keys) = nullptr;
  // Compares a shard's companion with a scan of the shard. `record_offsets` and
  // `ids` have one entry per record; `paths` names both files. Null: no layout
  // has a companion.
  Status (*check_companion)(ReadableStorage& storage, const ShardPaths& paths,
                            std::span<const std::uint64_t> record_offsets,
                            std::span<const std::uint64_t> ids) = nullptr;
  // Writes the companion of a shard that gets another name than its writer
  // knew, where companions say it: `paths` has the new ones, the companion's as
  // a temporary one. Null: they do not, and are good under any name.
  Status (*rename_companion)(Storage& storage,
                             const ShardPaths& paths) = nullptr;
  // The id that a companion gives to the record at each of these offsets;
  // kCorrupt where it lists other records. Null: companions hold no ids.
  Result<std::vector<std::uint64_t>> (*read_companion_ids)(
      ReadableStorage& storage, const std::string& path,
      std::span<const std::uint64_t> record_offsets) = nullptr;
  // Makes the files that the layout was chosen with; none for most. They
  // depend on the facts and on the companions that these name, and on nothing
  // else. kUnsupported: its programs would not find these shards, or their
  // samples. Null: no layout has any.
  Status (*write_metadata)(ReadableStorage& storage, const DatasetFacts& facts,
                           const LayoutChoice& layout,
                           MetadataSink& sink) = nullptr;
  // Files of its programs beside shards that say how many samples these hold.
  std::span<const CountFile> count_files = {};
  // The text of the index that the format's own tool makes of a file, by any
  // writer, for where CompanionName() says. kUnsupported for a compressed file:
  // it has no places to list. Null: there is no such tool.
  Result<std::string> (*native_index_of)(const RandomAccessFile& file) =
      nullptr;
  // The records that a companion of any writer lists, in its order. kCorrupt
  // with path and byte: no such index. Null: companions do not list records
  // that a scanner finds alone in their bytes.
  Result<std::vector<ListedRecord>> (*list_records)(
      const RandomAccessFile& companion) = nullptr;
  // Replaces `labels` by those of a record of `bytes` bytes that begins with
  // `head`. nullopt: the whole record has to be read. Null as list_records is.
  std::optional<RecordHead> (*read_head)(ByteView head, std::uint64_t bytes,
                                         std::vector<Label>& labels) = nullptr;
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_FORMAT_H_
