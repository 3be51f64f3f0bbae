#include "lmdb/folder2lmdb_codec.h"

#include <cmath>
#include <cstdio>

#include "base/status_macros.h"
#include "lmdb/pickle_reader.h"
#include "lmdb/pickle_writer.h"

namespace shardine {
namespace {

// The largest position of eight digits. Keys of nine would sort between those
// of eight, and key order would not be the order of the samples.
constexpr std::uint64_t kMaxPadded = 99'999'999;

bool AppendNumber(const PickleValue& value, std::vector<Label>& labels) {
  if (!value.is_number()) return false;
  if (value.kind() != PickleKind::kFloat) {
    labels.emplace_back(value.integer());
    return true;
  }
  if (std::isnan(value.real())) return false;
  labels.push_back(Label::FromReal(value.real()));
  return true;
}

class Folder2LmdbCodec : public ValueCodec {
 public:
  Folder2LmdbCodec(bool padded, std::uint64_t max_memory)
      : padded_(padded), reader_(max_memory) {}

  bool lists_keys() const override { return true; }
  bool keys_ascend() const override { return padded_; }

  // CPython memoizes each bytes object and each tuple, although nothing recalls
  // them. The two kOpMemoize are there to give the bytes of pickle.dumps.
  Status Encode(const SampleView& sample, std::uint64_t position,
                EncodedSample& to) override {
    const FieldView* image = OnlyImage(sample);
    if (image == nullptr || image->dtype != kBytesDtype) {
      return Status(Code::kUnsupported,
                    "lmdb/folder2lmdb holds one field, \"image\", of plain "
                    "bytes; lmdb/fields holds others");
    }
    SHARDINE_RETURN_IF_ERROR(CheckSizes(sample, *image, position));
    char key[24];
    std::snprintf(key, sizeof(key), padded_ ? "%08llu" : "%llu",
                  static_cast<unsigned long long>(position));
    to.key = key;
    to.value.Clear();
    PickleWriter pickle(to.value);
    pickle.Bytes(image->bytes);
    pickle.Op(kOpMemoize);
    if (sample.labels.empty()) {
      pickle.None();
    } else {
      pickle.Int(
          RoundToLabelType(sample.labels[0], LabelType::kInt64).integer());
    }
    pickle.Op(kOpTuple2);
    pickle.Op(kOpMemoize);
    pickle.Finish();
    return {};
  }

  // The key is a position, which tells no more than the order of the scan, so
  // it is not looked at. Writers other than ours pickle lists for tuples, and
  // NumPy arrays for the bytes of an image.
  Status Decode(ByteView, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    SHARDINE_ASSIGN_OR_RETURN(const PickleValue pair,
                              reader_.Read(value, offset));
    const bool is_pair =
        pair.kind() == PickleKind::kTuple || pair.kind() == PickleKind::kList;
    if (!is_pair || pair.size() != 2) {
      return Status(Code::kUnsupported,
                    "a pickled " + std::string(PickleKindName(pair.kind())) +
                        " where (bytes, label) is expected");
    }
    DecodedField image{.name = std::string(kImageField)};
    SHARDINE_RETURN_IF_ERROR(DecodeImage(pair.item(0), image));
    if (!AppendLabels(pair.item(1), to.labels)) {
      return Status(Code::kUnsupported,
                    "a label that is no number but a " +
                        std::string(PickleKindName(pair.item(1).kind())));
    }
    to.fields.push_back(std::move(image));
    return {};
  }

 private:
  Status CheckSizes(const SampleView& sample, const FieldView& image,
                    std::uint64_t position) const {
    if (sample.labels.size() > 1) {
      return Status(Code::kUnsupported, "lmdb/folder2lmdb holds one label");
    }
    if (image.bytes.size() > kMaxLmdbValue - kFolder2LmdbOverhead) {
      return Status(Code::kUnsupported,
                    "an image of " + std::to_string(image.bytes.size()) +
                        " bytes: an LMDB value is smaller than 4 GiB");
    }
    if (padded_ && position > kMaxPadded) {
      return Status(Code::kUnsupported,
                    "more than 100,000,000 samples do not fit keys of eight "
                    "digits; make more shards");
    }
    return {};
  }

  static Status DecodeImage(const PickleValue& value, DecodedField& image) {
    PickleBytes data;
    if (value.kind() == PickleKind::kBytes) {
      data = value.bytes();
    } else if (value.kind() == PickleKind::kArray) {
      data = value.array().data;
      image.dtype = value.array().dtype;
      image.shape = value.array().shape;
    } else {
      return Status(Code::kUnsupported,
                    "an image that is no bytes but a " +
                        std::string(PickleKindName(value.kind())));
    }
    // An array that had to be converted has no offset, so its sample has no
    // extent.
    image.bytes = data.bytes;
    image.offset = data.offset;
    return {};
  }

  const bool padded_;
  PickleReader reader_;
};

}  // namespace

bool AppendLabels(const PickleValue& value, std::vector<Label>& labels) {
  if (value.kind() == PickleKind::kNone) return true;
  if (value.kind() != PickleKind::kList && value.kind() != PickleKind::kTuple) {
    return AppendNumber(value, labels);
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!AppendNumber(value.item(i), labels)) return false;
  }
  return true;
}

std::unique_ptr<ValueCodec> MakeFolder2LmdbCodec(bool padded,
                                                 std::uint64_t max_memory) {
  return std::make_unique<Folder2LmdbCodec>(padded, max_memory);
}

}  // namespace shardine
