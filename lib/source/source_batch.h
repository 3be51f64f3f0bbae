// Several source images that are read for one piece of work.
#ifndef SHARDINE_SOURCE_SOURCE_BATCH_H_
#define SHARDINE_SOURCE_SOURCE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "io/many_files.h"
#include "io/readable_storage.h"
#include "source/source_list.h"

namespace shardine {

// Neighbours that are read for one piece of work.
struct SourceBlock {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t bytes = 0;  // of their files
};

// Cuts `count` files into blocks that hold no more than `most`, or one file;
// `size_of` says how large a file is. A file too large to be read weighs
// nothing.
std::vector<SourceBlock> CutSources(
    std::size_t count, const std::function<std::uint64_t(std::size_t)>& size_of,
    const SourceBlock& most = {.count = 16, .bytes = std::uint64_t{1} << 20});

// Thread-compatible. Where each answer takes a while all are read at once, when
// the first is asked for.
class SourceBatch {
 public:
  explicit SourceBatch(ReadableStorage& storage) : storage_(storage) {}

  // REQUIRES: CheckSourceSize() allows it; nothing was read yet.
  void Add(std::string path, const SourceFacts& facts);
  // As ReadSource(), of those added one after the other.
  Status ReadNext(ByteBuffer& bytes);

 private:
  struct Source {
    std::string path;
    SourceFacts facts;
  };
  void ReadAll(ManyFiles& files);

  ReadableStorage& storage_;
  std::vector<Source> sources_;
  std::size_t next_ = 0;
  std::vector<WholeFile> read_;  // all of them, once there are any
  ByteBuffer bytes_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_BATCH_H_
