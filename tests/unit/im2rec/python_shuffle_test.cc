#include "im2rec/python_shuffle.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace shardine::python_shuffle_test {
namespace {

std::vector<int> Shuffled(std::size_t size, std::uint32_t seed) {
  std::vector<int> items(size);
  std::iota(items.begin(), items.end(), 0);
  PythonShuffle(std::span<int>(items), seed);
  return items;
}

// "size: item item ...\n" for each size, as the script below prints it.
std::string Describe(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const std::size_t size : sizes) {
    text += std::to_string(size) + ":";
    for (const int item : Shuffled(size, 100)) {
      text += ' ' + std::to_string(item);
    }
    text += '\n';
  }
  return text;
}

std::string AskPython(const std::vector<std::size_t>& sizes) {
  std::string command =
      "python3 -c '\n"
      "import random, sys\n"
      "for n in map(int, sys.argv[1:]):\n"
      "    x = list(range(n))\n"
      "    random.seed(100)\n"
      "    random.shuffle(x)\n"
      "    print(\" \".join([str(n) + \":\"] + [str(i) for i in x]))\n"
      "'";
  for (const std::size_t size : sizes) command += ' ' + std::to_string(size);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string answer;
  char block[4096];
  while (const std::size_t size =
             std::fread(block, 1, sizeof(block), pipe.get())) {
    answer.append(block, size);
  }
  return answer;
}

TEST_CASE("PythonShuffle pins the order of ten items", "[im2rec]") {
  CHECK(Shuffled(10, 100) == std::vector<int>{4, 0, 5, 9, 3, 1, 6, 8, 7, 2});
}

TEST_CASE("PythonShuffle leaves none and one item alone", "[im2rec]") {
  CHECK(Shuffled(0, 100).empty());
  CHECK(Shuffled(1, 100) == std::vector<int>{0});
}

TEST_CASE("PythonShuffle orders lists of many sizes as python3 does",
          "[im2rec]") {
  std::vector<std::size_t> sizes(70);
  std::iota(sizes.begin(), sizes.end(), 0U);
  for (std::size_t power = 128; power <= 2048; power *= 2) {
    sizes.insert(sizes.end(), {power - 1, power, power + 1});
  }
  sizes.insert(sizes.end(), {100, 623, 624, 625, 1000, 2000});
  CHECK(Describe(sizes) == AskPython(sizes));
}

TEST_CASE("PythonShuffle orders a list longer than 2^16 as python3 does",
          "[im2rec]") {
  const std::vector<std::size_t> sizes = {70001};
  // One CHECK of a bool: the texts are too long to print.
  const bool same = Describe(sizes) == AskPython(sizes);
  CHECK(same);
}

TEST_CASE("PythonRandom stays below its bound and reaches every value",
          "[im2rec]") {
  PythonRandom random(7);
  for (const std::size_t bound : {1U, 2U, 3U, 8U, 9U}) {
    std::vector<bool> seen(bound);
    for (int i = 0; i < 300; ++i) {
      const std::size_t drawn = random.Below(bound);
      REQUIRE(drawn < bound);
      seen[drawn] = true;
    }
    CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
  }
}

}  // namespace
}  // namespace shardine::python_shuffle_test
