// The middle of measurements.
#ifndef SHARDINE_DOCTOR_MEDIAN_H_
#define SHARDINE_DOCTOR_MEDIAN_H_

#include <algorithm>
#include <vector>

namespace shardine {

// The median; for an even count the upper of the two in the middle. REQUIRES:
// not empty.
inline double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_MEDIAN_H_
