// ComparedImages: images that are compared with each other, by position.
#ifndef SHARDINE_SOURCE_COMPARED_IMAGES_H_
#define SHARDINE_SOURCE_COMPARED_IMAGES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "shardine/sample.h"
#include "shardine/status.h"

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

// Thread-safe.
class ComparedImages {
 public:
  ComparedImages() = default;
  ComparedImages(const ComparedImages&) = delete;
  ComparedImages& operator=(const ComparedImages&) = delete;
  virtual ~ComparedImages() = default;

  virtual std::uint64_t size() const = 0;
  // Whether an image is another one for kSmall.
  virtual bool has_variant(std::uint64_t /*position*/) const { return false; }
  // Whether each belongs to the smallest splits, as many as have `most` samples
  // together.
  virtual std::vector<bool> InSmallSplits(std::uint64_t most) const = 0;

  // Calls visit(i, image) for each of them that is there: a file's bytes, or an
  // array. Calls failed(i, why) for those that cannot be read, and for those
  // that `visit` fails of, with their place. Fails where not an image but the
  // machine is the cause. REQUIRES: positions ascend.
  using Visit = std::function<Status(std::size_t i, const FieldView& image)>;
  using Failed = std::function<void(std::size_t i, const Status& why)>;
  virtual Status Read(std::span<const std::uint64_t> positions, ImageUse use,
                      const Visit& visit, const Failed& failed) const = 0;
};

// Whether a failure is about one image, and not about the machine.
bool IsOfImage(const Status& status);

// Which of the splits, of that many samples each, are the smallest that have
// `most` samples together.
std::vector<bool> SmallestOf(std::span<const std::uint64_t> counts,
                             std::uint64_t most);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_COMPARED_IMAGES_H_
