#include "image/tiff_file.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>

namespace shardine {

TiffFile::TiffFile(ByteView tiff, std::uint64_t max_memory)
    : source_(std::make_unique<Source>(Source{tiff, 0, {}})) {
  TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
  if (options == nullptr) return;
  TIFFOpenOptionsSetMaxSingleMemAlloc(
      options, static_cast<tmsize_t>(std::min<std::uint64_t>(
                   max_memory, std::numeric_limits<tmsize_t>::max())));
  TIFFOpenOptionsSetErrorHandlerExtR(options, OnError, source_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options, OnWarning, source_.get());
  // m: no memory map. Other pages are not looked at.
  tiff_.reset(TIFFClientOpenExt("image", "rm", source_.get(), Read, Write, Seek,
                                CloseSource, Size, nullptr, nullptr, options));
  TIFFOpenOptionsFree(options);
  if (is_open()) ReadPage();
}

Status TiffFile::Fault() const {
  const std::string& fault = source_->fault;
  return Status(Code::kCorrupt, "TIFF: " + (fault.empty() ? "damaged" : fault));
}

tmsize_t TiffFile::Read(thandle_t handle, void* to, tmsize_t count) {
  auto& source = *static_cast<Source*>(handle);
  if (count <= 0 || source.at >= source.bytes.size()) return 0;
  const std::size_t size = std::min<std::uint64_t>(
      static_cast<std::uint64_t>(count), source.bytes.size() - source.at);
  std::memcpy(to, source.bytes.data() + source.at, size);
  source.at += size;
  return static_cast<tmsize_t>(size);
}

tmsize_t TiffFile::Write(thandle_t /*handle*/, void* /*from*/,
                         tmsize_t /*count*/) {
  return 0;
}

toff_t TiffFile::Seek(thandle_t handle, toff_t offset, int whence) {
  auto& source = *static_cast<Source*>(handle);
  if (whence == SEEK_CUR) offset += source.at;
  if (whence == SEEK_END) offset += source.bytes.size();
  source.at = offset;
  return offset;
}

int TiffFile::CloseSource(thandle_t /*handle*/) { return 0; }

toff_t TiffFile::Size(thandle_t handle) {
  return static_cast<Source*>(handle)->bytes.size();
}

int TiffFile::OnError(TIFF* /*tiff*/, void* source, const char* module,
                      const char* format, va_list arguments) {
  std::string& fault = static_cast<Source*>(source)->fault;
  if (!fault.empty()) return 1;
  std::array<char, 256> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  fault = module != nullptr ? std::string(module) + ": " : std::string();
  fault += text.data();
  return 1;
}

int TiffFile::OnWarning(TIFF* /*tiff*/, void* /*source*/,
                        const char* /*module*/, const char* /*format*/,
                        va_list /*arguments*/) {
  return 1;
}

void TiffFile::ReadPage() {
  TIFF* const tiff = get();
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page_.size.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page_.size.height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page_.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page_.samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page_.format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &page_.planes);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page_.compression);
  TIFFGetField(tiff, TIFFTAG_ORIENTATION, &page_.orientation);
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page_.photometric) == 0) {
    page_.photometric =
        page_.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  }
  if (page_.orientation > 8) page_.orientation = 0;
}

}  // namespace shardine
