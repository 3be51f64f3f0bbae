#include "lmdb/images_codec.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "lmdb/numbered_key.h"

namespace shardine {
namespace {

class ImagesCodec : public ValueCodec {
 public:
  explicit ImagesCodec(bool numbered) : numbered_(numbered) {}

  // Keys that do not ascend by themselves are refused where they do not.
  bool keys_ascend() const override { return true; }

  Status Encode(const SampleView& sample, std::uint64_t position,
                EncodedSample& to) override {
    SHARDINE_RETURN_IF_ERROR(CheckHoldable(sample));
    if (numbered_) {
      SHARDINE_RETURN_IF_ERROR(CheckPosition(position));
      to.key = NumberedKey(position, sample.key);
    } else if (position > 0 && sample.key <= last_) {
      return Status(
          Code::kUnsupported,
          "the key comes after a greater one, and readers go by the order of "
          "the keys; give the samples in that order, or use keys=%08d_key");
    } else {
      to.key = sample.key;
      last_ = sample.key;
    }
    to.value.Clear();
    to.value.Splice(sample.fields[0].bytes);
    return {};
  }

  Status Decode(ByteView key, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    to.key = numbered_ ? WithoutNumber(AsText(key)) : AsText(key);
    to.fields.push_back(
        {.name = std::string(kImageField), .bytes = value, .offset = offset});
    return {};
  }

 private:
  Status CheckHoldable(const SampleView& sample) const {
    const FieldView* image = OnlyImage(sample);
    if (image == nullptr || image->dtype != kBytesDtype ||
        !image->shape.empty()) {
      return Status(Code::kUnsupported,
                    "lmdb/images holds one field, \"image\", of plain bytes; "
                    "lmdb/fields holds others");
    }
    if (!sample.labels.empty()) {
      return Status(Code::kUnsupported,
                    "lmdb/images holds no labels; lmdb/folder2lmdb holds one");
    }
    if (image->bytes.size() > kMaxLmdbValue) {
      return Status(Code::kUnsupported,
                    "an image of " + std::to_string(image->bytes.size()) +
                        " bytes: an LMDB value is smaller than 4 GiB");
    }
    const std::size_t size = sample.key.size();
    if (size > kMaxLmdbKey - kNumberedKeyPrefix || (size == 0 && !numbered_)) {
      return Status(Code::kUnsupported,
                    "a key of " + std::to_string(size) +
                        " bytes: lmdb/images holds 1 to 502");
    }
    // The scan takes these for lists of the others.
    if (numbered_ || !IsListEntry(sample.key)) return {};
    return Status(Code::kUnsupported,
                  "the key is one that LMDB's readers use themselves");
  }

  const bool numbered_;
  std::string last_;  // key, where they are the samples' own
};

}  // namespace

std::unique_ptr<ValueCodec> MakeImagesCodec(bool numbered) {
  return std::make_unique<ImagesCodec>(numbered);
}

}  // namespace shardine
