#include "im2rec/image_recoder.h"

#include <catch2/catch.hpp>
#include <string>

#include "im2rec/pack_list.h"
#include "image/image_decode.h"
#include "image/probe.h"
#include "io/memory_storage.h"
#include "pixels/opencv_resize.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::image_recoder_test {
namespace {

Result<ByteBuffer> Recoded(const PixelOptions& options,
                           const std::string& image, std::uint64_t id = 0) {
  ImageRecoder recoder(options);
  ByteBuffer bytes;
  bytes.Append(AsBytes(image));
  return recoder.Do({.path = "/in/a", .id = id}, std::move(bytes));
}

ImageFacts FactsOf(const Result<ByteBuffer>& image) {
  REQUIRE(image.ok());
  return ProbeImage(image->view()).facts;
}

TEST_CASE("ImageRecoder brings the short side to its size, up and down",
          "[im2rec]") {
  const std::string image = MakeJpeg({.width = 41, .height = 30});
  const ImageFacts down = FactsOf(Recoded({.short_side = 20}, image));
  CHECK(down.width == 27);  // floor(41 * 20 / 30)
  CHECK(down.height == 20);
  const ImageFacts up = FactsOf(Recoded({.short_side = 60}, image));
  CHECK(up.width == 82);
  CHECK(up.height == 60);
  CHECK(FactsOf(Recoded({}, image)).width == 41);
  const ImageFacts square =
      FactsOf(Recoded({.short_side = 20, .center_crop = true}, image));
  CHECK(square.width == 20);
  CHECK(square.height == 20);
}

TEST_CASE("ImageRecoder encodes again even what keeps its size", "[im2rec]") {
  const std::string image = MakeJpeg({.width = 41, .height = 30});
  const auto low = Recoded({.short_side = 30, .quality = 5}, image);
  const auto high = Recoded({.short_side = 30, .quality = 95}, image);
  REQUIRE(low.ok());
  REQUIRE(high.ok());
  CHECK(low->size() < high->size());
}

TEST_CASE("ImageRecoder gives as many channels as the color asks for",
          "[im2rec]") {
  const std::string gray = MakeJpeg({.color = JpegColor::kGray});
  const std::string color = MakeJpeg();
  const std::string alpha = MakePng({.color_type = 6});
  CHECK(FactsOf(Recoded({.color = 1}, gray)).components == 3);
  CHECK(FactsOf(Recoded({.color = 0}, gray)).components == 1);
  CHECK(FactsOf(Recoded({.color = -1}, gray)).components == 1);
  CHECK(FactsOf(Recoded({.color = 1}, color)).components == 3);
  CHECK(FactsOf(Recoded({.color = 0}, color)).components == 1);
  CHECK(FactsOf(Recoded({.color = -1}, color)).components == 3);
  CHECK(FactsOf(Recoded({.color = -1, .encoding = Encoding::kPng}, alpha))
            .components == 3);
}

TEST_CASE(
    "ImageRecoder turns images upright unless they are wanted as they "
    "are",
    "[im2rec]") {
  const std::string image = InsertAfterSoi(
      MakeJpeg({.width = 41, .height = 30}), ExifSegment(6, false));
  CHECK(FactsOf(Recoded({.color = 1}, image)).width == 30);
  CHECK(FactsOf(Recoded({.color = 0}, image)).width == 30);
  CHECK(FactsOf(Recoded({.color = -1}, image)).width == 41);
}

TEST_CASE("ImageRecoder has the filter that the record's id draws",
          "[im2rec]") {
  const std::string image = MakeJpeg({.width = 41, .height = 30});
  const PixelOptions random = {.short_side = 20,
                               .inter_method = InterMethod::kRandom};
  for (std::uint64_t id = 0; id < 20; ++id) {
    const auto drawn = Recoded(random, image, id);
    const InterMethod drawn_method =
        ChooseMethod(InterMethod::kRandom, {41, 30}, {27, 20}, id);
    int equal = 0;
    for (int method = 0; method < 5; ++method) {
      const auto one = Recoded(
          {.short_side = 20, .inter_method = static_cast<InterMethod>(method)},
          image, id);
      const bool same = AsText(one->view()) == AsText(drawn->view());
      equal += same ? 1 : 0;
      CHECK(same == (static_cast<InterMethod>(method) == drawn_method));
    }
    CHECK(equal == 1);
  }
}

PixelBuffer PixelsOf(const Result<ByteBuffer>& image) {
  REQUIRE(image.ok());
  PixelBuffer pixels;
  REQUIRE(DecodeImage(image->view(), {}, pixels).ok());
  return pixels;
}

TEST_CASE(
    "ImageRecoder resizes as OpenCV where that is asked for, after the "
    "crop",
    "[im2rec]") {
  const std::string image = MakeJpeg({.width = 41, .height = 30});
  PixelBuffer source;
  REQUIRE(DecodeImage(AsBytes(image), {}, source).ok());
  const PixelView square = {.data = source.view().row(0) + 5 * 3,
                            .size = {30, 30},
                            .channels = 3,
                            .stride = source.stride()};
  for (int method = 0; method < 5; ++method) {
    const auto inter_method = static_cast<InterMethod>(method);
    const PixelOptions options = {.short_side = 17,
                                  .encoding = Encoding::kPng,
                                  .inter_method = inter_method,
                                  .rule = PixelRule::kOpenCv};
    PixelBuffer expected;
    expected.Reset({23, 17}, 3);
    OpenCvResize(source.view(), OpenCvFilterOf(inter_method), expected);
    const PixelBuffer found = PixelsOf(Recoded(options, image));
    REQUIRE(found.size() == expected.size());
    CHECK(AsText(found.bytes()) == AsText(expected.bytes()));

    PixelOptions cropping = options;
    cropping.center_crop = true;
    expected.Reset({17, 17}, 3);
    OpenCvResize(square, OpenCvFilterOf(inter_method), expected);
    CHECK(AsText(PixelsOf(Recoded(cropping, image)).bytes()) ==
          AsText(expected.bytes()));
  }
}

TEST_CASE("ImageRecoder takes the high byte of 16-bit gray, in any rule",
          "[im2rec]") {
  const std::string image = MakePng({.bits = 16, .color_type = 0});
  PixelBuffer clipped;
  REQUIRE(DecodeImage(AsBytes(image), {}, clipped).ok());
  PixelBuffer high;
  REQUIRE(
      DecodeImage(AsBytes(image), {.samples = ColorRule::kOpenCv}, high).ok());
  CHECK(AsText(clipped.bytes()) != AsText(high.bytes()));
  for (const PixelRule rule : {PixelRule::kPillow, PixelRule::kOpenCv}) {
    const PixelOptions options = {
        .color = -1, .encoding = Encoding::kPng, .rule = rule};
    CHECK(AsText(PixelsOf(Recoded(options, image)).bytes()) ==
          AsText(high.bytes()));
  }
}

TEST_CASE("ImageRecoder names a damaged image and the reason", "[im2rec]") {
  std::string cut = MakeJpeg();
  cut.resize(cut.size() - 100);
  const Status status = Recoded({}, cut).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == "/in/a");
  CHECK(status.message().starts_with("no-end-marker: "));
  CHECK(Recoded({}, "").status().message().starts_with("empty: "));
  CHECK(Recoded({}, "GIF89a").status().code() == Code::kCorrupt);
}

TEST_CASE(
    "PackList stores what work made of the files, for any number of "
    "threads",
    "[im2rec]") {
  MemoryStorage storage;
  std::string list;
  for (int i = 0; i < 60; ++i) {
    const std::string name = std::to_string(i) + ".jpg";
    storage.Put("/in/" + name,
                MakeJpeg({.width = 30u + static_cast<std::uint32_t>(i) % 9,
                          .seed = static_cast<std::uint32_t>(i)}));
    list += std::to_string(i) + "\t0\t" + name + "\n";
  }
  storage.Put("/out/a.lst", list);
  std::string first;
  for (const std::size_t threads : {1u, 2u, 7u}) {
    ListPacking packing;
    packing.list = "/out/a.lst";
    packing.parse = [](std::string_view line) {
      auto entry = ParsePythonLine(line, true);
      if (entry.ok()) entry->path.insert(0, "/in/");
      return entry;
    };
    packing.rec = "/out/a.rec";
    packing.work = RecoderWork(
        PixelOptions{.short_side = 16, .inter_method = InterMethod::kRandom});
    packing.threads = threads;
    REQUIRE(PackList(storage, packing).ok());
    const std::string rec = *storage.Get("/out/a.rec");
    if (first.empty()) first = rec;
    CHECK(rec == first);
  }
  storage.Put("/in/40.jpg", "bad");
  storage.Put("/in/50.jpg", "bad, too");
  ListPacking packing;
  packing.list = "/out/a.lst";
  packing.parse = [](std::string_view line) {
    auto entry = ParsePythonLine(line, true);
    if (entry.ok()) entry->path.insert(0, "/in/");
    return entry;
  };
  packing.rec = "/out/b.rec";
  packing.work = RecoderWork(PixelOptions{});
  packing.threads = 7;
  const Status failed = PackList(storage, packing).status();
  CHECK(failed.code() == Code::kCorrupt);
  CHECK(failed.message().starts_with("line 41: /in/40.jpg"));
  CHECK_FALSE(storage.Stat("/out/b.rec").ok());
}

TEST_CASE("There is no work without options of pixels", "[im2rec]") {
  CHECK_FALSE(RecoderWork(std::nullopt));
}

}  // namespace
}  // namespace shardine::image_recoder_test
