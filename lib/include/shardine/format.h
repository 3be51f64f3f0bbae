// The public facts of formats: the table of built-in ones, and the data that
// each can hold.
#ifndef SHARDINE_FORMAT_H_
#define SHARDINE_FORMAT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shardine {

class FormatRegistry;

// RecordIO and whatever else this build has. Never destroyed.
const FormatRegistry& BuiltinFormats();

struct FormatParameterInfo {
  std::string name;  // "label_offset"
  std::string default_value;
  std::string values;  // its allowed values, in words: "0 or 1"
};

// A convention inside a format, and the facts that one of its records holds by
// itself.
struct LayoutInfo {
  std::string name;  // as options take it: "tfrecord/imagenet:label_offset=0"
  std::string companion_suffix;  // of the format's own index; empty: none
  std::vector<FormatParameterInfo> parameters;

  // The numbers that it holds as labels: "int32", "int64", "float32", "float64"
  // or "exact", all that a Label is. Others are rounded in it, and the sidecar
  // index keeps them.
  std::string label_type;
  std::uint64_t max_labels = 0;
  bool ids = false;
  bool keys = false;
  std::uint64_t max_key = 0;  // bytes of a key that it holds; 0: any number
  bool unique_keys = false;   // no key twice in a shard, and none empty
  bool fields = false;        // beside the image
  std::string text_field;     // without such: one that it may have; empty: none
  bool encoded_image = false;     // the image may be as it was in its file
  bool array_image = false;       // it may be an array of pixels
  bool needs_image = false;       // no sample is without one
  std::uint64_t max_payload = 0;  // bytes of a sample
};

struct FormatInfo {
  std::string name;    // "tfrecord"
  std::string suffix;  // of shards that are written: ".tfrecord"
  std::vector<std::string> read_suffixes;  // of others that are read
  std::vector<LayoutInfo> layouts;         // the name alone means the first
};

// All formats, in the order of the table.
std::vector<FormatInfo> ListFormats(
    const FormatRegistry& formats = BuiltinFormats());

}  // namespace shardine

#endif  // SHARDINE_FORMAT_H_
