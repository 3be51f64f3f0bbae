// The table of formats, and the names users give to a format and a layout.
#ifndef SHARDINE_SHARD_FORMAT_REGISTRY_H_
#define SHARDINE_SHARD_FORMAT_REGISTRY_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shard/format.h"
#include "shardine/status.h"

namespace shardine {

struct FormatAndLayout : LayoutChoice {
  const Format* format = nullptr;

  const Limits& limits() const { return layout->limits; }
  // "recordio/mxnet", "tfrecord/imagenet:label_offset=0", "webdataset",
  // "hdf5/fuel:image=photos,label=kind".
  std::string Name() const;
  // A scanner of samples whose fields have their roles. `file` must outlive
  // it. kInvalidArgument: records of this layout name no fields.
  Result<std::unique_ptr<ShardScanner>> OpenScanner(
      const RandomAccessFile& file) const;
  // Where the layout's native index of a new shard goes:
  // "train-00000-of-00008.rec" -> "train-00000-of-00008.idx", or the like in
  // .shardine; empty if it has none.
  std::string CompanionName(const std::string& shard) const;
  // All places where one may be, the place of a new one first. Others'
  // programs, and older versions, put every index beside its shard.
  std::vector<std::string> CompanionPlaces(const std::string& shard) const;
};

// Constant data, so thread-safe.
class FormatRegistry {
 public:
  // `formats` must outlive the registry.
  explicit constexpr FormatRegistry(std::span<const Format* const> formats)
      : formats_(formats) {}

  std::span<const Format* const> formats() const { return formats_; }
  // nullptr if there is none.
  const Format* FindByName(std::string_view name) const;
  // After the suffix may follow "-00000-of-00008".
  const Format* FindBySuffix(std::string_view file_name) const;
  // The file in a directory that stands for one shard ("x.lmdb/data.mdb"), or
  // `path` itself if that is no such directory.
  std::string ShardFileAt(ReadableStorage& storage,
                          const std::string& path) const;
  // By content first, the suffix deciding between several that could be. If no
  // content fits, or the file is empty as one without samples may be, by suffix
  // alone, so that the scanner says where the head is damaged. kUnsupported
  // naming the known formats if neither fits, or the kind of file where it is
  // known and shardine cannot read it.
  Result<const Format*> Detect(const RandomAccessFile& file) const;
  // The same, with the layout that the file is in. With `roles`: a file without
  // a layout of its own has the first of its format whose records name their
  // fields.
  Result<FormatAndLayout> DetectLayout(const RandomAccessFile& file,
                                       const ReadRoles& roles = {}) const;

 private:
  std::span<const Format* const> formats_;
};

// Parses "recordio", "recordio/mxnet" or "tfrecord/imagenet:label_offset=1"
// (several parameters with commas between). kInvalidArgument lists the existing
// ones.
Result<FormatAndLayout> ParseFormat(const FormatRegistry& registry,
                                    std::string_view text);

// Is the parameter set in such a text, and not left to its default?
bool SetsParameter(std::string_view text, std::string_view parameter);

}  // namespace shardine

#endif  // SHARDINE_SHARD_FORMAT_REGISTRY_H_
