#include "image/jpeg_session.h"

#include <jerror.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "base/status_macros.h"
#include "image/undecoded_kind.h"

namespace shardine {
namespace {

J_COLOR_SPACE OutputColors(J_COLOR_SPACE stored) {
  switch (stored) {
    case JCS_YCbCr:
      return JCS_RGB;
    case JCS_YCCK:
      return JCS_CMYK;
    default:
      return stored;
  }
}

}  // namespace

JpegSession::JpegSession(ByteView jpeg, const DecodeLimits& limits)
    : jpeg_(jpeg),
      limits_(limits),
      progress_{.manager = {},
                .max_scans = limits.max_scans,
                .bytes = jpeg.size(),
                .work = JpegWork(limits)} {
  info_.err = jpeg_std_error(&errors_.manager);
  errors_.manager.error_exit = &OnError;
  errors_.manager.emit_message = &OnMessage;
  progress_.manager.progress_monitor = &OnProgress;
}

JpegSession::~JpegSession() { jpeg_destroy_decompress(&info_); }

void JpegSession::OnError(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  if (!errors->too_many_scans && !errors->too_much_work) {
    info->err->format_message(info, errors->text);
  }
  std::longjmp(errors->jump, 1);
}

void JpegSession::OnMessage(j_common_ptr info, int level) {
  // Levels from 0 on are traces, -1 is a warning.
  if (level >= 0) return;
  auto* errors = reinterpret_cast<Errors*>(info->err);
  ++info->err->num_warnings;
  const int code = info->err->msg_code;
  for (int i = 0; i < errors->kinds; ++i) {
    if (errors->warnings[i].code == code) {
      ++errors->warnings[i].count;
      return;
    }
  }
  // The table has a fixed size, since nothing may be allocated where a longjmp
  // may follow; libjpeg has fewer kinds of warnings.
  if (errors->kinds == kMaxKinds) return;
  Warning& warning = errors->warnings[errors->kinds++];
  warning.code = code;
  warning.count = 1;
  info->err->format_message(info, warning.text);
}

// Called for every row of MCUs of every scan, so a file of endless scans is
// left early.
void JpegSession::OnProgress(j_common_ptr info) {
  auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  auto* progress = reinterpret_cast<Progress*>(info->progress);
  if (decoder->input_scan_number <= 0) return;
  auto* errors = reinterpret_cast<Errors*>(info->err);
  errors->too_many_scans =
      static_cast<std::uint32_t>(decoder->input_scan_number) >
      progress->max_scans;
  errors->too_much_work = !progress->work.AddScanRow(
      *decoder, progress->bytes - decoder->src->bytes_in_buffer);
  if (errors->too_many_scans || errors->too_much_work) OnError(info);
}

// A longjmp skips destructors, so `steps` may hold references and plain data
// only and must call nothing but libjpeg.
template <typename Steps>
Status JpegSession::Run(Steps steps) {
  static_assert(std::is_trivially_destructible_v<Steps>);
  if (setjmp(errors_.jump) != 0) return Failure();
  steps();
  return {};
}

Status JpegSession::Failure() const {
  if (errors_.too_many_scans) {
    return Status(Code::kUnsupported,
                  "more than " + std::to_string(limits_.max_scans) + " scans");
  }
  if (errors_.too_much_work) return TooMuchWork();
  const int code = errors_.manager.msg_code;
  if (code == JERR_ARITH_NOTIMPL) {
    return Status(Code::kUnsupported, kArithmeticCoding);
  }
  if (code == JERR_NO_BACKING_STORE || code == JERR_OUT_OF_MEMORY) {
    return Status(Code::kUnsupported, "decoding needs more than " +
                                          std::to_string(limits_.max_memory) +
                                          " bytes");
  }
  return Status(Code::kCorrupt, errors_.text);
}

Status JpegSession::TooMuchWork() const {
  return Status(Code::kUnsupported,
                "more blocks and scans than an image of so few bytes may "
                "have");
}

Status JpegSession::ReadHeader() {
  SHARDINE_RETURN_IF_ERROR(Run([this] {
    jpeg_create_decompress(&info_);
    info_.progress = &progress_.manager;
    // Beyond this libjpeg would go to temporary files, of which libjpeg-turbo
    // has none: it fails with JERR_NO_BACKING_STORE.
    info_.mem->max_memory_to_use = static_cast<long>(std::min<std::uint64_t>(
        limits_.max_memory, std::numeric_limits<long>::max()));
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(jpeg_.data()),
                 jpeg_.size());
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = OutputColors(info_.jpeg_color_space);
    // The defaults, said here since the decoder of lib/jpeg gives these pixels.
    info_.dct_method = JDCT_ISLOW;
    info_.do_fancy_upsampling = TRUE;
    jpeg_calc_output_dimensions(&info_);
  }));
  const auto [width, height] = size();
  if (std::uint64_t{width} * height > limits_.max_pixels) {
    return Status(Code::kUnsupported,
                  std::to_string(width) + " x " + std::to_string(height) +
                      " pixels are more than the limit of " +
                      std::to_string(limits_.max_pixels));
  }
  if (!progress_.work.AllowsFrame(info_, jpeg_.size())) return TooMuchWork();
  return {};
}

void JpegSession::KeepLuma() {
  if (info_.num_components != 3) return;
  info_.out_color_space = JCS_GRAYSCALE;
  info_.out_color_components = info_.output_components = 1;
}

Status JpegSession::ShrinkTo(std::uint32_t side) {
  const std::uint64_t least =
      std::min<std::uint64_t>(info_.image_width, info_.image_height);
  info_.scale_denom = DCTSIZE;
  info_.scale_num = static_cast<unsigned>(std::clamp<std::uint64_t>(
      (std::uint64_t{side} * DCTSIZE + least - 1) / least, 1, DCTSIZE));
  return Run([this] { jpeg_calc_output_dimensions(&info_); });
}

Status JpegSession::Start() {
  SHARDINE_RETURN_IF_ERROR(Run([this] { jpeg_start_decompress(&info_); }));
  misses_scans_ = MissesScans();
  return {};
}

// Whether coefficients never came in full. A file with several scans has been
// read to its end by now; one scan of a sequential JPEG brings all there is.
// REQUIRES: Start succeeded so far.
bool JpegSession::MissesScans() const {
  for (int i = 0; i < info_.num_components; ++i) {
    if (info_.coef_bits != nullptr) {
      const int* bits = info_.coef_bits[i];
      if (std::any_of(bits, bits + DCTSIZE2, [](int low) { return low != 0; }))
        return true;
    } else if (info_.comp_info[i].quant_table == nullptr) {
      return true;  // no scan had the component
    }
  }
  return false;
}

Status JpegSession::ReadRows(std::uint8_t* rows, std::size_t stride,
                             std::uint32_t count) {
  return Run([this, rows, stride, count] {
    const std::uint32_t first = info_.output_scanline;
    while (info_.output_scanline < first + count) {
      // As many pointers as libjpeg ever fills in one call.
      JSAMPROW targets[MAX_SAMP_FACTOR];
      const std::uint32_t done = info_.output_scanline - first;
      const std::uint32_t step =
          std::min<std::uint32_t>(MAX_SAMP_FACTOR, count - done);
      for (std::uint32_t i = 0; i < step; ++i) {
        targets[i] = rows + stride * (done + i);
      }
      jpeg_read_scanlines(&info_, targets, step);
    }
  });
}

Status JpegSession::Finish() {
  return Run([this] { jpeg_finish_decompress(&info_); });
}

std::vector<DecodeWarning> JpegSession::warnings() const {
  std::vector<DecodeWarning> warnings;
  for (int i = 0; i < errors_.kinds; ++i) {
    warnings.push_back({errors_.warnings[i].text, errors_.warnings[i].count});
  }
  if (misses_scans_) {
    warnings.push_back(
        {"the last scans are missing: some coefficients never "
         "came in full",
         1});
  }
  return warnings;
}

}  // namespace shardine
