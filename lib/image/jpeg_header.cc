#include "image/jpeg_header.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "image/exif.h"
#include "image/jpeg_markers.h"
#include "image/jpeg_scans.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

// The largest side that libjpeg decodes (JPEG_MAX_DIMENSION), a little less
// than 16 bits hold.
constexpr std::uint32_t kMaxSide = 65500;

ImageCoding CodingOf(std::uint8_t frame_marker) {
  switch (frame_marker) {
    case 0xC0:
      return ImageCoding::kBaseline;
    case 0xC1:
      return ImageCoding::kExtended;
    case 0xC2:
      return ImageCoding::kProgressive;
    case 0xC9:
    case 0xCA:
      return ImageCoding::kArithmetic;
    default:
      return ImageCoding::kLossless;
  }
}

std::uint32_t LoadBe16(ByteView from, std::size_t at) {
  return std::to_integer<std::uint32_t>(from[at]) << 8 |
         std::to_integer<std::uint32_t>(from[at + 1]);
}

// `payload`: of a frame header with at least three components.
// CheckFrame has seen that no factor is zero before the divisions here. The
// last of four components is K, of luma's size.
ChromaSampling ChromaOf(ByteView payload, std::size_t components) {
  const auto sampling = [&](std::size_t i) {
    return std::to_integer<unsigned>(payload[7 + 3 * i]);
  };
  const unsigned luma = sampling(0);
  const unsigned chroma = sampling(1);
  const unsigned across = luma >> 4;
  const unsigned down = luma & 15;
  const bool alike =
      sampling(2) == chroma && (components == 3 || sampling(3) == luma);
  if (!alike || across % (chroma >> 4) != 0 || down % (chroma & 15) != 0) {
    return ChromaSampling::kOther;
  }
  switch (across / (chroma >> 4) * 16 + down / (chroma & 15)) {
    case 0x11:
      return ChromaSampling::k444;
    case 0x21:
      return ChromaSampling::k422;
    case 0x22:
      return ChromaSampling::k420;
    case 0x12:
      return ChromaSampling::k440;
    case 0x41:
      return ChromaSampling::k411;
    case 0x42:
      return ChromaSampling::k410;
    default:
      return ChromaSampling::kOther;
  }
}

std::string MarkerName(std::uint8_t marker) {
  char name[16];
  std::snprintf(name, sizeof(name), "marker FF%02X", unsigned{marker});
  return name;
}

class HeaderWalk {
 public:
  explicit HeaderWalk(ByteView bytes) : bytes_(bytes) {
    result_.facts.kind = ImageKind::kJpeg;
  }

  ProbeResult Run() {
    while (Step()) {
    }
    return std::move(result_);
  }

 private:
  // These return false when the walk is over, with or without a problem.
  bool Step();
  bool NextMarker(std::uint8_t& marker);
  bool ReadSegment(std::uint8_t marker, ByteView& payload);
  bool ReadFrame(std::uint8_t marker, ByteView payload);
  bool CheckFrame(ByteView payload);
  bool ReadScan(ByteView payload);
  bool FindEnd();
  bool CheckScans(ByteView first);
  void ReadMetadata(std::uint8_t marker, ByteView payload);
  void ReadExif(ByteView payload);

  bool Fail(ImageProblem problem, std::string detail) {
    result_.problem = problem;
    result_.detail = std::move(detail);
    result_.offset = marker_offset_;
    return false;
  }
  bool CutOff(std::string detail) {
    Fail(ImageProblem::kNoEndMarker, std::move(detail));
    result_.offset = bytes_.size();
    return false;
  }
  std::uint8_t Byte(std::size_t at) const {
    return std::to_integer<std::uint8_t>(bytes_[at]);
  }

  ByteView bytes_;
  std::size_t position_ = 2;
  std::size_t marker_offset_ = 0;
  bool have_frame_ = false;
  bool have_exif_ = false;
  ProbeResult result_;
};

bool HeaderWalk::Step() {
  std::uint8_t marker = 0;
  if (!NextMarker(marker)) return false;
  // These have no segment. They mean nothing here, and libjpeg passes over
  // them.
  if (marker == kTem || (marker >= kRst0 && marker <= kRst7)) return true;
  if (marker >= kJpg0 && marker <= kJpg13) {
    return Fail(ImageProblem::kUnsupported,
                MarkerName(marker) + " of a JPEG extension");
  }
  if (marker == kDhp || marker == kExp) {
    return Fail(ImageProblem::kUnsupported,
                MarkerName(marker) + " of a hierarchical JPEG");
  }
  if (marker < kSof0 || marker == kJpg || marker == kSoi || marker == kEoi) {
    return Fail(ImageProblem::kBadHeader,
                MarkerName(marker) + " before the first scan");
  }
  ByteView payload;
  if (!ReadSegment(marker, payload)) return false;
  if (IsFrame(marker)) return ReadFrame(marker, payload);
  if (marker == kSos) {
    return ReadScan(payload) && FindEnd() && CheckScans(payload);
  }
  ReadMetadata(marker, payload);
  return true;
}

bool HeaderWalk::NextMarker(std::uint8_t& marker) {
  marker_offset_ = position_;
  if (position_ < bytes_.size() && Byte(position_) != 0xFF) {
    return Fail(ImageProblem::kBadHeader, "no marker where one must be");
  }
  while (position_ < bytes_.size() && Byte(position_) == 0xFF) ++position_;
  if (position_ == bytes_.size()) return CutOff("ends inside the header");
  marker = Byte(position_++);
  return true;
}

bool HeaderWalk::ReadSegment(std::uint8_t marker, ByteView& payload) {
  const ByteView rest = bytes_.subspan(position_);
  // Without a whole length the least possible one stands in, and the file is
  // said to be cut off below.
  const std::size_t length = rest.size() < 2 ? 2 : LoadBe16(rest, 0);
  if (length < 2) {
    return Fail(ImageProblem::kBadHeader,
                MarkerName(marker) + ": length " + std::to_string(length));
  }
  if (rest.size() < length) return CutOff("ends inside " + MarkerName(marker));
  payload = rest.subspan(2, length - 2);
  position_ += length;
  return true;
}

bool HeaderWalk::ReadFrame(std::uint8_t marker, ByteView payload) {
  if (have_frame_) {
    return Fail(ImageProblem::kBadHeader, "a second frame header");
  }
  have_frame_ = true;
  ImageFacts& facts = result_.facts;
  facts.coding = CodingOf(marker);
  if (payload.size() < 6) {
    return Fail(ImageProblem::kBadHeader, "the frame header is too short");
  }
  facts.bits = std::to_integer<std::uint8_t>(payload[0]);
  facts.height = LoadBe16(payload, 1);
  facts.width = LoadBe16(payload, 3);
  facts.components = std::to_integer<std::uint8_t>(payload[5]);
  return CheckFrame(payload);
}

bool HeaderWalk::CheckFrame(ByteView payload) {
  const ImageFacts& facts = result_.facts;
  if (facts.components == 0 || payload.size() != 6u + 3u * facts.components) {
    return Fail(ImageProblem::kBadHeader,
                "the frame header's length does not fit its components");
  }
  if (facts.height == 0) {
    return Fail(ImageProblem::kBadHeader, "height 0 (left to a DNL marker)");
  }
  if (facts.width == 0) return Fail(ImageProblem::kBadHeader, "width 0");
  for (std::size_t i = 0; i < facts.components; ++i) {
    const auto sampling = std::to_integer<unsigned>(payload[7 + 3 * i]);
    const unsigned across = sampling >> 4;
    const unsigned down = sampling & 15;
    if (across < 1 || across > 4 || down < 1 || down > 4) {
      return Fail(ImageProblem::kBadHeader, "impossible sampling factors");
    }
  }
  if (facts.coding == ImageCoding::kLossless) {
    return Fail(ImageProblem::kUnsupported, "lossless or hierarchical JPEG");
  }
  if (facts.bits == 12 && facts.coding != ImageCoding::kBaseline) {
    return Fail(ImageProblem::kUnsupported, "12-bit JPEG");
  }
  if (facts.bits != 8) {
    return Fail(ImageProblem::kBadHeader,
                std::to_string(facts.bits) + " bits per component");
  }
  if (facts.components == 2 || facts.components > 4) {
    return Fail(ImageProblem::kUnsupported,
                "JPEG of " + std::to_string(facts.components) + " components");
  }
  if (std::max(facts.width, facts.height) > kMaxSide) {
    return Fail(ImageProblem::kUnsupported,
                "a side of more than " + std::to_string(kMaxSide) + " pixels");
  }
  if (facts.components >= 3) {
    result_.chroma = ChromaOf(payload, facts.components);
  }
  return true;
}

bool HeaderWalk::ReadScan(ByteView payload) {
  if (!have_frame_) {
    return Fail(ImageProblem::kBadHeader, "a scan before the frame header");
  }
  const std::size_t count =
      payload.empty() ? 0 : std::to_integer<std::size_t>(payload[0]);
  if (count < 1 || count > result_.facts.components ||
      payload.size() != 4 + 2 * count) {
    return Fail(ImageProblem::kBadHeader,
                "the scan header does not fit the frame");
  }
  return true;
}

// Entropy-coded data never hold FF D9 and thumbnails lie before the scan, so an
// FF D9 there is an end of image.
bool HeaderWalk::FindEnd() {
  const std::size_t size = bytes_.size();
  const std::size_t start = position_;
  std::size_t end = size;
  while (end >= start + 2) {
    // From the end: most files have few bytes after EOI, and no scan needs to
    // be walked for it.
    const void* found =
        memrchr(bytes_.data() + start + 1, kEoi, end - start - 1);
    if (found == nullptr) break;
    end = static_cast<std::size_t>(static_cast<const std::byte*>(found) -
                                   bytes_.data());
    if (Byte(end - 1) == 0xFF) {
      result_.end_marker = true;
      result_.trailing_bytes = size - end - 1;
      return true;
    }
  }
  return CutOff("no end-of-image marker");
}

// One scan of all components, as in most photos, holds all coefficients.
bool HeaderWalk::CheckScans(ByteView first) {
  const ImageFacts& facts = result_.facts;
  const bool one_scan =
      facts.coding != ImageCoding::kProgressive &&
      std::to_integer<std::uint8_t>(first[0]) == facts.components;
  // `coding` does not tell whether arithmetic coding is progressive, so those
  // scans are walked.
  if (one_scan && facts.coding != ImageCoding::kArithmetic) return false;
  if (HasAllScans(bytes_)) return false;
  Fail(ImageProblem::kMissingScans,
       "ends before its last scans: some coefficients never came in full");
  result_.offset = bytes_.size() - result_.trailing_bytes - 2;
  return false;
}

void HeaderWalk::ReadMetadata(std::uint8_t marker, ByteView payload) {
  const std::string_view text = AsText(payload);
  if (marker == kApp1) {
    ReadExif(payload);
  } else if (marker == kApp2) {
    result_.icc = result_.icc || text.starts_with("ICC_PROFILE\0"sv);
  } else if (marker == kApp14) {
    constexpr std::size_t kTransform = 11;
    if (payload.size() > kTransform && text.starts_with("Adobe")) {
      result_.adobe_transform =
          std::to_integer<std::uint8_t>(payload[kTransform]);
    }
  } else if (marker == kDri && payload.size() == 2) {
    result_.restart_interval = static_cast<std::uint16_t>(LoadBe16(payload, 0));
  }
}

void HeaderWalk::ReadExif(ByteView payload) {
  constexpr std::string_view kName = "Exif\0\0"sv;
  if (have_exif_ || !AsText(payload).starts_with(kName)) return;
  have_exif_ = true;
  result_.facts.orientation = ExifOrientation(payload.subspan(kName.size()));
}

}  // namespace

ProbeResult ProbeJpeg(ByteView bytes) { return HeaderWalk(bytes).Run(); }

}  // namespace shardine
