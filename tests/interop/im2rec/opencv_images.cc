// opencv_images: resizes images from standard input to standard output for
// against_opencv_resize.py. An image is six little-endian u32 (the four sizes,
// channels, filter) and its pixels; the answer is the pixels.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "pixels/opencv_resize.h"

int main() {
  using namespace shardine;
  std::vector<std::uint8_t> in;
  PixelBuffer out;
  std::array<std::uint32_t, 6> job;
  while (std::fread(job.data(), sizeof(job), 1, stdin) == 1) {
    const auto channels = static_cast<std::uint8_t>(job[4]);
    const std::size_t stride = std::size_t{job[0]} * channels;
    in.resize(stride * job[1]);
    if (std::fread(in.data(), 1, in.size(), stdin) != in.size()) return 1;
    out.Reset({job[2], job[3]}, channels);
    OpenCvResize({.data = in.data(),
                  .size = {job[0], job[1]},
                  .channels = channels,
                  .stride = stride},
                 static_cast<OpenCvFilter>(job[5]), out);
    const ByteView bytes = out.bytes();
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
      return 1;
    }
    std::fflush(stdout);
  }
  return 0;
}
