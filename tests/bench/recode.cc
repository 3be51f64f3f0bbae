// bench_recode SIDES OUT LEVEL < NAMES: makes images of each of the short sides
// (like 160,320) of the files named on standard input, one per line, on one
// thread, and prints the CPU seconds that it took, without reading the files.
// Images are written to OUT/<number>_<side>.jpg, not timed; OUT "-" writes
// none. LEVEL is a number of simd_level.h.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/simd_level.h"
#include "image/recoder.h"

namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<std::uint32_t> ParseSides(const std::string& text) {
  std::vector<std::uint32_t> sides;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    sides.push_back(static_cast<std::uint32_t>(std::stoul(part)));
  }
  return sides;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace shardine;
  if (argc != 4 || !LimitSimd(static_cast<SimdLevel>(std::atoi(argv[3])))) {
    std::cerr << "usage: bench_recode SIDES OUT LEVEL < NAMES\n";
    return 2;
  }
  const std::vector<std::uint32_t> sides = ParseSides(argv[1]);
  const std::string out = argv[2];
  Recoder recoder({}, sides);
  std::vector<RecodedImage> images(sides.size());
  double seconds = 0;
  std::size_t number = 0;
  for (std::string name; std::getline(std::cin, name); ++number) {
    const std::string bytes = ReadAll(name);
    const double begin = CpuSeconds();
    const RecodeResult result = recoder.Recode(AsBytes(bytes), images);
    seconds += CpuSeconds() - begin;
    if (!result.made) {
      std::cerr << name << ": " << result.verdict.reason << '\n';
      return 1;
    }
    for (std::size_t i = 0; out != "-" && i < sides.size(); ++i) {
      std::ofstream file(out + "/" + std::to_string(number) + "_" +
                             std::to_string(sides[i]) + ".jpg",
                         std::ios::binary);
      file << AsText(images[i].bytes.view());
    }
  }
  std::cout << number << ' ' << seconds << '\n';
  return 0;
}
