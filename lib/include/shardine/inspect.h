// Inspect: the contents of a dataset, its samples one by one, and their
// extraction into a folder tree.
#ifndef SHARDINE_INSPECT_H_
#define SHARDINE_INSPECT_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "shardine/dataset_info.h"
#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/rejects.h"
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

// The names of the files of an extraction.
enum class ExtractNames : std::uint8_t {
  kKey,      // the key; "./" in front of it is left out
  kId,       // the id with at least eight digits, ".jpg" or the like by content
  kClassId,  // the same in a folder of the class's name; the label without any
};

struct ExtractOptions {
  std::string dataset;
  std::string directory;
  ExtractNames names = ExtractNames::kKey;
  bool overwrite = false;  // files that are there with other contents
  // OnBad::kSkip: records that cannot be read or do not match their checksums,
  // and images that fail the check of ImageCheckLevel::kHeader, are left out
  // and listed in DIRECTORY/rejected.jsonl.
  OnBad on_bad = OnBad::kFail;
};

struct ExtractResult {
  std::uint64_t files = 0;  // written
  std::uint64_t bytes = 0;  // of them
  std::uint64_t kept = 0;   // were there already, with the same bytes
  // Not written: fields beside the image, and images that are arrays.
  std::uint64_t fields_left = 0;
  std::vector<RejectedCount> rejected;
};

// Writes each encoded image to DIRECTORY/<name>, or DIRECTORY/<split>/<name>
// when there are several splits. No name can leave the directory, and nothing
// that exists is overwritten unless that is asked for: kUnsupported and
// kAlreadyExists name the key, and files that were written before stay. Two
// samples of one name are kAlreadyExists, too, whatever is asked for, and names
// that the file system takes for one. After kCancelled or a kill the same call
// writes the missing files: files that have the very bytes are kept.
// kInvalidArgument: an OnBad other than kFail and kSkip.
Result<ExtractResult> ExtractDataset(const ExtractOptions& options,
                                     const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_INSPECT_H_
