// BaselineDecoder: the pixels of a region of a JPEG, bit for bit those of
// libjpeg-turbo's full decode, from no more of the scan than it takes.
#ifndef SHARDINE_JPEG_BASELINE_DECODER_H_
#define SHARDINE_JPEG_BASELINE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/geometry.h"
#include "jpeg/jpeg_frame.h"

namespace shardine {

// Thread-compatible; used for one image after another: memory and tables are
// kept.
class BaselineDecoder {
 public:
  BaselineDecoder();
  ~BaselineDecoder();
  BaselineDecoder(BaselineDecoder&&) noexcept;
  BaselineDecoder& operator=(BaselineDecoder&&) noexcept;

  // Begins a region. `entry_points` are in the compact form; empty: there are
  // none. False if they cannot be those of this file. `jpeg` and `frame` must
  // stay until the last row.
  // REQUIRES: `frame` was read from `jpeg`; the region has pixels and lies in
  // it.
  bool Begin(ByteView jpeg, const JpegFrame& frame, const Region& region,
             ByteView entry_points);

  // Whether `entry_points` are those of this file, all of them: decodes the
  // entropy-coded data of the whole scan, at the rate of the region's. Ends any
  // region. REQUIRES: `frame` was read from `jpeg`.
  bool ProveEntryPoints(ByteView jpeg, const JpegFrame& frame,
                        ByteView entry_points);

  std::uint32_t channels() const;  // 1 for gray, else 3, R first

  // The next rows of the region, `stride` bytes apart. False at damage, or
  // possible damage, in the data read so far, or where entry points and data
  // disagree: libjpeg then decides the outcome.
  // REQUIRES: no more rows than are left.
  bool ReadRows(std::uint8_t* rows, std::size_t stride, std::uint32_t count);

  // True if libjpeg-turbo would warn of nothing in the whole file. Entry points
  // promise it: only such files have some.
  // REQUIRES: the region was the whole image and all its rows were read.
  bool Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_BASELINE_DECODER_H_
