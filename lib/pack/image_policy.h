// ImagePolicy: the steps of a sample between reading and writing. Its image is
// checked and made in the sizes that are wanted; a bad image is dealt with as
// the user asked.
#ifndef SHARDINE_PACK_IMAGE_POLICY_H_
#define SHARDINE_PACK_IMAGE_POLICY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "io/output_folder.h"
#include "pack/block.h"
#include "pack/checker_pool.h"
#include "pack/pixel_array.h"
#include "shardine/entry_points.h"
#include "shardine/image.h"
#include "shardine/image_check.h"
#include "shardine/image_kinds.h"
#include "shardine/recode.h"
#include "shardine/status.h"
#include "source/shard_plan.h"

namespace shardine {

// Thread-safe.
class ImagePolicy {
 public:
  struct Options {
    OutputFolder output;  // for quarantined files
    OnBad on_bad = OnBad::kFail;
    ImageCheckLevel check = ImageCheckLevel::kHeader;
    // Images of other kinds are bad ones where they are checked; empty: all
    // that are decoded.
    ImageKindNames kinds = {};
    std::uint64_t max_payload = 0;           // bytes a record can hold
    std::vector<std::uint32_t> short_sides;  // to make
    ImageOptions image;                      // of those
    // The image becomes an array instead; then there are no short sides.
    std::optional<PixelOrder> pixels = {};
    // Which of the images as they are become another encoding, JPEGs at the
    // quality in `image`.
    RecodeOptions recode = {};
    // Arrays become encoded images; then there are no short sides.
    std::optional<ArrayEncoding> encode = {};
    // To find, in the images as they are (if they are wanted at all) and in the
    // sizes.
    EntryPoints entry_points = EntryPoints::kNone;
    bool original = true;
    // Images of a kind that is not decoded are no bad ones.
    bool passes_undecoded = false;
  };

  // `plan` must outlive the policy.
  ImagePolicy(const ShardPlan& plan, Options options);
  ~ImagePolicy();

  // Number of variants in a block that samples are added to.
  std::size_t variants() const { return 1 + options_.short_sides.size(); }
  std::uint64_t max_payload() const { return options_.max_payload; }

  // Adds a sample to the block: to each variant, or to none. `payload` has the
  // bytes read, the last of the block's first variant; its facts are found
  // here. Every variant's other fields are those of the source.
  //
  // An image that is an array becomes arrays at other sizes, of as many
  // channels and axes.
  //
  // kCorrupt: it is bad, under OnBad::kFail, `where` it was read; block.bad is
  // set then, and only then. kUnsupported, whatever is to be done with bad
  // ones: something is to be made of the image, and there is none, or one that
  // it cannot be made of.
  //
  // Sizes are made of the image as read, whether it is encoded again or not.
  Status Add(std::size_t source, PreparedPayload payload, const Where& where,
             PreparedBlock& block) const;

  // Adds a sample that has no bytes. Under OnBad::kFail returns `why`, which
  // names reason and detail.
  Status AddUnread(std::size_t source, std::string reason, const Status& why,
                   PreparedBlock& block) const;

 private:
  struct Tools;
  struct Finding;

  std::unique_ptr<Tools> TakeTools() const;
  void GiveBack(std::unique_ptr<Tools> tools) const;
  Result<std::vector<DecodeWarning>> DecodePixels(ByteView image,
                                                  Tools& tools) const;
  Result<Finding> Look(const FieldView& image, Tools& tools) const;
  Result<Finding> LookAtEncoded(ByteView image, Tools& tools) const;
  Status EncodeAgain(ByteView image, Tools& tools, Finding& finding) const;
  bool RefusesKind(ImageKind kind) const;
  Result<Finding> LookAtArray(const FieldView& image, Tools& tools) const;
  Result<Finding> EncodeArray(const FieldView& image, Tools& tools) const;
  void FindNewPoints(Tools& tools, Finding& finding) const;
  void PutPixels(Tools& tools, PreparedVariant& read,
                 PreparedPayload& payload) const;
  void CheckSizes(const PreparedPayload& payload, std::size_t image_bytes,
                  const Tools& tools, Finding& finding) const;
  void CheckMade(std::uint64_t bytes, const char* made, Finding& finding) const;
  void AddSizes(const std::vector<Label>& labels, const Tools& tools,
                PreparedBlock& block) const;
  // Else samples pass through as they are, those without an image as well.
  bool makes_images() const {
    return options_.pixels || !options_.short_sides.empty();
  }
  bool finds_in_sizes() const {
    return options_.entry_points == EntryPoints::kAuto;
  }
  bool finds_in_source() const {
    return finds_in_sizes() && options_.original && !options_.pixels;
  }
  Status DealWith(const Finding& finding, const Status& why,
                  std::optional<ByteView> image, PreparedSample& sample) const;
  Reject RejectOf(std::size_t source, const Finding& finding) const;

  const ShardPlan& plan_;
  const Options options_;
  const CheckerPool checkers_;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Tools>> free_tools_;  // guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_PACK_IMAGE_POLICY_H_
