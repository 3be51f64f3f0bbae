// bench_region MIN_SCALE ROUNDS [CELL] < NAMES: regions of the JPEGs named on
// standard input, one per line, by our decoder and by libjpeg-turbo's crop and
// skip, on one thread, all in memory. Boxes are RandomResizedCrop's with areas
// from MIN_SCALE. Before anything is timed, all pixels are compared with those
// of libjpeg-turbo's full decode, and the resampled ones with the resampled
// crop of it. Prints "NAME CPU-SECONDS" of all images, the best of the rounds.
// SHARDINE_SIMD limits the instructions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/crop_boxes.h"
#include "bench/turbo_crop.h"
#include "image/image_checker.h"
#include "image/image_decoder.h"
#include "pixels/buffer_sink.h"
#include "pixels/resampler.h"

namespace shardine {
namespace {

constexpr PixelSize kTarget{224, 224};

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Photo {
  std::string name;
  std::string bytes;
  std::string entry_points = {};
  Region box = {};
  PixelSize size = {};
  Region whole() const { return {0, 0, size.width, size.height}; }
};

[[noreturn]] void Fail(const Photo& photo, const std::string& what) {
  std::cerr << photo.name << ": " << what << '\n';
  std::exit(1);
}

// Pixels into the void, but written.
struct NoSink final : RowSink {
  Status Begin(PixelSize, std::uint8_t) override { return {}; }
  void TakeRows(const std::uint8_t*, std::size_t, std::uint32_t) override {}
};

class Bench {
 public:
  Bench(double min_scale, int rounds, std::string only)
      : rounds_(rounds), only_(std::move(only)), boxes_(1, min_scale) {}

  void Add(std::string name) {
    std::ifstream file(name, std::ios::binary);
    Photo photo{.name = std::move(name),
                .bytes = {std::istreambuf_iterator<char>(file), {}}};
    CheckedImage checked =
        ImageChecker({.find_entry_points = true}).Check(AsBytes(photo.bytes));
    photo.entry_points = std::move(checked.entry_points);
    photo.size = {checked.verdict.facts.width, checked.verdict.facts.height};
    photo.box = boxes_.Next(photo.size);
    photos_.push_back(std::move(photo));
  }

  // The pixels of all ways.
  void Check() {
    for (const Photo& photo : photos_) {
      PixelBuffer full = TurboFull(photo);
      PixelBuffer crop = Cut(full, photo.box);
      for (const bool points : {false, true}) {
        if (!Same(Decoded(photo, photo.whole(), points), full)) {
          Fail(photo, "the whole image differs");
        }
        if (!Same(Decoded(photo, photo.box, points), crop)) {
          Fail(photo, "the region differs");
        }
        if (!Same(Resampled(photo, points), Resample(crop))) {
          Fail(photo, "the resampled region differs");
        }
        const PixelBuffer middle =
            Cut(CenterWhole(photo, points), MiddleOf(photo).part);
        if (!Same(Center(photo, points), middle)) {
          Fail(photo, "the middle differs");
        }
      }
    }
  }

  void Run() {
    Time("turbo-full", [&](const Photo& photo) { Turbo(photo, {}); });
    Time("turbo-crop", [&](const Photo& photo) { Turbo(photo, photo.box); });
    Time("turbo-crop-224", [&](const Photo& photo) { TurboResampled(photo); });
    for (const bool points : {false, true}) {
      const std::string with = points ? "-points" : "";
      Time("full" + with, [&](const Photo& photo) {
        Open(photo, points);
        NoSink sink;
        if (!decoder_.Decode(sink).ok()) Fail(photo, "no pixels");
      });
      Time("crop" + with, [&](const Photo& photo) {
        Open(photo, points);
        NoSink sink;
        if (!decoder_.DecodeRegion(photo.box, sink).ok()) Fail(photo, "none");
      });
      Time("crop-224" + with,
           [&](const Photo& photo) { Resampled(photo, points); });
      Time("center-224-of-whole" + with,
           [&](const Photo& photo) { CenterWhole(photo, points); });
      Time("center-224" + with,
           [&](const Photo& photo) { Center(photo, points); });
    }
    ImageChecker checker({.find_entry_points = true});
    Time("find-points",
         [&](const Photo& photo) { checker.Check(AsBytes(photo.bytes)); });
    for (const auto& [name, seconds] : best_) {
      std::printf("%s %.6f\n", name.c_str(), seconds);
    }
    std::size_t bytes = 0, points = 0;
    for (const Photo& photo : photos_) {
      bytes += photo.bytes.size();
      points += photo.entry_points.size();
    }
    std::printf("images %zu\nbytes %zu\npoint-bytes %zu\n", photos_.size(),
                bytes, points);
  }

 private:
  void Open(const Photo& photo, bool points) {
    const Status status =
        decoder_.Open(AsBytes(photo.bytes), {.color = ColorMode::kColor},
                      points ? AsBytes(photo.entry_points) : ByteView());
    if (!status.ok()) Fail(photo, status.message());
  }

  PixelBuffer& Decoded(const Photo& photo, const Region& region, bool points) {
    Open(photo, points);
    BufferSink sink(pixels_);
    if (!decoder_.DecodeRegion(region, sink).ok()) Fail(photo, "no pixels");
    return pixels_;
  }

  PixelBuffer& Resampled(const Photo& photo, bool points) {
    Open(photo, points);
    pixels_.Reset(kTarget, 3);
    if (!decoder_
             .Resample(photo.box, {.size = kTarget}, pixels_.data(),
                       pixels_.stride())
             .ok()) {
      Fail(photo, "no pixels");
    }
    return pixels_;
  }

  // Validation's: the short side to 256, of that the middle.
  static ResampleTarget MiddleOf(const Photo& photo) {
    const std::uint32_t side = std::min(photo.size.width, photo.size.height);
    const PixelSize size{photo.size.width * 256 / side,
                         photo.size.height * 256 / side};
    return {.size = size,
            .part = {(size.width - kTarget.width) / 2,
                     (size.height - kTarget.height) / 2, kTarget.width,
                     kTarget.height}};
  }

  PixelBuffer& Center(const Photo& photo, bool points) {
    Open(photo, points);
    pixels_.Reset(kTarget, 3);
    Resample(photo, MiddleOf(photo));
    return pixels_;
  }

  // All that the middle is then cut from.
  PixelBuffer& CenterWhole(const Photo& photo, bool points) {
    Open(photo, points);
    const ResampleTarget target{.size = MiddleOf(photo).size};
    pixels_.Reset(target.size, 3);
    Resample(photo, target);
    return pixels_;
  }

  void Resample(const Photo& photo, const ResampleTarget& target) {
    if (!decoder_
             .Resample(photo.whole(), target, pixels_.data(), pixels_.stride())
             .ok()) {
      Fail(photo, "no pixels");
    }
  }

  PixelBuffer TurboFull(const Photo& photo) {
    PixelBuffer pixels;
    pixels.Reset(photo.size, 3);
    std::uint8_t* to = pixels.data();
    TurboCrop(photo.bytes, {},
              [&](const std::uint8_t* rows, std::size_t, std::uint32_t count,
                  std::uint32_t, std::uint32_t channels) {
                const std::size_t pixel_count =
                    std::size_t{photo.size.width} * count;
                for (std::size_t i = 0; i < pixel_count * 3; ++i) {
                  *to++ = rows[channels == 3 ? i : i / 3];
                }
              });
    return pixels;
  }

  static void Turbo(const Photo& photo, const Region& region) {
    TurboCrop(photo.bytes, region,
              [](const std::uint8_t*, std::size_t, std::uint32_t, std::uint32_t,
                 std::uint32_t) {});
  }

  void TurboResampled(const Photo& photo) {
    pixels_.Reset(kTarget, 3);
    bool begun = false;
    TurboCrop(
        photo.bytes, photo.box,
        [&](const std::uint8_t* rows, std::size_t stride, std::uint32_t count,
            std::uint32_t x, std::uint32_t channels) {
          if (!begun) {
            resampler_.Begin({.in = {photo.box.width, photo.box.height},
                              .out = kTarget,
                              .channels = static_cast<std::uint8_t>(channels)},
                             pixels_.data(), pixels_.stride());
            begun = true;
          }
          resampler_.Push(rows + std::size_t{x} * channels, stride, count);
        });
  }

  static PixelBuffer Cut(const PixelBuffer& full, const Region& box) {
    PixelBuffer crop;
    crop.Reset({box.width, box.height}, 3);
    for (std::uint32_t y = 0; y < box.height; ++y) {
      const std::uint8_t* row = full.view().row(box.y + y) + box.x * 3;
      std::copy_n(row, box.width * 3, crop.row(y));
    }
    return crop;
  }

  PixelBuffer Resample(const PixelBuffer& crop) {
    PixelBuffer out;
    out.Reset(kTarget, 3);
    resampler_.Begin({.in = crop.size(), .out = kTarget}, out.data(),
                     out.stride());
    resampler_.Push(crop.view().data, crop.stride(), crop.size().height);
    return out;
  }

  static bool Same(const PixelBuffer& a, const PixelBuffer& b) {
    return a.size() == b.size() && AsText(a.bytes()) == AsText(b.bytes());
  }

  void Time(const std::string& name,
            const std::function<void(const Photo&)>& work) {
    if (!only_.empty() && name != only_) return;
    double best = 0;
    for (int round = 0; round < rounds_; ++round) {
      const double begin = CpuSeconds();
      for (const Photo& photo : photos_) work(photo);
      const double seconds = CpuSeconds() - begin;
      if (round == 0 || seconds < best) best = seconds;
    }
    best_.emplace_back(name, best);
  }

  const int rounds_;
  const std::string only_;
  CropBoxes boxes_;
  std::vector<Photo> photos_;
  ImageDecoder decoder_;
  Resampler resampler_;
  PixelBuffer pixels_;
  std::vector<std::pair<std::string, double>> best_;
};

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: bench_region MIN_SCALE ROUNDS [CELL] < NAMES\n";
    return 2;
  }
  shardine::Bench bench(std::atof(argv[1]), std::atoi(argv[2]),
                        argc == 4 ? argv[3] : "");
  for (std::string name; std::getline(std::cin, name);) bench.Add(name);
  bench.Check();
  bench.Run();
  return 0;
}
