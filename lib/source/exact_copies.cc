#include "source/exact_copies.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "pipeline/parallel_for.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

// Enough to tell most images of one size apart.
constexpr std::uint64_t kHead = 4096;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

// Sorted, and without those that are like no other.
void KeepAlike(std::vector<Likeness>& all) {
  std::ranges::sort(all, {}, [](const Likeness& each) {
    return std::tuple(each.of.high, each.of.low, each.sample);
  });
  std::size_t kept = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].of == all[begin].of) ++end;
    if (end - begin == 1) continue;
    for (std::size_t i = begin; i < end; ++i) all[kept++] = all[i];
  }
  all.resize(kept);
}

Result<Digest128> DigestOfFile(ReadableStorage& storage,
                               const std::string& path, std::uint64_t most) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  const std::uint64_t size = std::min(file->size(), most);
  Xxh3Stream stream;
  ByteBuffer bytes;
  for (std::uint64_t at = 0; at < size; at += bytes.size()) {
    bytes.Resize(static_cast<std::size_t>(std::min(size - at, kPiece)));
    SHARDINE_RETURN_IF_ERROR(file->ReadExactly(at, bytes.span()));
    stream.Update(bytes.view());
  }
  stream.UpdateLe(file->size());
  return stream.Digest();
}

}  // namespace

Result<std::vector<Likeness>> TwinsOf(std::vector<Likeness> candidates,
                                      unsigned threads,
                                      const SampleDigest& digest) {
  KeepAlike(candidates);
  const std::stop_token& stop = CurrentStop();
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(candidates.size(), threads, [&](std::size_t i) -> Status {
        if (stop.stop_requested()) {
          return Status(Code::kCancelled, "interrupted");
        }
        SHARDINE_ASSIGN_OR_RETURN(candidates[i].of,
                                  digest(candidates[i].sample));
        return Status();
      }));
  KeepAlike(candidates);
  return candidates;
}

Result<std::vector<Likeness>> CopiedFiles(ReadableStorage& storage,
                                          const SourceSet& set,
                                          const FailedFile& failed) {
  const SourceList& samples = set.samples;
  std::vector<Likeness> candidates;
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    candidates.push_back({{.low = samples.facts(i).size}, i});
  }
  const unsigned threads = ServerThreads(set.roots.front(), 0, kServerBlocks);
  for (const std::uint64_t most : {kHead, ~std::uint64_t{0}}) {
    const SampleDigest digest = [&](std::uint32_t i) -> Result<Digest128> {
      const std::string path =
          JoinPath(set.roots[samples.root(i)], std::string(samples.path(i)));
      const auto found = DigestOfFile(storage, path, most);
      if (found.ok() || found.status().code() == Code::kCancelled) return found;
      if (failed) failed(i, found.status().Annotate({.path = path}));
      return Digest128{.low = i, .high = ~std::uint64_t{0}};
    };
    SHARDINE_ASSIGN_OR_RETURN(candidates,
                              TwinsOf(std::move(candidates), threads, digest));
  }
  return candidates;
}

}  // namespace shardine
