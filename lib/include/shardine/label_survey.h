// LabelSurvey: in which types of numbers the labels of samples can be given.
#ifndef SHARDINE_LABEL_SURVEY_H_
#define SHARDINE_LABEL_SURVEY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "shardine/dataset.h"
#include "shardine/label.h"
#include "shardine/status.h"

namespace shardine {

struct LabelSurvey {
  bool are_integers = true;      // each label is; true of no labels
  bool float32_is_exact = true;  // for integers
  bool float64_is_exact = true;  // the same
  // One that is no integer, and that float32 rounds.
  std::optional<Label> rounded = std::nullopt;
};

// Surveys the samples at these positions, or all, by their indexes. Where the
// dataset counts each sample by class, one entry alone is read: a label without
// a class is then found when its batch comes. kInvalidArgument: a position lies
// outside of the dataset.
Result<LabelSurvey> SurveyLabels(
    const Dataset& dataset,
    const std::shared_ptr<const std::vector<std::uint64_t>>& positions,
    const std::stop_token& stop = {});

// Whether `label` is an integer that the type has no number for: float, double.
bool IsLostInFloat32(const Label& label);
bool IsLostInFloat64(const Label& label);

}  // namespace shardine

#endif  // SHARDINE_LABEL_SURVEY_H_
