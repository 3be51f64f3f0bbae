// SlotFiller: from a sample that was read to its place in a batch: labels, id,
// pixels and fields.
#ifndef SHARDINE_LOAD_SLOT_FILLER_H_
#define SHARDINE_LOAD_SLOT_FILLER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "dataset/proved_samples.h"
#include "dataset/sample_source.h"
#include "image/array_resampler.h"
#include "image/image_decoder.h"
#include "load/batch_buffers.h"
#include "load/field_follower.h"
#include "load/view_maker.h"
#include "pixels/pixels.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

// A place in a batch, and the values that decide its pixels.
struct Slot {
  std::uint32_t number = 0;
  std::uint64_t position = 0;    // of the sample in the dataset
  std::uint64_t epoch = 0;       // whose draws it has
  std::uint64_t repetition = 0;  // of the sample in the epoch
};

// One for each thread; used for one sample after another. Failures do not say
// which sample it was.
class SlotFiller {
 public:
  // Both must outlive it. `proved`: of the source, if entry points are to be
  // proved; null: they are taken as they are.
  explicit SlotFiller(const LoaderOptions& options,
                      ProvedSamples* proved = nullptr);

  // Fills all of a slot from the read and its status. LoaderOptions::on_bad
  // decides about a bad sample, LoaderOptions::unsupported about an image of a
  // kind that is not decoded. `source` names the sample if nothing was read. A
  // failure fails the batch.
  Status Fill(const Slot& slot, Status read_status, const SampleSource& source,
              SampleRead& read, BatchBuffers& batch);

  // Writes the facts of a sample that do not depend on its payload.
  // kUnsupported: another number of labels than the batch's, or one outside of
  // the classes of LoaderOptions::one_hot.
  Status SetFacts(const Slot& slot, const IndexEntry& entry,
                  BatchBuffers& batch) const;

  // Decodes into the slot, and sets its fields: of bytes, views of the payload.
  // A warning of the decoder is a failure, kCorrupt; kUnsupported: the image is
  // none, or a field differs from the first sample's type or shape (a ragged
  // one: from its type).
  Status SetContent(const Slot& slot, const SampleRead& read,
                    BatchBuffers& batch);

  // Noise, the same in all slots, and the labels of the first sample.
  void SetSynthetic(const Slot& slot, BatchBuffers& batch);

  // How many images had entry points that are not theirs, since the last call.
  std::uint64_t TakeRefused() { return std::exchange(refused_, 0); }

  // A sample that is gray or was dropped, and why.
  struct Tolerated {
    Status why;
    bool is_unsupported = false;  // else it is bad
  };
  // The one that Fill() had last, if it was such a one.
  std::optional<Tolerated> TakeTolerated() {
    return std::exchange(tolerated_, std::nullopt);
  }

  // Gray pixels, value 128; of fields, zeros or no bytes. The slot is bad.
  void SetGray(const Slot& slot, BatchBuffers& batch);

 private:
  Status Decode(const Slot& slot, const SampleRead& read, BatchBuffers& batch);
  bool IsUndecoded(const SampleRead& read, const Status& failure) const;
  Result<PixelSize> OpenImage(const Slot& slot, const SampleRead& read);
  Status ReadGray(ByteView image);
  void ProveEntryPoints(const Slot& slot);
  Status Resample();
  void SetMix(const Slot& slot, BatchBuffers& batch) const;

  const LoaderOptions& options_;
  ProvedSamples* const proved_;
  std::deque<ViewMaker> views_;              // with a transform
  std::vector<const DrawnGeometry*> drawn_;  // of the views
  FieldFollower follower_;
  std::vector<RegionTarget> targets_;  // of the sample at work, one for a view
  ImageDecoder decoder_;
  PixelView array_;  // of the sample at work, where no decoder is needed
  ArrayResampler array_resampler_;
  PixelBuffer gray_;     // of the sample at work, if LoaderOptions::gray
  ByteBuffer arranged_;  // of the sample at work, if its axes are moved
  std::uint64_t refused_ = 0;
  std::optional<Tolerated> tolerated_;
  bool is_undecoded_ = false;  // the image of the sample at work
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_SLOT_FILLER_H_
