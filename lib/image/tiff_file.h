// TiffFile: the first page of a TIFF in memory, opened by libtiff. tiffio.h, so
// for lib/image/*.cc only.
#ifndef SHARDINE_IMAGE_TIFF_FILE_H_
#define SHARDINE_IMAGE_TIFF_FILE_H_

#include <tiffio.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// The tags that decide how pixels are stored.
struct TiffPage {
  PixelSize size;
  std::uint16_t bits = 1;
  std::uint16_t samples = 1;  // a pixel
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t planes = PLANARCONFIG_CONTIG;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t compression = COMPRESSION_NONE;
  std::uint16_t orientation = 0;

  bool is_gray() const {
    return photometric == PHOTOMETRIC_MINISBLACK ||
           photometric == PHOTOMETRIC_MINISWHITE;
  }
};

// Thread-compatible. The bytes must outlive it.
class TiffFile {
 public:
  // No allocation of libtiff's is larger than `max_memory`. Failed where
  // is_open() is false.
  TiffFile(ByteView tiff, std::uint64_t max_memory);

  bool is_open() const { return tiff_ != nullptr; }
  TIFF* get() const { return tiff_.get(); }
  const TiffPage& page() const { return page_; }
  // The first fault that libtiff named; a general one otherwise.
  Status Fault() const;

 private:
  struct Source {
    ByteView bytes;
    std::uint64_t at = 0;
    std::string fault;
  };
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  static tmsize_t Read(thandle_t handle, void* to, tmsize_t count);
  static tmsize_t Write(thandle_t handle, void* from, tmsize_t count);
  static toff_t Seek(thandle_t handle, toff_t offset, int whence);
  static int CloseSource(thandle_t handle);
  static toff_t Size(thandle_t handle);
  static int OnError(TIFF* tiff, void* source, const char* module,
                     const char* format, va_list arguments);
  static int OnWarning(TIFF* tiff, void* source, const char* module,
                       const char* format, va_list arguments);
  void ReadPage();

  // libtiff keeps its address.
  std::unique_ptr<Source> source_;
  std::unique_ptr<TIFF, Close> tiff_;
  TiffPage page_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_TIFF_FILE_H_
