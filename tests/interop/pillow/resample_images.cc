// resample_images [LEVEL]: resamples images from standard input to standard
// output for against_pillow_resize.py. An image is nine little-endian u32 (the
// four sizes, channels, filter, order, flip, rows per push) and its pixels; the
// answer is the pixels. LEVEL is a number of simd_level.h.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/simd_level.h"
#include "pixels/resampler.h"

int main(int argc, char** argv) {
  using namespace shardine;
  if (argc > 1 && !LimitSimd(static_cast<SimdLevel>(std::atoi(argv[1])))) {
    std::fputs("no such instructions here\n", stderr);
    return 2;
  }
  Resampler resampler;
  std::vector<std::uint8_t> in;
  std::vector<std::uint8_t> out;
  std::array<std::uint32_t, 9> job;
  while (std::fread(job.data(), sizeof(job), 1, stdin) == 1) {
    const ResampleSpec spec{{job[0], job[1]},
                            {job[2], job[3]},
                            static_cast<std::uint8_t>(job[4]),
                            static_cast<Filter>(job[5]),
                            static_cast<PassOrder>(job[6]),
                            job[7] != 0};
    const std::size_t stride = std::size_t{job[0]} * job[4];
    const std::size_t out_stride = std::size_t{job[2]} * job[4];
    in.resize(stride * job[1]);
    out.assign(out_stride * job[3], 0xEE);
    if (std::fread(in.data(), 1, in.size(), stdin) != in.size()) return 1;
    resampler.Begin(spec, out.data(), out_stride);
    for (std::uint32_t y = 0; y < job[1];) {
      const std::uint32_t count = std::min(job[8], job[1] - y);
      // Exactly these rows, so that a read beyond them is seen.
      const std::vector<std::uint8_t> rows(
          in.begin() + static_cast<std::ptrdiff_t>(stride * y),
          in.begin() + static_cast<std::ptrdiff_t>(stride * (y + count)));
      resampler.Push(rows.data(), stride, count);
      y += count;
    }
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) return 1;
    std::fflush(stdout);
  }
  return 0;
}
