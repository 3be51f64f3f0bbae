#include "lmdb/datum_codec.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/check.h"
#include "base/status_macros.h"
#include "lmdb/datum.pb.h"
#include "lmdb/datum_reader.h"
#include "lmdb/numbered_key.h"
#include "lmdb/numpy_dtype.h"

namespace shardine {
namespace {

constexpr std::string_view kPixels = "|u1";
constexpr std::string_view kFloats = "<f4";

void AppendMessage(const caffe::Datum& datum, SplicedBytes& to) {
  to.Append(AsBytes(datum.SerializeAsString()));
}

// The field `data` as protobuf writes it, its bytes in place.
void SpliceData(ByteView data, SplicedBytes& to) {
  constexpr char kTag = 4 << 3 | 2;
  std::string header(1, kTag);
  std::uint64_t size = data.size();
  for (; size >= 0x80; size >>= 7) {
    header += static_cast<char>((size & 0x7f) | 0x80);
  }
  header += static_cast<char>(size);
  to.Append(AsBytes(header));
  to.Splice(data);
}

class DatumCodec : public ValueCodec {
 public:
  bool keys_ascend() const override { return true; }

  Status Encode(const SampleView& sample, std::uint64_t position,
                EncodedSample& to) override {
    SHARDINE_RETURN_IF_ERROR(CheckHoldable(sample, position));
    const FieldView& image = sample.fields[0];
    to.key = NumberedKey(position, sample.key);
    to.value.Clear();
    // A message is its fields in sequence, so two of them with the data between
    // read as one, and protobuf never holds a copy of the payload. The fields
    // are in the order of their numbers, as protobuf writes a whole message.
    caffe::Datum head;
    if (!image.shape.empty()) {
      head.set_channels(static_cast<std::int32_t>(image.shape[0]));
      head.set_height(static_cast<std::int32_t>(image.shape[1]));
      head.set_width(static_cast<std::int32_t>(image.shape[2]));
    }
    AppendMessage(head, to.value);
    if (image.dtype != kFloats) SpliceData(image.bytes, to.value);
    caffe::Datum tail;
    if (!sample.labels.empty()) {
      const Label label = RoundToLabelType(sample.labels[0], LabelType::kInt32);
      tail.set_label(static_cast<std::int32_t>(label.integer()));
    }
    if (image.dtype == kFloats) AddFloats(image.bytes, tail);
    if (image.dtype == kBytesDtype) tail.set_encoded(true);
    AppendMessage(tail, to.value);
    return {};
  }

  Status Decode(ByteView key, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    to.key = WithoutNumber(AsText(key));
    // ReadDatum knows offsets in the message, and the user wants those in the
    // file.
    if (Status status = ReadDatum(value, datum_); !status.ok()) {
      return Status(status.code(), status.message())
          .At({.offset = offset + status.where().offset.value_or(0)});
    }
    if (datum_.label) to.labels.emplace_back(std::int64_t{*datum_.label});
    DecodedField image{.name = std::string(kImageField)};
    // Caffe takes the floats where there is no data.
    const bool floats = datum_.data.empty() && datum_.floats.size() > 0;
    image.bytes = floats ? datum_.floats.view() : datum_.data;
    const auto at = floats ? datum_.floats_at : datum_.data_at.value_or(0);
    if (at) image.offset = offset + *at;
    if (!datum_.encoded) {
      image.dtype = floats ? kFloats : kPixels;
      SHARDINE_RETURN_IF_ERROR(SetShape(image));
    } else if (floats) {
      // An encoded image lies in `data`, where Caffe looks for it.
      return Status(Code::kCorrupt, "a Datum with floats that are encoded");
    }
    to.fields.push_back(std::move(image));
    return {};
  }

 private:
  static Status CheckHoldable(const SampleView& sample,
                              std::uint64_t position) {
    const FieldView* image = OnlyImage(sample);
    if (image == nullptr || !IsHoldableImage(*image)) {
      return Status(
          Code::kUnsupported,
          "lmdb/datum holds one field, \"image\", of plain bytes, or a "
          "|u1 or <f4 array of channels, height and width");
    }
    if (image->bytes.size() > kMaxDatumPayload ||
        (image->dtype == kFloats && image->bytes.size() > kMaxFloats)) {
      return Status(Code::kUnsupported,
                    "an image of " + std::to_string(image->bytes.size()) +
                        " bytes: a Datum is smaller than 2 GiB");
    }
    if (sample.labels.size() > 1) {
      return Status(Code::kUnsupported, "lmdb/datum holds one label");
    }
    if (sample.key.size() > kMaxLmdbKey - kNumberedKeyPrefix) {
      return Status(Code::kUnsupported,
                    "a key of " + std::to_string(sample.key.size()) +
                        " bytes: lmdb/datum holds up to 502");
    }
    return CheckPosition(position);
  }

  static bool IsHoldableImage(const FieldView& image) {
    if (image.dtype == kBytesDtype) return image.shape.empty();
    if (image.dtype != kPixels && image.dtype != kFloats) return false;
    constexpr std::uint64_t kMaxSide = std::numeric_limits<std::int32_t>::max();
    return image.shape.size() == 3 &&
           std::ranges::all_of(image.shape,
                               [](auto side) { return side <= kMaxSide; }) &&
           ArrayBytes(*ParseDtypeName(image.dtype), image.shape) ==
               image.bytes.size();
  }

  static void AddFloats(ByteView bytes, caffe::Datum& datum) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      datum.add_float_data(LoadLe<float>(&bytes[at]));
    }
  }

  Status SetShape(DecodedField& image) const {
    // Sides below 0 become 0, which fits no bytes, so they need no message of
    // their own.
    image.shape.clear();
    for (const std::int32_t side :
         {datum_.channels, datum_.height, datum_.width}) {
      image.shape.push_back(
          static_cast<std::uint64_t>(std::max<std::int32_t>(side, 0)));
    }
    const auto dtype = ParseDtypeName(image.dtype);
    SHARDINE_CHECK(dtype);
    if (ArrayBytes(*dtype, image.shape) == image.bytes.size()) return {};
    return Status(Code::kCorrupt,
                  "a Datum of " + std::to_string(image.bytes.size()) +
                      " bytes that is not encoded and whose channels, height "
                      "and width are " +
                      std::to_string(datum_.channels) + ", " +
                      std::to_string(datum_.height) + " and " +
                      std::to_string(datum_.width));
  }

  // Each float takes five bytes, one of them its tag.
  static constexpr std::uint64_t kMaxFloats = kMaxDatumPayload / 5 * 4;

  DatumView datum_;
};

}  // namespace

std::unique_ptr<ValueCodec> MakeDatumCodec() {
  return std::make_unique<DatumCodec>();
}

}  // namespace shardine
