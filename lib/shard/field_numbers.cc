#include "shard/field_numbers.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace shardine {
namespace {

template <typename T>
bool Has(double number) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(number) <= static_cast<double>(Limits::max()) &&
           static_cast<double>(static_cast<T>(number)) == number;
  } else {
    // The largest of 64 bits is no double; one more is.
    const double end = std::ldexp(1.0, Limits::digits);
    const bool fits =
        number >= static_cast<double>(Limits::min()) && number < end;
    return fits && static_cast<double>(static_cast<T>(number)) == number;
  }
}

}  // namespace

bool AreNumbers(std::string_view dtype) {
  return WithNumber(dtype, [](auto) {});
}

void AppendNumbers(std::string_view dtype, ByteView bytes,
                   std::vector<double>& numbers) {
  WithNumber(dtype, [&]<typename T>(T value) {
    for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
      std::memcpy(&value, bytes.data() + i, sizeof(T));
      numbers.push_back(static_cast<double>(value));
    }
  });
}

std::vector<std::byte> ElementOf(std::string_view dtype, double number) {
  std::vector<std::byte> bytes;
  if (dtype == "|b1" && number != 0 && number != 1) return bytes;
  WithNumber(dtype, [&]<typename T>(T value) {
    if (!Has<T>(number)) return;
    value = static_cast<T>(number);
    bytes.resize(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
  });
  return bytes;
}

}  // namespace shardine
