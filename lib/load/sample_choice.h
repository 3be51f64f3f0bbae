// SampleChoice: the samples that an epoch has: all of a dataset, or those that
// LoaderOptions::positions names, numbered as they stand there.
#ifndef SHARDINE_LOAD_SAMPLE_CHOICE_H_
#define SHARDINE_LOAD_SAMPLE_CHOICE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

// Immutable, so thread-safe.
class SampleChoice {
 public:
  using Positions = std::shared_ptr<const std::vector<std::uint64_t>>;

  // Checks positions in a dataset of `samples`. kInvalidArgument: there are
  // none, one lies outside of the dataset, or comes twice. Null: all.
  static Status Check(const Positions& positions, std::uint64_t samples);

  // REQUIRES: Check is ok.
  SampleChoice(Positions positions, std::uint64_t samples,
               const Digest128& order_digest);

  bool is_all() const { return positions_ == nullptr; }
  std::uint64_t size() const { return size_; }
  // The sample's position in the dataset. REQUIRES: number < size().
  std::uint64_t operator()(std::uint64_t number) const {
    return positions_ ? (*positions_)[number] : number;
  }
  // The digest of the dataset; for a choice XXH3-128 of it and of all
  // positions, low half first, each as 8 bytes: it tells states of other
  // samples.
  const Digest128& order_digest() const { return order_digest_; }

 private:
  Positions positions_;
  std::uint64_t size_;
  Digest128 order_digest_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_SAMPLE_CHOICE_H_
