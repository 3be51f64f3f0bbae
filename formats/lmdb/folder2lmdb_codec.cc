#include "lmdb/folder2lmdb_codec.h"

#include <cstdio>

#include "base/status_macros.h"
#include "lmdb/bare_image.h"
#include "lmdb/class_entry.h"
#include "lmdb/item_field.h"
#include "lmdb/numbered_key.h"
#include "lmdb/value_reader.h"

namespace shardine {
namespace {

class Folder2LmdbCodec : public ValueCodec {
 public:
  Folder2LmdbCodec(const PairOptions& options, std::uint64_t max_memory)
      : options_(options), reader_(max_memory) {}

  std::unique_ptr<KeyListWriter> NewKeyList() const override {
    return options_.serializer.NewKeyList();
  }
  std::uint64_t max_key_list() const override {
    return options_.serializer.max_bytes();
  }
  Result<std::vector<BesideEntry>> EntriesBeside(
      std::uint64_t samples,
      std::span<const DatasetFacts::Class> classes) const override {
    std::vector<BesideEntry> entries;
    if (options_.has_length) {
      entries.push_back({kLengthEntry, Number(samples)});
    }
    if (options_.classes == PairClasses::kNone) return entries;
    const bool texts = options_.classes == PairClasses::kTexts;
    SHARDINE_ASSIGN_OR_RETURN(const auto names, ListedClasses(classes, texts));
    const auto list = texts ? options_.serializer.NewTextList()
                            : options_.serializer.NewKeyList();
    for (const std::string_view name : names) list->Add(name);
    // A list may view its own parts, so it is copied out of it.
    const std::string listed = list->Finish().ToString();
    entries.push_back({kClassesEntry, {}});
    entries.back().value.Append(AsBytes(listed));
    if (!texts) entries.push_back({kClassCountEntry, Number(names.size())});
    return entries;
  }
  bool keys_ascend() const override { return options_.padded; }

  Status Encode(const SampleView& sample, std::uint64_t position,
                EncodedSample& to) override {
    const FieldView* image = OnlyImage(sample);
    if (image == nullptr || image->dtype != kBytesDtype) {
      return Unsupported(
          " holds one field, \"image\", of plain bytes; lmdb/fields holds "
          "others");
    }
    SHARDINE_RETURN_IF_ERROR(CheckSizes(sample, *image, position));
    char key[24];
    std::snprintf(key, sizeof(key), options_.padded ? "%08llu" : "%llu",
                  static_cast<unsigned long long>(position));
    to.key = key;
    std::optional<std::int64_t> label;
    if (!sample.labels.empty()) {
      label = RoundToLabelType(sample.labels[0], LabelType::kInt64).integer();
    }
    options_.serializer.WritePair(image->bytes, label, to.value);
    return {};
  }

  // The key is a position, which tells no more than the order of the scan, so
  // it is not looked at. Writers other than ours leave the label out, write
  // lists for tuples, and NumPy arrays for bytes and numbers.
  Status Decode(ByteView, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    SHARDINE_ASSIGN_OR_RETURN(const PickleValue sample,
                              reader_.Read(value, offset));
    const bool parts = sample.is_sequence();
    if (parts && (sample.size() == 0 || sample.size() > 2)) {
      return Status(Code::kUnsupported,
                    PickleKindWithArticle(sample.kind()) + " of " +
                        std::to_string(sample.size()) +
                        " where (bytes, label) is expected");
    }
    DecodedField image{.name = std::string(kImageField)};
    SHARDINE_RETURN_IF_ERROR(
        DecodeImage(parts ? sample.item(0) : sample, image));
    if (parts && sample.size() == 2 &&
        !AppendLabels(sample.item(1), reader_.budget(), to.labels)) {
      return Status(Code::kUnsupported,
                    "a label that is no number but " +
                        PickleKindWithArticle(sample.item(1).kind()));
    }
    to.fields.push_back(std::move(image));
    return {};
  }

 private:
  SplicedBytes Number(std::uint64_t number) const {
    SplicedBytes value;
    options_.serializer.WriteLength(number, value);
    return value;
  }

  Status Unsupported(std::string_view what) const {
    return Status(Code::kUnsupported,
                  std::string("lmdb/").append(options_.layout).append(what));
  }

  Status CheckSizes(const SampleView& sample, const FieldView& image,
                    std::uint64_t position) const {
    if (sample.labels.size() > 1) {
      return Unsupported(" holds one label");
    }
    const std::uint64_t most = options_.serializer.max_bytes();
    if (image.bytes.size() > most) {
      return Status(Code::kUnsupported,
                    "an image of " + std::to_string(image.bytes.size()) +
                        " bytes: a value of this kind holds " +
                        std::to_string(most));
    }
    return options_.padded ? CheckPosition(position) : Status();
  }

  Status DecodeImage(PickleValue value, DecodedField& image) const {
    // Batches of one: [bytes].
    if (value.is_sequence() && value.size() == 1) value = value.item(0);
    PickleBytes data;
    // msgpack did not tell bytes from text before its version 1.
    const bool bytes =
        value.kind() == PickleKind::kBytes ||
        (value.kind() == PickleKind::kText && IsBareImage(value.bytes().bytes));
    if (bytes) {
      data = value.bytes();
    } else if (value.kind() == PickleKind::kArray) {
      data = value.array().data;
      image.dtype = value.array().dtype;
      image.shape = value.array().shape;
    } else {
      return Status(Code::kUnsupported,
                    "an image that is no bytes but " +
                        PickleKindWithArticle(value.kind()));
    }
    // An array that had to be converted has no offset, so its sample has no
    // extent.
    image.bytes = data.bytes;
    image.offset = data.offset;
    TakeImageOutOfArray(image);
    // A layout whose images are arrays has nothing else in them, whatever the
    // image is.
    if (options_.array_is_image && image.dtype == "|u1" &&
        image.shape.size() == 1) {
      image.dtype = kBytesDtype;
      image.shape.clear();
    }
    return {};
  }

  const PairOptions options_;
  ValueReader reader_;
};

}  // namespace

std::unique_ptr<ValueCodec> MakeFolder2LmdbCodec(const PairOptions& options,
                                                 std::uint64_t max_memory) {
  return std::make_unique<Folder2LmdbCodec>(options, max_memory);
}

}  // namespace shardine
