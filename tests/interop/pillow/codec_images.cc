// codec_images: decodes, encodes and makes images from standard input to
// standard output for against_pillow_codecs.py. All numbers are little-endian
// u32. A job is one number and its arguments; an answer is a byte count and the
// bytes.
//   0 decode: color mode, apply_exif, bytes, image -> width, height, channels,
//     warnings, pixels; or a text if it fails
//   1 encode: encoding, quality or level, subsampling, optimize, width, height,
//     channels, ICC bytes, ICC, pixels -> image
//   2 make a JPEG: width, height, color, quality, across, down, progressive,
//     arithmetic, restart rows, seed, noise -> image
//   3 read the color profile: bytes, image -> profile
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "image/icc_profile.h"
#include "image/image_decode.h"
#include "image/jpeg_encode.h"
#include "image/png_encode.h"
#include "support/jpeg_maker.h"

namespace shardine {
namespace {

template <std::size_t kCount>
std::array<std::uint32_t, kCount> ReadNumbers() {
  std::array<std::uint32_t, kCount> numbers;
  if (std::fread(numbers.data(), sizeof(numbers), 1, stdin) != 1) std::exit(1);
  return numbers;
}

std::string ReadText(std::size_t size) {
  std::string text(size, '\0');
  if (std::fread(text.data(), 1, size, stdin) != size) std::exit(1);
  return text;
}

std::string DecodeJob() {
  const auto [color, apply_exif, size] = ReadNumbers<3>();
  const std::string image = ReadText(size);
  ImageDecodeOptions options;
  options.color = static_cast<ColorMode>(color);
  options.apply_exif = apply_exif != 0;
  PixelBuffer pixels;
  const auto warnings = DecodeImage(AsBytes(image), options, pixels);
  if (!warnings.ok()) return warnings.status().message();
  std::string answer;
  AppendLe(pixels.size().width, answer);
  AppendLe(pixels.size().height, answer);
  AppendLe(std::uint32_t{pixels.channels()}, answer);
  AppendLe(static_cast<std::uint32_t>(warnings->size()), answer);
  return answer.append(AsText(pixels.bytes()));
}

std::string EncodeJob() {
  const auto [encoding, quality, subsampling, optimize, width, height, channels,
              icc_size] = ReadNumbers<8>();
  const std::string icc = ReadText(icc_size);
  const std::string pixels = ReadText(std::size_t{width} * height * channels);
  const PixelView view = {reinterpret_cast<const std::uint8_t*>(pixels.data()),
                          {width, height},
                          static_cast<std::uint8_t>(channels),
                          std::size_t{width} * channels};
  ByteBuffer out;
  const Status status =
      encoding == 0
          ? EncodeJpeg(view,
                       {.quality = quality,
                        .subsampling = static_cast<Subsampling>(subsampling),
                        .optimize = optimize != 0,
                        .icc = AsBytes(icc)},
                       out)
          : EncodePng(view, {.level = quality, .icc = AsBytes(icc)}, out);
  if (!status.ok()) return status.message();
  return std::string(AsText(out.view()));
}

std::string MakeJob() {
  const auto numbers = ReadNumbers<11>();
  return MakeJpeg({.width = numbers[0],
                   .height = numbers[1],
                   .color = static_cast<JpegColor>(numbers[2]),
                   .quality = static_cast<int>(numbers[3]),
                   .across = static_cast<int>(numbers[4]),
                   .down = static_cast<int>(numbers[5]),
                   .progressive = numbers[6] != 0,
                   .arithmetic = numbers[7] != 0,
                   .restart_rows = numbers[8],
                   .seed = numbers[9],
                   .noise = numbers[10]});
}

std::string ProfileJob() {
  const auto [size] = ReadNumbers<1>();
  const std::string image = ReadText(size);
  return std::string(AsText(ReadIccProfile(AsBytes(image)).view()));
}

std::string Answer(std::uint32_t job) {
  switch (job) {
    case 0:
      return DecodeJob();
    case 1:
      return EncodeJob();
    case 2:
      return MakeJob();
    case 3:
      return ProfileJob();
    default:
      std::exit(1);
  }
}

int Main() {
  std::uint32_t job = 0;
  while (std::fread(&job, sizeof(job), 1, stdin) == 1) {
    const std::string answer = Answer(job);
    const auto size = static_cast<std::uint32_t>(answer.size());
    std::fwrite(&size, sizeof(size), 1, stdout);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    if (std::fflush(stdout) != 0) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace shardine

int main() { return shardine::Main(); }
