// ResizePipeline: makes the files that are missing.
//
//   workers (read, recode, write under temporary names) -> sequencer
//     -> committer (the calling thread): record, sync, rename, by the batch
//
// A batch is some thousand files: one sync of the file system for all of them,
// and a kill costs no more than that.
#ifndef SHARDINE_RESIZE_RESIZE_PIPELINE_H_
#define SHARDINE_RESIZE_RESIZE_PIPELINE_H_

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "image/deep_image.h"
#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pipeline/sequencer.h"
#include "resize/resize_plan.h"
#include "resize/resize_record.h"
#include "resize/resize_sample.h"
#include "resize/resize_work.h"
#include "shardine/resize.h"
#include "shardine/status.h"
#include "source/source_batch.h"

namespace shardine {

// Used once, by one thread.
class ResizePipeline {
 public:
  struct Parts {
    ReadableStorage& sources;
    const OutputFolder& output;
    const ResizePlan& plan;
    const ResizeOptions& options;
    const ResizeWork& work;
    ResizeRecord& record;  // begun
  };

  // All that `parts` refers to must outlive the pipeline.
  explicit ResizePipeline(const Parts& parts);

  // The failure returned is the first in plan order. Files made before it (and,
  // after kCancelled, before the stop) are kept and recorded; no temporary file
  // stays.
  Status Run(const ProgressFunction& progress, const std::stop_token& stop);

  std::uint64_t made() const { return made_; }  // files
  // Deep images among the images that files were made of.
  const DeepImageCount& deep_images() const { return deep_images_; }

 private:
  struct ResizedBlock {
    std::vector<ResizedSample> samples;  // up to the failure if any
    Status status;
  };

  void CutBlocks();
  Status Work(Sequencer<ResizedBlock>& sequencer, const std::stop_token& stop);
  ResizedBlock ResizeBlock(const SourceBlock& block, SampleResizer& resizer,
                           const std::stop_token& stop) const;
  Status Take(Sequencer<ResizedBlock>& sequencer,
              const ProgressFunction& progress);
  void Add(ResizedBlock& block);
  Status Commit();
  Status SyncAll() const;
  void RemoveTemporaries();

  const Parts parts_;
  std::vector<SourceBlock> blocks_;     // of work.samples
  std::atomic<std::size_t> begun_ = 0;  // blocks that workers took
  Progress progress_;
  std::uint64_t made_ = 0;
  DeepImageCount deep_images_;

  std::size_t taken_ = 0;      // blocks whose samples are in the batch or
  std::size_t committed_ = 0;  // blocks whose files have their names
  bool commit_failed_ = false;
  // The batch: files under temporary names, all there.
  std::vector<std::string> written_;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_RESIZE_RESIZE_PIPELINE_H_
