#include "report/file_digests.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/listed_files.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "remote/crypto_library.h"

namespace shardine {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// A file by its path below the dataset's folder, and its expected contents.
struct WantedFile {
  Digest128 digest;
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;  // of a shard
};
using WantedFiles = std::map<std::string, WantedFile>;

// The files of a dataset whose path is `prefix`, and of its variants.
Status AddFiles(ReadableStorage& storage, const std::string& directory,
                const Manifest& manifest, const std::string& prefix,
                WantedFiles& wanted) {
  // The text that was read for the manifest may have been replaced since.
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadManifestText(storage, directory));
  wanted[prefix + kManifestName] = {.digest = Xxh3_128(AsBytes(text)),
                                    .bytes = text.size()};
  for (const ManifestFile* file : ListedFiles(manifest)) {
    wanted[prefix + file->path] = {.digest = file->digest,
                                   .bytes = file->bytes};
  }
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      wanted[prefix + shard.file.path].samples = shard.samples;
    }
  }
  for (const ManifestChild& child : manifest.variants) {
    const std::string below = JoinName(directory, child.path);
    SHARDINE_ASSIGN_OR_RETURN(const Manifest variant,
                              ReadManifest(storage, below));
    SHARDINE_RETURN_IF_ERROR(
        AddFiles(storage, below, variant, prefix + child.path + '/', wanted));
  }
  return Status();
}

// Thread-safe.
class Digester {
 public:
  Digester(const DatasetReader& dataset, const CryptoLibrary& crypto,
           const WantedFiles& wanted, const Job& job)
      : dataset_(dataset), crypto_(crypto), wanted_(wanted), job_(job) {
    for (const auto& [path, file] : wanted) {
      files_.push_back({.path = path, .bytes = file.bytes});
      progress_.bytes_total += file.bytes;
      progress_.samples_total += file.samples;
    }
  }

  std::size_t size() const { return files_.size(); }
  std::vector<DigestedFile> Take() { return std::move(files_); }

  Status Digest(std::size_t number) {
    const StopScope scope(job_.stop);
    DigestedFile& own = files_[number];
    const std::string path = JoinName(dataset_.directory(), own.path);
    SHARDINE_ASSIGN_OR_RETURN(const auto file,
                              dataset_.storage().OpenForward(path));
    const WantedFile& wanted = wanted_.at(own.path);
    if (file->size() != wanted.bytes) return Differs("size", path);
    Sha256Stream sha256(crypto_);
    Xxh3Stream xxh3;
    ByteBuffer buffer;
    for (std::uint64_t at = 0; at < wanted.bytes; at += buffer.size()) {
      if (job_.stop.stop_requested()) {
        return Status(Code::kCancelled, "interrupted");
      }
      buffer.Resize(std::min<std::uint64_t>(kPiece, wanted.bytes - at));
      SHARDINE_RETURN_IF_ERROR(file->ReadExactly(at, buffer.span()));
      sha256.Update(buffer.view());
      xxh3.Update(buffer.view());
      Tell(buffer.size(), 0);
    }
    if (xxh3.Digest() != wanted.digest) return Differs("digest", path);
    own.sha256 = ToHex(sha256.Finish());
    Tell(0, wanted.samples);
    return Status();
  }

 private:
  static Status Differs(const char* what, const std::string& path) {
    return Status(Code::kCorrupt,
                  std::string(what) + " differs from the manifest's")
        .At({.path = path});
  }

  void Tell(std::uint64_t bytes, std::uint64_t samples) {
    const std::lock_guard lock(mutex_);
    progress_.bytes += bytes;
    progress_.samples += samples;
    if (job_.progress) job_.progress(progress_);
  }

  const DatasetReader& dataset_;
  const CryptoLibrary& crypto_;
  const WantedFiles& wanted_;
  const Job& job_;
  std::vector<DigestedFile> files_;
  std::mutex mutex_;
  Progress progress_;  // guarded by mutex_
};

}  // namespace

Result<std::vector<DigestedFile>> DigestFiles(const DatasetReader& dataset,
                                              unsigned threads,
                                              const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const CryptoLibrary* const crypto,
                            CryptoLibrary::Load());
  WantedFiles wanted;
  SHARDINE_RETURN_IF_ERROR(AddFiles(dataset.storage(), dataset.directory(),
                                    dataset.manifest(), "", wanted));
  Digester digester(dataset, *crypto, wanted, job);
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(digester.size(), threads,
                  [&](std::size_t number) { return digester.Digest(number); }));
  return digester.Take();
}

}  // namespace shardine
