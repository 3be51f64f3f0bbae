// SampleResizer: reads an image and makes its files, under temporary names, at
// all sizes by one decode.
#ifndef SHARDINE_RESIZE_RESIZE_SAMPLE_H_
#define SHARDINE_RESIZE_RESIZE_SAMPLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "dataset/rejects.h"
#include "image/deep_image.h"
#include "image/recoder.h"
#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "resize/resize_plan.h"
#include "resize/resize_record.h"
#include "shardine/resize.h"
#include "shardine/status.h"
#include "source/source_batch.h"

namespace shardine {

struct ResizedSample {
  std::uint32_t sample = 0;
  std::vector<ResizedFile> files;    // by output
  std::vector<std::string> written;  // paths, less TemporaryName()
  std::optional<Reject> reject;
  DeepImage deep = DeepImage::kNone;  // its image
};

// Keeps memory between samples: one for each thread.
class SampleResizer {
 public:
  // All referenced objects must outlive the resizer.
  SampleResizer(ReadableStorage& sources, const OutputFolder& output,
                const ResizePlan& plan, const ResizeOptions& options)
      : sources_(sources),
        output_(output),
        plan_(plan),
        options_(options),
        recoder_(options.image, options.short_sides),
        images_(options.short_sides.size()) {}

  // The files that Resize() reads of these samples, one after the other.
  SourceBatch BatchOf(std::span<const std::uint32_t> samples) const;
  // Writes the outputs that are `missing`, unsynced. A bad image is handled as
  // the options say: kCorrupt under OnBad::kFail. kChanged: the source differs
  // from the plan. REQUIRES: it is the next sample of the batch.
  Result<ResizedSample> Resize(std::uint32_t sample, SourceBatch& batch,
                               const std::vector<bool>& missing);

 private:
  Status HandleBad(const Status& why, OnBad possible,
                   ResizedSample& resized) const;
  Status WriteFiles(const std::vector<bool>& missing, ResizedSample& resized);
  Status WriteFile(const std::string& path, ByteView contents) const;

  ReadableStorage& sources_;
  const OutputFolder& output_;
  const ResizePlan& plan_;
  const ResizeOptions& options_;
  Recoder recoder_;
  ByteBuffer bytes_;
  std::vector<RecodedImage> images_;
};

}  // namespace shardine

#endif  // SHARDINE_RESIZE_RESIZE_SAMPLE_H_
