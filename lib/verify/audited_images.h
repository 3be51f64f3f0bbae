// AuditedImages: the images of datasets, or of files, by position.
#ifndef SHARDINE_VERIFY_AUDITED_IMAGES_H_
#define SHARDINE_VERIFY_AUDITED_IMAGES_H_

#include <cstdint>
#include <functional>
#include <memory>
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

// Positions count the samples as ImageCopies does. Thread-safe once open.
class AuditedImages {
 public:
  // All must outlive it.
  static Result<AuditedImages> Open(
      std::span<const DatasetReader* const> datasets, const Job& job);
  static AuditedImages Of(ReadableStorage& storage, const SourceSet& files);

  std::uint64_t size() const { return size_; }
  // Whether each belongs to the smallest splits, as many as have `most` samples
  // together.
  std::vector<bool> InSmallSplits(std::uint64_t most) const;

  // Calls visit(i, image) for each of them that is there: a file's bytes, or an
  // array. Calls failed(i, why) for those that cannot be read. Fails where not
  // an image but the machine is the cause. REQUIRES: positions ascend.
  using Visit = std::function<void(std::size_t i, const FieldView& image)>;
  using Failed = std::function<void(std::size_t i, const Status& why)>;
  Status Read(std::span<const std::uint64_t> positions, const Visit& visit,
              const Failed& failed) const;

 private:
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::unique_ptr<SampleSource> samples = nullptr;
  };

  Status ReadPart(const Part& part, std::span<const std::uint64_t> positions,
                  std::size_t offset, const Visit& visit,
                  const Failed& failed) const;
  Status ReadFiles(std::span<const std::uint64_t> positions, const Visit& visit,
                   const Failed& failed) const;

  std::uint64_t size_ = 0;
  std::vector<Part> parts_;  // splits of datasets
  ReadableStorage* storage_ = nullptr;
  const SourceSet* files_ = nullptr;  // null: datasets
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_AUDITED_IMAGES_H_
