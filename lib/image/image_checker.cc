#include "image/image_checker.h"

#include <utility>

#include "image/frame_limits.h"
#include "image/jpeg_decode.h"
#include "image/library_image.h"
#include "image/png_check.h"
#include "image/probe.h"
#include "jpeg/entry_point_finder.h"

namespace shardine {
namespace {

class NoSink final : public RowSink {
 public:
  Status Begin(PixelSize, std::uint8_t) override { return {}; }
  void TakeRows(const std::uint8_t*, std::size_t, std::uint32_t) override {}
};

void SetProblem(ProbeResult probe, ImageVerdict& verdict) {
  verdict.reason = ToString(probe.problem);
  verdict.detail = std::move(probe.detail);
  verdict.offset = probe.offset;
}

}  // namespace

struct ImageChecker::State {
  bool FindEntryPoints(ByteView image);
  void DecodeWhole(ByteView image, ImageVerdict& verdict) const;
  void DecodeByLibrary(ByteView image, ImageVerdict& verdict);
  void CheckJpeg(ByteView image, bool decode, CheckedImage& checked);

  Options options;
  JpegFrame frame;
  SegmentGrid grid;
  EntryPointFinder finder;
  std::vector<EntryPoint> points;
  PixelBuffer pixels;  // of other kinds
};

// True if the image can have entry points, has some now in `points`, and is
// without a fault.
bool ImageChecker::State::FindEntryPoints(ByteView image) {
  grid.Reset(frame);
  return finder.Find(image, frame, grid, points);
}

// The verdict of libjpeg-turbo.
void ImageChecker::State::DecodeWhole(ByteView image,
                                      ImageVerdict& verdict) const {
  NoSink sink;
  JudgeDecode(DecodeJpeg(image, options.limits, {}, sink), verdict);
}

void ImageChecker::State::DecodeByLibrary(ByteView image,
                                          ImageVerdict& verdict) {
  const ImageFacts& facts = verdict.facts;
  NoSink sink;
  if (Status status =
          DecodeLibraryImage(image,
                             {.kind = facts.kind,
                              .region = {0, 0, facts.width, facts.height},
                              .limits = options.limits},
                             pixels, sink);
      !status.ok()) {
    JudgeDecode(std::move(status), verdict);
  }
}

// `decode`: also judges the image, which is good so far, as a decode does.
// Entry points, and damage in their way, are found the same without.
void ImageChecker::State::CheckJpeg(ByteView image, bool decode,
                                    CheckedImage& checked) {
  if (!decode && !options.find_entry_points) return;
  const bool ours = ReadJpegFrame(image, frame) &&
                    AllowsFrame(frame, image.size(), options.limits);
  // An image that passes here decodes without a warning of libjpeg's: the frame
  // is one that it takes as it is, and every bit of the scan was followed to
  // EOI.
  if (ours && FindEntryPoints(image)) {
    if (options.find_entry_points) {
      checked.entry_points = PackEntryPoints(frame, grid, points);
    }
    return;
  }
  // Below the level of a decode the verdict says nothing of pixels. Whether the
  // image is damaged is still asked, so that a file of entry points is the same
  // at any level.
  ImageVerdict unasked;
  ImageVerdict& verdict = decode ? checked.verdict : unasked;
  if (decode || ours) DecodeWhole(image, verdict);
  checked.damaged = ours && options.find_entry_points && !verdict.good();
}

ImageChecker::ImageChecker(const Options& options)
    : state_(std::make_unique<State>()) {
  state_->options = options;
}
ImageChecker::~ImageChecker() = default;
ImageChecker::ImageChecker(ImageChecker&&) noexcept = default;
ImageChecker& ImageChecker::operator=(ImageChecker&&) noexcept = default;

CheckedImage ImageChecker::Check(ByteView image) {
  State& state = *state_;
  const Options& options = state.options;
  ProbeResult probe = ProbeImage(image);
  CheckedImage checked;
  checked.verdict.facts = probe.facts;
  const ImageKind kind = probe.facts.kind;
  const bool bad_header = options.level != ImageCheck::kNone &&
                          probe.problem != ImageProblem::kNone;
  // A PNG without its end marker is whole if its pixels are, which shows where
  // they are inflated.
  const bool unmarked = kind == ImageKind::kPng && !probe.end_marker &&
                        options.level == ImageCheck::kHeader;
  const bool decode =
      !bad_header && (options.level == ImageCheck::kDecode || unmarked);
  if (bad_header) SetProblem(std::move(probe), checked.verdict);
  if (kind == ImageKind::kJpeg) {
    state.CheckJpeg(image, decode, checked);
  } else if (decode && IsLibraryKind(kind)) {
    state.DecodeByLibrary(image, checked.verdict);
  } else if (decode && kind == ImageKind::kPng) {
    if (Status status = CheckPng(image, options.limits); !status.ok()) {
      JudgeDecode(std::move(status), checked.verdict);
    }
  }
  return checked;
}

}  // namespace shardine
