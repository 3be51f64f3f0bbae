#include "jpeg/stuffed_bits.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::stuffed_bits_test {
namespace {

using namespace std::string_literals;

// In memory of its own size, so that sanitizers see bytes outside.
class Data {
 public:
  explicit Data(const std::string& text) : bytes_(text.begin(), text.end()) {}

  const std::uint8_t* begin() const { return bytes_.data(); }
  const std::uint8_t* end() const { return begin() + bytes_.size(); }
  BitWindow Window() const { return RefillBytewise({.next = begin()}, end()); }
  // The place in bits of the data, after `taken` of them.
  std::ptrdiff_t PlaceAfter(std::uint32_t taken) const {
    BitWindow window = Window();
    window.count -= taken;
    const BitPlace place = PlaceOf(window, begin());
    return (place.byte - begin()) * 8 + place.bit;
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

TEST_CASE("a window leaves out stuffed zeros", "[jpeg]") {
  const Data data("\x12\xFF\0\x34\xFF\0\xFF\0\0\x56\x78\x9A"s);
  const BitWindow window = data.Window();
  CHECK(window.count == 56);
  CHECK(window.bits >> 8 == 0x12FF34FFFF0056);
  CHECK(window.next == data.begin() + 10);
  CHECK(window.valid());
}

TEST_CASE("behind a marker, or the end, a window has zeros that are not there",
          "[jpeg]") {
  for (const std::string& text :
       {"\x12\x34\xFF\xD9\x56\x78\x9A\xBC\xDE\xF0"s, "\x12\x34"s,
        "\x12\x34\xFF"s, "\x12\x34\xFF\xFF\0\x11\x11\x11\x11"s}) {
    const Data data(text);
    BitWindow window = data.Window();
    CHECK(window.bits == std::uint64_t{0x1234} << 48);
    CHECK(window.made_up == window.count - 16);
    CHECK(window.next == data.begin() + 2);
    window.count -= 16;
    CHECK(window.valid());
    window.count -= 1;
    CHECK_FALSE(window.valid());
    window = RefillBytewise(window, data.end());
    CHECK_FALSE(window.valid());
    window.Invalidate();
    window = RefillBytewise(window, data.end());
    CHECK_FALSE(window.valid());
  }
}

TEST_CASE("places count stuffed zeros and are never in one", "[jpeg]") {
  const Data data("\xFF\0\x12\xFF\0\0\x34\xFF\0\xFF\xD9"s);
  CHECK(data.PlaceAfter(0) == 0);
  CHECK(data.PlaceAfter(7) == 7);
  CHECK(data.PlaceAfter(8) == 16);
  CHECK(data.PlaceAfter(16) == 24);
  CHECK(data.PlaceAfter(23) == 31);
  CHECK(data.PlaceAfter(24) == 40);
  CHECK(data.PlaceAfter(33) == 49);
  CHECK(data.PlaceAfter(40) == 56);
  CHECK(data.PlaceAfter(48) == 72);
}

TEST_CASE("a zero behind what is not the data's FF is data", "[jpeg]") {
  const std::string bytes = "\xFF\0\x12"s;
  const Data data(bytes);
  BitWindow window = RefillBytewise({.next = data.begin() + 1}, data.end());
  CHECK(window.bits == std::uint64_t{0x0012} << 48);
  const BitPlace place = PlaceOf(window, data.begin() + 1);
  CHECK(place.byte == data.begin() + 1);
  CHECK(place.bit == 0);
}

}  // namespace shardine::stuffed_bits_test
