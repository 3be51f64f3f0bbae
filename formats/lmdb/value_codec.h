// ValueCodec: the part in which LMDB's layouts differ: the key and value of a
// sample. The database around them is the same for all.
#ifndef SHARDINE_FORMATS_LMDB_VALUE_CODEC_H_
#define SHARDINE_FORMATS_LMDB_VALUE_CODEC_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lmdb/spliced_bytes.h"
#include "lmdb/value_serializer.h"
#include "shard/dataset_metadata.h"
#include "shard/extent.h"
#include "shard/format.h"

namespace shardine {

// The entries that folder2lmdb and its kin write beside the samples: a pickled
// list of the keys in their order, and their number.
inline constexpr std::string_view kKeysEntry = "__keys__";
inline constexpr std::string_view kLengthEntry = "__len__";
// The names of the classes by label, in a list, which some write as well.
inline constexpr std::string_view kClassesEntry = "__classes__";
inline constexpr std::string_view kClassCountEntry = "__num_classes__";
// Is it the key of one of the four?
inline bool IsListEntry(std::string_view key) {
  return key == kKeysEntry || key == kLengthEntry || key == kClassesEntry ||
         key == kClassCountEntry;
}
// The entry that others write beside images: their count in decimal digits.
inline constexpr std::string_view kSamplesEntry = "num-samples";
inline constexpr std::string_view kImagesEntry = "length";
inline bool IsCountEntry(std::string_view key) {
  return key == kSamplesEntry || key == kImagesEntry;
}

// LMDB, as it is usually built.
inline constexpr std::size_t kMaxLmdbKey = 511;
inline constexpr std::uint64_t kMaxLmdbValue = 0xffffffff;
// An image in a pair of image and label, and one that is an array there: the
// rest of such a value takes less than is left.
inline constexpr std::uint64_t kMaxPairPayload = kMaxLmdbValue - 64;
inline constexpr std::uint64_t kMaxArrayPayload = kMaxLmdbValue - 256;

struct EncodedSample {
  std::string key;
  SplicedBytes value;
  // One more entry of the sample; no key: there is none.
  std::string beside_key = {};
  SplicedBytes beside_value = {};
};

// An entry that belongs to no sample.
struct BesideEntry {
  std::string_view key;
  SplicedBytes value;
};

struct DecodedField {
  std::string name = {};
  std::string dtype = std::string(kBytesDtype);
  std::vector<std::uint64_t> shape = {};
  ByteView bytes = {};
  std::optional<std::uint64_t> offset = {};  // in the file, where it lies there
  bool is_text = false;                      // plain bytes that are text
};

// Views of the value and of the codec.
struct DecodedSample {
  std::optional<std::string_view> key;
  std::vector<Label> labels;
  std::vector<DecodedField> fields;  // by ascending name
  // Entries whose values, if there are any, are more fields of the sample, by
  // ascending name, each greater than those of `fields`.
  struct Beside {
    std::string key;
    std::string_view name;
  };
  std::vector<Beside> beside = {};
};

// Thread-compatible.
class ValueCodec {
 public:
  virtual ~ValueCodec() = default;

  // For the value of `__keys__`; null: the layout has none.
  virtual std::unique_ptr<KeyListWriter> NewKeyList() const { return nullptr; }
  // The most bytes of that list.
  virtual std::uint64_t max_key_list() const { return kMaxLmdbValue; }
  // The entries beside the samples, except that list; the classes must outlive
  // it. kUnsupported for classes that cannot be named there.
  virtual Result<std::vector<BesideEntry>> EntriesBeside(
      std::uint64_t /*samples*/,
      std::span<const DatasetFacts::Class> /*classes*/) const {
    return std::vector<BesideEntry>();
  }
  // The entry that says in digits how many samples there are; empty: none does.
  virtual std::string_view count_entry() const { return {}; }
  // Could the entry of that key be no sample, but something beside them? It is
  // if an entry of one of owners_of() is there; else ask is_sample() with its
  // value.
  virtual bool may_be_beside(std::string_view) const { return false; }
  virtual std::vector<std::string> owners_of(std::string_view) const {
    return {};
  }
  virtual bool is_sample(ByteView) { return true; }
  // Are the forms of keys that belong to no sample said?
  virtual bool lists_left_out() const { return false; }
  // Each key is greater, byte by byte, than those before it.
  virtual bool keys_ascend() const = 0;

  // Replaces `to`, which views the sample's payloads. kUnsupported for fields
  // that the layout cannot hold. `position` is the sample's in the shard.
  virtual Status Encode(const SampleView& sample, std::uint64_t position,
                        EncodedSample& to) = 0;

  // Replaces `to`. `offset` is the value's in the file. kCorrupt or
  // kUnsupported, with the byte where it is known.
  virtual Status Decode(ByteView key, ByteView value, std::uint64_t offset,
                        DecodedSample& to) = 0;
};

// For one of the layouts of kLmdbFormat. `max_memory`: the bytes that a value
// may take in other form.
std::unique_ptr<ValueCodec> MakeValueCodec(const LayoutChoice& layout,
                                           std::uint64_t max_memory);

// The sample's only field, if that is the image.
const FieldView* OnlyImage(const SampleView& sample);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_VALUE_CODEC_H_
