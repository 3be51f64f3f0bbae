// AuditedImages: the images of datasets, to be compared with each other.
#ifndef SHARDINE_VERIFY_AUDITED_IMAGES_H_
#define SHARDINE_VERIFY_AUDITED_IMAGES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/sample_source.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "source/compared_images.h"

namespace shardine {

// Positions count the samples as ImageCopies does. Thread-safe once open.
class AuditedImages : public ComparedImages {
 public:
  // All must outlive it.
  static Result<std::unique_ptr<AuditedImages>> Open(
      std::span<const DatasetReader* const> datasets, const Job& job);

  std::uint64_t size() const override { return size_; }
  bool has_variant(std::uint64_t position) const override;
  std::vector<bool> InSmallSplits(std::uint64_t most) const override;
  Status Read(std::span<const std::uint64_t> positions, ImageUse use,
              const Visit& visit, const Failed& failed) const override;

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
  AuditedImages() = default;

  std::uint64_t size_ = 0;
  std::vector<Part> parts_;  // splits of datasets
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_AUDITED_IMAGES_H_
