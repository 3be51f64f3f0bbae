// LoaderOptions: the batches that a Loader (loader.h) makes of a dataset, and
// how.
#ifndef SHARDINE_LOADER_OPTIONS_H_
#define SHARDINE_LOADER_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shardine/array_layout.h"
#include "shardine/buckets.h"
#include "shardine/entry_points.h"
#include "shardine/follow.h"
#include "shardine/mixing.h"
#include "shardine/sample.h"
#include "shardine/sampling.h"
#include "shardine/transform.h"

namespace shardine {

enum class SampleOrder : std::uint8_t {
  kShuffle,     // an exact permutation of all samples
  kBlocks,      // of blocks of neighbours, and inside a window: fewer seeks
  kSequential,  // as stored
  // Rectangular validation: by ascending width / height, equal ones as stored.
  // The sides of a square CenterCrop, which is the transform, become those of
  // each batch: the mean ratio of its images, the shorter side as it was, both
  // multiples of 8.
  kRatio,
};

struct OrderOptions {
  SampleOrder order = SampleOrder::kShuffle;
  std::uint64_t block = 1024;  // samples; of kBlocks
  std::uint64_t window = 16;   // blocks that are mixed
  // Machines that share the ranks of kBlocks or kSequential, as many each, one
  // machine's ranks being neighbours. Each reads a part of its own, neighbours
  // in the dataset and the same in every epoch, so that caches of machines hold
  // different samples; they are mixed inside the part alone. World is a
  // multiple of it; not with kRoll. Other nodes are another order.
  std::uint32_t nodes = 1;

  friend bool operator==(const OrderOptions&, const OrderOptions&) = default;
};

// The fate of the samples that fill no whole step.
enum class LastBatch : std::uint8_t {
  kDrop,   // not delivered
  kShort,  // dealt out to all ranks, a sample more or less: nothing twice
  kPad,    // filled up from the epoch's beginning
  kRoll,   // filled up from the next epoch, which begins after them
};

// The fate of a damaged sample: bytes that fail their checksum, an image that
// is cut or is none, or a sample without a field that the batch needs.
enum class OnBadSample : std::uint8_t {
  kFail,  // Next() fails with its shard, record and key
  kDrop,  // its batch is shorter
  kGray,  // gray pixels, its label stays
};

// The fate of a sound image of a kind that is not decoded, such as HEIC.
enum class OnUnsupported : std::uint8_t {
  kFail,  // Create() fails where the index knows such an image, else Next()
  kDrop,  // its batch is shorter
};

struct LoaderOptions {
  std::uint32_t batch_size = 0;  // samples of this rank in a step; above 0
  OrderOptions order;
  std::uint64_t seed = 0;
  std::uint32_t rank = 0;
  std::uint32_t world = 1;  // ranks
  LastBatch last_batch = LastBatch::kDrop;
  // None: the bytes of images as they are stored, or `fields` alone.
  std::optional<Transform> transform;
  // Beside the transform, which is view 0: 255 at most, of the same read.
  std::vector<Transform> more_views;
  // The field that a transform makes pixels of, and that is delivered where
  // there is neither a transform nor `fields`: an encoded image, or an array
  // |u1 of height x width, or of three axes, with 1, 3 or 4 channels in the
  // order of `image_layout`. Gray becomes three channels, a fourth is left out.
  // Entry points are those of the field "image" alone.
  std::string image{kImageField};
  // The axes of images that are arrays. Pixels of kHwc stay in their order: of
  // BGR, pixels are BGR; kBgr and kBgrPlanes make RGB of it.
  ArrayLayout image_layout = ArrayLayout::kHwc;
  // Encoded images are read as gray, as OpenCV's IMREAD_GRAYSCALE does, and all
  // three channels are that: of a JPEG its luma, of a PNG's colors (9797 red +
  // 19234 green + 3737 blue) / 2^15, of 16 bits the high byte. They are decoded
  // whole. Images that are arrays stay as they are.
  bool gray = false;
  // Names of fields that are delivered as they are, with pixels or without.
  // Arrays have the type and shape in all samples that they have in the first;
  // a sample of another is a bad one. Transforms move those that `follow`
  // names; boxes() tell the crop of the image.
  std::vector<std::string> fields;
  // The shapes of `fields` differ from sample to sample, and a sample may be
  // without (BatchField::present). One of another type than the first sample
  // that has the field is a bad one; that sample is looked for in the indexes,
  // in all of them if there is none.
  bool ragged = false;
  PixelFormat pixels;
  OnBadSample on_bad = OnBadSample::kFail;
  OnUnsupported unsupported = OnUnsupported::kFail;
  EntryPointTrust entry_points = EntryPointTrust::kTrusted;
  unsigned threads = 0;  // 0: this process's share of the processors
  // Threads that wait for storage, each for eight samples at a time; 0: two, or
  // more where there are many threads, and 64 of a server.
  unsigned readers = 0;
  std::uint32_t prefetch = 0;  // batches ready in advance; 0: as many as
                               // keep the threads busy
  // With kBlocks and kSequential: bytes of the next samples that are
  // prefetched, in ranges as large as their blocks; 0: none. A local disk reads
  // them into the kernel's cache. At most so many bytes of a server's answers
  // are held: half of it for the window that samples are taken from, half for
  // the next; of a window that is larger, the rest is read sample by sample. A
  // rank of several holds its own samples, and up to 64 KiB in between.
  std::uint64_t fetch_bytes = std::uint64_t{512} << 20;
  // With a transform: batches of the same shapes whose content costs nothing:
  // noise, the first sample's labels, positions as ids: an upper bound of
  // speed.
  bool synthetic = false;
  // Which of `fields` follow the image. Not with mixing that is applied, nor
  // with ImageRecordCrop or apply_exif.
  FollowOptions follow;
  // A field of the image's height and width, such as a mask, that `follow` does
  // not name stays as it is while the transform moves the image. Else it is
  // refused.
  bool fields_stay = false;
  // So many of the latest events are kept for WriteTrace().
  std::uint32_t trace_events = 0;
  // Positions in the dataset, each once: the samples of an epoch, in place of
  // all. Orders take this list as the stored order, and neighbours in it as
  // neighbours.
  std::shared_ptr<const std::vector<std::uint64_t>> positions;
  // Mixes the pixels of one view, of samples with one label each.
  MixOptions mix;
  // Rows for Batch::one_hot(), of samples with one label each.
  OneHot one_hot;
  // Which of these an epoch has, and how often; by default each once.
  Sampling sampling;
  // If any: each batch has images of one bucket in its shape, all ranks of the
  // same one in a step. The samples of an epoch come in their order, each joins
  // its bucket, and a bucket that has batch_size * world of them is the next
  // step; `last_batch` decides about the rest of each bucket, at the end of the
  // epoch. 255 at most, each of another aspect ratio.
  //
  // The transform is a Resize, which makes the whole image the batch's shape; a
  // CenterCrop, which cuts the middle of the image in the least size that
  // covers the bucket, its `resize` its own shorter side; or a
  // RandomResizedCrop, whose ratios are relative to the bucket's. Its width and
  // height are those of one of the buckets. Orders are kShuffle, kBlocks and
  // kSequential, each sample once, of one view and without `nodes`. Indexes
  // have to know the sizes of images; samples of unknown size are an error, or
  // join the first bucket where `on_bad` tolerates them.
  std::vector<Bucket> buckets;
  // Next() calls it, in the consumer's thread, with a sentence about bad
  // samples (load/bad_report.h). By default the sentence is a line on standard
  // error.
  std::function<void(const std::string&)> on_warning;
};

}  // namespace shardine

#endif  // SHARDINE_LOADER_OPTIONS_H_
