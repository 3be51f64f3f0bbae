// Which samples of a source have the bytes of another one as their image.
#ifndef SHARDINE_SOURCE_EXACT_COPIES_H_
#define SHARDINE_SOURCE_EXACT_COPIES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/digest.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// A sample, and the digest that equal images have in common.
struct Likeness {
  Digest128 of;
  std::uint32_t sample = 0;
};

using SampleDigest = std::function<Result<Digest128>(std::uint32_t sample)>;

// The candidates that are like another one, by digest, then sample. Several
// threads ask for digests. kCancelled: stopped.
Result<std::vector<Likeness>> TwinsOf(std::vector<Likeness> candidates,
                                      unsigned threads,
                                      const SampleDigest& digest);

// Called by several threads.
using FailedFile = std::function<void(std::uint32_t sample, const Status& why)>;

// The same of files: files of equal size whose first bytes are equal are read
// whole. An unreadable file is like no other, and is reported if `failed` is
// given.
Result<std::vector<Likeness>> CopiedFiles(ReadableStorage& storage,
                                          const SourceSet& set,
                                          const FailedFile& failed = {});

}  // namespace shardine

#endif  // SHARDINE_SOURCE_EXACT_COPIES_H_
