// bench_resample LEVEL WIDTH HEIGHT TO_WIDTH TO_HEIGHT ROUNDS < PIXELS
// > RESAMPLED: an RGB image by the bilinear filter, over and over; prints the
// CPU seconds of a round on standard error. LEVEL is a number of simd_level.h.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/simd_level.h"
#include "pixels/resampler.h"

namespace {

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace shardine;
  const auto number = [&](int i) {
    return static_cast<std::uint32_t>(std::atoi(argv[i]));
  };
  if (argc != 7 || !LimitSimd(static_cast<SimdLevel>(number(1)))) {
    std::fputs("bench_resample: wrong arguments, or no such level here\n",
               stderr);
    return 2;
  }
  const ResampleSpec spec{{number(2), number(3)}, {number(4), number(5)}};
  const std::size_t stride = std::size_t{spec.in.width} * 3;
  const std::size_t out_stride = std::size_t{spec.out.width} * 3;
  std::vector<std::uint8_t> in(stride * spec.in.height);
  std::vector<std::uint8_t> out(out_stride * spec.out.height);
  if (std::fread(in.data(), 1, in.size(), stdin) != in.size()) return 1;
  const int rounds = std::atoi(argv[6]);
  const double begin = CpuSeconds();
  for (int i = 0; i < rounds; ++i) {
    Resampler resampler;  // the tables are part of it, as they are for peers
    resampler.Begin(spec, out.data(), out_stride);
    resampler.Push(in.data(), stride, spec.in.height);
  }
  std::fprintf(stderr, "%.9f\n", (CpuSeconds() - begin) / rounds);
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
