#include "shardine/label_survey.h"

#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "load/chosen_entries.h"

namespace shardine {
namespace {

// Read at a time.
constexpr std::uint64_t kSurveyedTogether = 4096;

template <typename Float>
bool IsLost(const Label& label) {
  if (!label.is_integer()) return false;
  // A long double has all 64 bits.
  return static_cast<long double>(static_cast<Float>(label.integer())) !=
         static_cast<long double>(label.integer());
}

void Add(const Label& label, LabelSurvey& survey) {
  if (label.is_integer()) {
    survey.float32_is_exact =
        survey.float32_is_exact && !IsLostInFloat32(label);
    survey.float64_is_exact =
        survey.float64_is_exact && !IsLostInFloat64(label);
    return;
  }
  survey.are_integers = false;
  const double real = label.real();
  const bool is_rounded = std::isfinite(real) &&
                          static_cast<double>(static_cast<float>(real)) != real;
  if (is_rounded && !survey.rounded) survey.rounded = label;
}

}  // namespace

bool IsLostInFloat32(const Label& label) { return IsLost<float>(label); }
bool IsLostInFloat64(const Label& label) { return IsLost<double>(label); }

Result<LabelSurvey> SurveyLabels(
    const Dataset& dataset,
    const std::shared_ptr<const std::vector<std::uint64_t>>& positions,
    const std::stop_token& stop) {
  const StopScope scope(stop);
  const SampleSource& source = dataset.source();
  LabelSurvey survey;
  SHARDINE_RETURN_IF_ERROR(SampleChoice::Check(positions, source.size()));
  const SampleChoice choice(positions, source.size(), source.order_digest());
  if (source.all_in_classes() && choice.size() > 0) {
    // All samples of a batch have as many labels as the first of the loader.
    const auto first = source.Entry(choice(0));
    if (first.ok() && first->labels.size() <= 1) return survey;
  }
  std::vector<IndexEntry> entries;
  for (std::uint64_t first = 0; first < choice.size();
       first += entries.size()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_RETURN_IF_ERROR(
        ChosenEntries(source, choice, first,
                      std::min(kSurveyedTogether, choice.size() - first),
                      entries, EntryParts::kLabels));
    for (const IndexEntry& entry : entries) {
      for (const Label& label : entry.labels) Add(label, survey);
    }
  }
  return survey;
}

}  // namespace shardine
