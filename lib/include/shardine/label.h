// Label: the number that an image is labelled with.
#ifndef SHARDINE_LABEL_H_
#define SHARDINE_LABEL_H_

#include <cstdint>
#include <string>

namespace shardine {

// One label: an int64 or a finite or infinite float64. A value that is an
// integer in [-2^63, 2^63) is always held as one (-0.0 is 0), so equal values
// compare equal however they were given.
class Label {
 public:
  Label() = default;
  Label(std::int64_t value) : integer_(value) {}  // NOLINT: a label is a number
  // REQUIRES: not NaN.
  static Label FromReal(double value);

  bool is_integer() const { return !is_real_; }
  // REQUIRES: is_integer().
  std::int64_t integer() const { return integer_; }
  // Nearest double of either kind.
  double real() const {
    return is_real_ ? real_ : static_cast<double>(integer_);
  }
  // "7", "0.5": shortest text that reads back as the same value.
  std::string ToString() const;

  friend bool operator==(const Label& a, const Label& b) {
    return a.is_real_ == b.is_real_ &&
           (a.is_real_ ? a.real_ == b.real_ : a.integer_ == b.integer_);
  }

 private:
  bool is_real_ = false;
  union {
    std::int64_t integer_ = 0;
    double real_;
  };
};

}  // namespace shardine

#endif  // SHARDINE_LABEL_H_
