#include "lmdb/numbered_images_codec.h"

#include <string>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "lmdb/lmdb_layouts.h"
#include "lmdb/numbered_key.h"

namespace shardine {
namespace {

struct Numbering {
  std::string_view layout;  // for messages
  std::string prefix;       // of keys, before the number
  std::size_t digits = 0;   // as many, or the keys would not be in order
  std::uint64_t first = 0;  // number
  std::string_view count_entry;
  bool texts = false;
};

class NumberedImagesCodec : public ValueCodec {
 public:
  explicit NumberedImagesCodec(Numbering numbering)
      : numbering_(std::move(numbering)) {}

  // Texts stand between the images' keys and the end.
  bool keys_ascend() const override { return !numbering_.texts; }
  std::string_view count_entry() const override {
    return numbering_.count_entry;
  }
  Result<std::vector<BesideEntry>> EntriesBeside(
      std::uint64_t samples,
      std::span<const DatasetFacts::Class>) const override {
    BesideEntry count{numbering_.count_entry, {}};
    count.value.Append(AsBytes(std::to_string(samples)));
    return std::vector<BesideEntry>{std::move(count)};
  }

  bool may_be_beside(std::string_view key) const override {
    return key == numbering_.count_entry ||
           (numbering_.texts && IsNumbered(key, kTextPrefix));
  }
  bool is_sample(ByteView) override { return false; }

  Status Encode(const SampleView& sample, std::uint64_t position,
                EncodedSample& to) override {
    SHARDINE_RETURN_IF_ERROR(CheckHoldable(sample));
    const std::string number = std::to_string(numbering_.first + position);
    if (number.size() > numbering_.digits) {
      return Status(Code::kUnsupported,
                    "keys of " + std::to_string(numbering_.digits) +
                        " digits do not number so many samples; make more "
                        "shards");
    }
    const std::string padded =
        std::string(numbering_.digits - number.size(), '0') + number;
    to.key = numbering_.prefix + padded;
    to.value.Clear();
    to.beside_key.clear();
    to.beside_value.Clear();
    for (const FieldView& field : sample.fields) {
      if (field.name == kImageField) {
        to.value.Splice(field.bytes);
      } else {
        to.beside_key = std::string(kTextPrefix) + padded;
        to.beside_value.Splice(field.bytes);
      }
    }
    return {};
  }

  // The key tells no more than the order of the scan.
  Status Decode(ByteView key, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    const std::string_view text = AsText(key);
    if (!IsNumbered(text, numbering_.prefix)) {
      return Status(Code::kUnsupported, "a key " + ShowName(text) +
                                            " where \"" + numbering_.prefix +
                                            "\" and a number are expected");
    }
    to.fields.push_back(
        {.name = std::string(kImageField), .bytes = value, .offset = offset});
    if (!numbering_.texts) return {};
    to.beside.push_back(
        {std::string(kTextPrefix).append(text.substr(numbering_.prefix.size())),
         kTextField});
    return {};
  }

 private:
  Status CheckHoldable(const SampleView& sample) const {
    bool image = false;
    for (const FieldView& field : sample.fields) {
      const bool plain = field.dtype == kBytesDtype && field.shape.empty();
      const bool text = numbering_.texts && field.name == kTextField;
      if (!plain || !(text || field.name == kImageField)) return WrongFields();
      if (field.bytes.size() > kMaxLmdbValue) {
        return Status(Code::kUnsupported,
                      "a field of " + std::to_string(field.bytes.size()) +
                          " bytes: an LMDB value is smaller than 4 GiB");
      }
      image = image || !text;
    }
    if (!image) return WrongFields();
    if (sample.labels.empty()) return {};
    return Status(Code::kUnsupported,
                  "lmdb/" + std::string(numbering_.layout) +
                      " holds no labels; lmdb/folder2lmdb holds one");
  }

  Status WrongFields() const {
    return Status(Code::kUnsupported,
                  "lmdb/" + std::string(numbering_.layout) +
                      " holds \"image\"" +
                      (numbering_.texts ? " and \"label\"" : "") +
                      " of plain bytes; lmdb/fields holds others");
  }

  const Numbering numbering_;
};

}  // namespace

std::unique_ptr<ValueCodec> MakeStyleGan2Codec(std::string_view resolution) {
  return std::make_unique<NumberedImagesCodec>(
      Numbering{.layout = kStyleGan2Layout,
                .prefix = std::string(resolution) + "-",
                .digits = 5,
                .first = 0,
                .count_entry = kImagesEntry});
}

std::unique_ptr<ValueCodec> MakeOcrCodec() {
  return std::make_unique<NumberedImagesCodec>(
      Numbering{.layout = kOcrLayout,
                .prefix = std::string(kImagePrefix),
                .digits = 9,
                .first = 1,
                .count_entry = kSamplesEntry,
                .texts = true});
}

}  // namespace shardine
