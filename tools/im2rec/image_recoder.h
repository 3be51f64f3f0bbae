// ImageRecoder: decodes an image, changes its pixels by the options, and
// encodes it again.
#ifndef SHARDINE_IM2REC_IMAGE_RECODER_H_
#define SHARDINE_IM2REC_IMAGE_RECODER_H_

#include <map>
#include <optional>
#include <vector>

#include "im2rec/file_work.h"
#include "im2rec/pixel_options.h"
#include "image/recoder.h"

namespace shardine {

// Thread-compatible.
class ImageRecoder : public FileWork {
 public:
  explicit ImageRecoder(const PixelOptions& options)
      : options_(options), images_(1) {}

  // kCorrupt with reason and byte for an image of a kind that is not decoded,
  // is damaged, or was decoded with warnings: a record must not hide that.
  Result<ByteBuffer> Do(const FileRequest& request,
                        ByteBuffer contents) override;

 private:
  InterMethod MethodFor(ByteView image, std::uint64_t id) const;
  Recoder& RecoderOf(InterMethod method);

  const PixelOptions options_;
  std::map<InterMethod, Recoder> recoders_;
  std::vector<RecodedImage> images_;
};

// Makes an ImageRecoder for each thread; no work without options.
FileWorkFactory RecoderWork(const std::optional<PixelOptions>& options);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_IMAGE_RECODER_H_
