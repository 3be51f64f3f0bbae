// Inspect: the contents of a dataset, and its samples one by one.
#ifndef SHARDINE_INSPECT_H_
#define SHARDINE_INSPECT_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "shardine/dataset_info.h"
#include "shardine/job.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// A field beside the encoded image.
struct ListedField {
  std::string_view name;
  std::string_view dtype;                // as FieldView's
  std::span<const std::uint64_t> shape;  // empty for plain bytes
  std::uint64_t bytes = 0;
};

// One line of `ls`. Views are valid during the call only.
struct ListedSample {
  std::uint64_t id = 0;
  std::string_view split;
  std::span<const Label> labels;
  std::string_view key;
  std::uint64_t bytes = 0;   // of the image
  std::string_view shard;    // relative to the manifest
  std::uint64_t record = 0;  // in the shard
  // (offset, length) of the image in the shard file, joined in order; none if
  // it is not in the file as such.
  std::span<const std::pair<std::uint64_t, std::uint64_t>> extents;
  std::span<const ListedField> fields;  // an image that is an array among them
};

struct ListingOptions {
  std::string dataset;
  std::string split = {};       // "": all
  std::string class_name = {};  // of one of their labels, or its number
  std::uint64_t limit = 0;      // samples; 0: all
};

// Calls `visit` for each sample in order of split, shard, record; stops at the
// first failure, its own or one that `visit` returns. kInvalidArgument: there
// is no such split or class. kCancelled: stopped, while it waited for a server.
Status ListSamples(const ListingOptions& options,
                   const std::function<Status(const ListedSample&)>& visit,
                   const std::stop_token& stop = {});

struct ImageKeys {
  std::string dataset;
  std::vector<std::string> keys;
  std::string split = {};  // "": a key is in one split only
  // A key that no sample has is looked for without its escapes (escape.h), too.
  bool escaped = false;
};

// Calls `visit` with the image of each key, in their order, its checksum
// verified; a server is asked for many at a time. All keys are found before the
// first image is read. kInvalidArgument, with the ids: a split has a key twice.
// Stops at the first failure, its own or one that `visit` returns. kNotFound:
// no sample has the key; kCancelled: stopped.
Status ReadImages(const ImageKeys& wanted,
                  const std::function<Status(std::string_view image)>& visit,
                  const std::stop_token& stop = {});
// The same into a file, one image after the other; it appears
// whole or not at all. kAlreadyExists: something has the name, unless that is
// to be overwritten.
Status SaveImages(const ImageKeys& wanted, const std::string& file,
                  bool overwrite, const std::stop_token& stop = {});
// The image of one of them.
Result<std::string> ReadImage(const std::string& dataset,
                              const std::string& key,
                              const std::string& split = "",
                              const std::stop_token& stop = {});

}  // namespace shardine

#endif  // SHARDINE_INSPECT_H_
