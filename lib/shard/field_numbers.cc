#include "shard/field_numbers.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace shardine {
namespace {

// Calls use(T()) with the type of that name. False: there is none.
template <typename Use>
bool WithNumber(std::string_view dtype, const Use& use) {
  const auto is = [&]<typename T>(std::string_view name, T value) {
    if (dtype != name) return false;
    use(value);
    return true;
  };
  return is("|b1", false) || is("|u1", std::uint8_t()) ||
         is("|i1", std::int8_t()) || is("<u2", std::uint16_t()) ||
         is("<i2", std::int16_t()) || is("<u4", std::uint32_t()) ||
         is("<i4", std::int32_t()) || is("<u8", std::uint64_t()) ||
         is("<i8", std::int64_t()) || is("<f4", float()) || is("<f8", double());
}

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

template <>
bool Has<bool>(double number) {
  return number == 0 || number == 1;
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
  WithNumber(dtype, [&]<typename T>(T value) {
    if (!Has<T>(number)) return;
    value = static_cast<T>(number);
    bytes.resize(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
  });
  return bytes;
}

}  // namespace shardine
