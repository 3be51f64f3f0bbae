#include "jpeg/exp_golomb.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace shardine::exp_golomb_test {
namespace {

using namespace std::string_literals;

std::string Write(const std::vector<std::uint64_t>& numbers,
                  std::uint32_t order) {
  std::string out;
  GolombWriter writer(out);
  for (const std::uint64_t number : numbers) writer.Put(number, order);
  writer.Finish();
  return out;
}

}  // namespace

TEST_CASE(
    "an Exp-Golomb code is as many zeros as the number has more bits "
    "than its order",
    "[jpeg]") {
  CHECK(Write({0, 1, 2, 3}, 0) == "\xA6\x40"s);  // 1 010 011 00100
  CHECK(Write({0, 7, 8}, 3) == "\x8F\x40\0"s.substr(0, 2) + ""s);
  CHECK(GolombBits(0, 0) == 1);
  CHECK(GolombBits(7, 3) == 4);
  CHECK(GolombBits(8, 3) == 6);
  CHECK(GolombBits(kGolombLimit - 1, 0) == 57);
}

TEST_CASE("signs are folded into the lowest bit", "[jpeg]") {
  CHECK(FoldSign(0) == 0);
  CHECK(FoldSign(-1) == 1);
  CHECK(FoldSign(1) == 2);
  CHECK(FoldSign(-65535) == 131069);
  for (std::int64_t value = -70000; value < 70000; value += 7) {
    REQUIRE(UnfoldSign(FoldSign(value)) == value);
  }
}

TEST_CASE("numbers of every size and order come back", "[jpeg]") {
  std::mt19937 random(1);
  for (std::uint32_t order = 0; order <= kMaxGolombOrder; ++order) {
    std::vector<std::uint64_t> numbers = {0, kGolombLimit - 1, 1};
    for (int i = 0; i < 500; ++i) {
      numbers.push_back((random() % kGolombLimit) >> (random() % 28));
    }
    const std::string bytes = Write(numbers, order);
    GolombReader reader(AsBytes(bytes));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      CAPTURE(order, i);
      std::uint64_t number = 0;
      if (i % 3 == 0) reader.Load();
      REQUIRE(reader.Take(order, number));
      REQUIRE(number == numbers[i]);
    }
    CHECK_FALSE(reader.Overran());
    CHECK(reader.AtEnd());
  }
}

TEST_CASE("what stands behind the last code is told from nothing", "[jpeg]") {
  const auto at_end = [](const std::string& bytes) {
    GolombReader reader(AsBytes(bytes));
    std::uint64_t number = 0;
    REQUIRE(reader.Take(0, number));
    return reader.AtEnd();
  };
  CHECK(at_end("\x80"s));
  CHECK_FALSE(at_end("\x81"s));
  CHECK_FALSE(at_end("\x80\0"s));
}

TEST_CASE("codes that are cut or too long are no numbers", "[jpeg]") {
  std::uint64_t number = 0;
  GolombReader empty{ByteView()};
  CHECK_FALSE(empty.Take(0, number));
  CHECK(empty.AtEnd());
  const std::string zeros(20, '\0');
  GolombReader reader(AsBytes(zeros));
  CHECK_FALSE(reader.Take(kMaxGolombOrder, number));
  const std::string long_code = "\0\0\0\x04\0\0\0\0"s;  // 59 bits
  GolombReader too_long(AsBytes(long_code));
  CHECK_FALSE(too_long.Take(0, number));
  const std::string cut_code = "\x10"s;  // the first 8 bits of 7 + 1 would do
  GolombReader cut(AsBytes(cut_code));
  CHECK(cut.Take(2, number));
  CHECK(cut.Overran());
  CHECK_FALSE(cut.AtEnd());
}

}  // namespace shardine::exp_golomb_test
