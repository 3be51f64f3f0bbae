// AuditedImages: the images of datasets, or of files, by position.
#ifndef SHARDINE_VERIFY_AUDITED_IMAGES_H_
#define SHARDINE_VERIFY_AUDITED_IMAGES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/sample_source.h"
#include "io/readable_storage.h"
#include "shardine/job.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Images that could not be looked at, each counted once: those that cannot be
// read, of which the first are named, and those of kinds that are not decoded.
// Thread-safe.
class UnreadImages {
 public:
  void Add(std::uint64_t position, const Status& why);
  std::uint64_t count() const;
  std::uint64_t unsupported() const;
  // By position, kMostNamed at most.
  std::vector<Status> Named() const;

  static constexpr std::size_t kMostNamed = 100;

 private:
  mutable std::mutex mutex_;
  std::set<std::uint64_t> positions_;
  std::set<std::uint64_t> unsupported_;
  std::map<std::uint64_t, Status> named_;
};

// kSmall: from the smallest variant of at least 64 pixels, if there is one that
// has the same samples. kWhole: as the dataset itself has them.
enum class ImageUse : std::uint8_t { kSmall, kWhole };

// Positions count the samples as ImageCopies does. Thread-safe once open.
class AuditedImages {
 public:
  // All must outlive it.
  static Result<AuditedImages> Open(
      std::span<const DatasetReader* const> datasets, const Job& job);
  static AuditedImages Of(ReadableStorage& storage, const SourceSet& files);

  std::uint64_t size() const { return size_; }
  // Whether an image is another one for kSmall.
  bool has_variant(std::uint64_t position) const;
  // Whether each belongs to the smallest splits, as many as have `most` samples
  // together.
  std::vector<bool> InSmallSplits(std::uint64_t most) const;

  // Calls visit(i, image) for each of them that is there: a file's bytes, or an
  // array. Calls failed(i, why) for those that cannot be read, and for those
  // that `visit` fails of, with their place. Fails where not an image but the
  // machine is the cause. REQUIRES: positions ascend.
  using Visit = std::function<Status(std::size_t i, const FieldView& image)>;
  using Failed = std::function<void(std::size_t i, const Status& why)>;
  Status Read(std::span<const std::uint64_t> positions, ImageUse use,
              const Visit& visit, const Failed& failed) const;

 private:
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::unique_ptr<SampleSource> samples = nullptr;
    std::unique_ptr<SampleSource> small = nullptr;  // null: `samples`
  };

  static Status ReadPart(const SampleSource& samples,
                         std::span<const std::uint64_t> own, std::size_t offset,
                         const Visit& visit, const Failed& failed);
  Status ReadFiles(std::span<const std::uint64_t> positions, const Visit& visit,
                   const Failed& failed) const;

  std::uint64_t size_ = 0;
  std::vector<Part> parts_;  // splits of datasets
  ReadableStorage* storage_ = nullptr;
  const SourceSet* files_ = nullptr;  // null: datasets
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_AUDITED_IMAGES_H_
