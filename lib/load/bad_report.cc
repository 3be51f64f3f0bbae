#include "load/bad_report.h"

#include <utility>

#include "shardine/loader_words.h"

namespace shardine {
namespace {

constexpr std::uint64_t kSharesOfAnEpoch = 100;  // 1 % each

std::string Samples(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " sample" : " samples");
}

}  // namespace

std::string BadReport::Done() const {
  return std::string("on_bad \"") + WordOf(on_bad_) + "\": first " +
         bad_.first.ToString();
}

std::vector<std::string> BadReport::Add(const ReportedBatch& batch) {
  if (batch.epoch != epoch_) {
    epoch_ = batch.epoch;
    samples_ = 0;
    bad_ = {};
  }
  samples_ += batch.samples;
  if (bad_.count == 0) bad_.first = batch.bad.first;
  bad_.count += batch.bad.count;
  bad_.unsupported += batch.bad.unsupported;
  std::vector<std::string> said;
  if (bad_.count == 0) return said;
  const bool is_whole = batch.bad.count > 1 && batch.bad.count == batch.samples;
  const bool are_many = bad_.count * kSharesOfAnEpoch > batch.samples_of_epoch;
  if (!has_warned_ && (is_whole || are_many)) {
    has_warned_ = true;
    said.push_back(
        (is_whole ? "all " + Samples(batch.samples) + " of a batch are bad"
                  : "more than 1 % of epoch " + std::to_string(epoch_) +
                        " is bad, " + Samples(bad_.count) + " so far") +
        ", " + Done());
  }
  if (batch.ends_epoch) {
    said.push_back("epoch " + std::to_string(epoch_) + ": " +
                   std::to_string(bad_.count) + " of " + Samples(samples_) +
                   " were bad, " + Done());
  }
  return said;
}

}  // namespace shardine
