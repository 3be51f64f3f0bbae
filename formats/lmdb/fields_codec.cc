#include "lmdb/fields_codec.h"

#include <algorithm>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "lmdb/bare_image.h"
#include "lmdb/item_field.h"
#include "lmdb/numbered_key.h"
#include "lmdb/numpy_dtype.h"
#include "lmdb/pickle_writer.h"
#include "lmdb/value_reader.h"
#include "shard/record_budget.h"

namespace shardine {
namespace {

// A sample under one of the two reserved keys would take the place of the list.
Status CheckKey(std::string_view key) {
  if (key.empty() || key.size() > kMaxLmdbKey) {
    return Status(Code::kUnsupported, "a key of " + std::to_string(key.size()) +
                                          " bytes: LMDB's have 1 to 511");
  }
  if (IsListEntry(key)) {
    return Status(Code::kUnsupported,
                  "the key is one that lmdb/fields uses itself");
  }
  return {};
}

Status CheckField(const FieldView& field) {
  if (field.name == kLabelsItem) {
    return Status(Code::kUnsupported, "a field named " +
                                          std::string(kLabelsItem) +
                                          ", which lmdb/fields uses itself");
  }
  if (!IsUtf8(field.name)) {
    return Status(Code::kUnsupported,
                  "a field whose name is not UTF-8, as Python's text is");
  }
  if (field.dtype == kBytesDtype && field.shape.empty()) return {};
  if (field.name == kImageField &&
      IsImageInArray({.dtype = std::string(field.dtype),
                      .shape = {field.shape.begin(), field.shape.end()},
                      .bytes = field.bytes})) {
    return Status(Code::kUnsupported,
                  "field \"image\" is an encoded image in an array of numbers; "
                  "lmdb/fields holds it as bytes");
  }
  const auto dtype = ParseDtypeName(field.dtype);
  if (!dtype || dtype->order == '>') {
    return Status(Code::kUnsupported,
                  "field " + ShowName(field.name) + " has dtype \"" +
                      std::string(field.dtype) +
                      "\", which lmdb/fields does not hold");
  }
  if (ArrayBytes(*dtype, field.shape) != field.bytes.size()) {
    return Status(Code::kUnsupported,
                  "field " + ShowName(field.name) +
                      " has a shape that does not fit its bytes");
  }
  return {};
}

Status CheckHoldable(const SampleView& sample) {
  SHARDINE_RETURN_IF_ERROR(CheckKey(sample.key));
  std::uint64_t bytes = 0;
  for (const FieldView& field : sample.fields) {
    SHARDINE_RETURN_IF_ERROR(CheckField(field));
    bytes += field.bytes.size();
  }
  if (bytes > kMaxFieldsPayload) {
    return Status(Code::kUnsupported,
                  "fields of " + std::to_string(bytes) +
                      " bytes: an LMDB value is smaller than 4 GiB");
  }
  if (sample.labels.size() > kMaxFieldsLabels) {
    return Status(Code::kUnsupported, "more than 16,777,216 labels");
  }
  return {};
}

class FieldsCodec : public ValueCodec {
 public:
  FieldsCodec(std::uint64_t max_memory, bool takes_labels)
      : takes_labels_(takes_labels), reader_(max_memory) {}

  std::unique_ptr<KeyListWriter> NewKeyList() const override {
    return PickleSerializer().NewKeyList();
  }
  Result<std::vector<BesideEntry>> EntriesBeside(
      std::uint64_t samples,
      std::span<const DatasetFacts::Class>) const override {
    BesideEntry length{kLengthEntry, {}};
    PickleSerializer().WriteLength(samples, length.value);
    return std::vector<BesideEntry>{std::move(length)};
  }
  bool keys_ascend() const override { return false; }

  Status Encode(const SampleView& sample, std::uint64_t,
                EncodedSample& to) override {
    SHARDINE_RETURN_IF_ERROR(CheckHoldable(sample));
    to.key = sample.key;
    to.value.Clear();
    PickleWriter pickle(to.value);
    // CPython would memoize the objects and set items in batches of 1000; the
    // loaded value is the same. Only folder2lmdb promises the bytes of
    // pickle.dumps.
    pickle.Op(kOpEmptyDict);
    pickle.Op(kOpMark);
    for (const FieldView& field : sample.fields) {
      pickle.Text(field.name);
      if (field.dtype == kBytesDtype) {
        pickle.Bytes(field.bytes);
      } else {
        pickle.Array(field);
      }
    }
    if (!sample.labels.empty()) EncodeLabels(sample.labels, pickle);
    pickle.Op(kOpSetItems);
    pickle.Finish();
    // CheckHoldable leaves 256 MiB for names, shapes and labels, but nothing
    // bounds the names.
    if (to.value.size() <= kMaxLmdbValue) return {};
    return Status(Code::kUnsupported, "an LMDB value is smaller than 4 GiB");
  }

  // Texts and counts stand beside images, never beside dicts.
  bool may_be_beside(std::string_view key) const override {
    return IsCountEntry(key) || IsNumbered(key, kTextPrefix) ||
           IsNumbered(key, kLexiconPrefix);
  }
  // A text may look like any serialiser's value, so its key decides.
  std::vector<std::string> owners_of(std::string_view key) const override {
    std::vector<std::string> owners;
    if (IsCountEntry(key)) return owners;
    const std::string_view number = key.substr(key.find('-') + 1);
    for (const std::string_view prefix : kImagePrefixes) {
      owners.push_back(std::string(prefix).append(number));
    }
    return owners;
  }
  bool is_sample(ByteView value) override {
    if (IsBareImage(value)) return true;
    if (SerialiserOf(value) == Serialiser::kNone) return false;
    const auto read = reader_.Read(value, 0);
    return read.ok() ? read->kind() == PickleKind::kDict && read->size() > 0
                     : IsSurely(value);
  }

  Status Decode(ByteView key, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    to.key = AsText(key);
    if (IsBareImage(value)) {
      DecodeBare(value, offset, to);
      return {};
    }
    auto read = reader_.Read(value, offset);
    if (!read.ok()) return ByGuess(value, read.status());
    const PickleValue dict = *read;
    if (dict.kind() != PickleKind::kDict) {
      return Status(Code::kUnsupported,
                    PickleKindWithArticle(dict.kind()) +
                        " where a dict of fields is expected");
    }
    RecordBudget& budget = reader_.budget();
    items_.Begin(budget);
    SHARDINE_ASSIGN_OR_RETURN(const auto last, LastOfEachKey(dict, budget));
    for (const std::size_t i : last) {
      SHARDINE_RETURN_IF_ERROR(DecodeItem(dict.item(i), dict.item(i + 1), to));
    }
    return SortFields(budget, to.fields);
  }

 private:
  static void EncodeLabels(std::span<const Label> labels,
                           PickleWriter& pickle) {
    pickle.Text(kLabelsItem);
    pickle.Op(kOpEmptyList);
    pickle.Op(kOpMark);
    for (const Label& label : labels) pickle.Number(label);
    pickle.Op(kOpAppends);
  }

  // The whole value is the image. The image "image-000000001" has its text
  // under "label-000000001" and its words under "lexicon-000000001".
  static void DecodeBare(ByteView value, std::uint64_t offset,
                         DecodedSample& to) {
    to.fields.push_back(
        {.name = std::string(kImageField), .bytes = value, .offset = offset});
    for (const std::string_view prefix : kImagePrefixes) {
      if (!IsNumbered(*to.key, prefix)) continue;
      const std::string_view number = to.key->substr(prefix.size());
      to.beside.push_back(
          {std::string(kTextPrefix).append(number), kTextField});
      to.beside.push_back(
          {std::string(kLexiconPrefix).append(number), kLexiconField});
    }
  }

  // A dict that was loaded by Python has one value a key, but the opcodes of a
  // pickle can set a key twice: the last value holds, as it does there.
  static Result<std::vector<std::size_t>> LastOfEachKey(const PickleValue& dict,
                                                        RecordBudget& budget) {
    std::vector<std::size_t> last;
    if (!budget.Hold(dict.size() * sizeof(std::size_t))) return SharedKeys();
    for (std::size_t i = 0; i < dict.size(); i += 2) {
      const PickleValue name = dict.item(i);
      if (!name.has_bytes()) {
        return Status(Code::kUnsupported,
                      "a field whose name is no text but " +
                          PickleKindWithArticle(name.kind()));
      }
      // Names are compared as whole, and a long one may be there many times.
      if (!budget.Copy(name.bytes().bytes.size())) return SharedKeys();
      last.push_back(i);
    }
    const auto key_of = [&](std::size_t i) {
      const PickleValue name = dict.item(i);
      return std::pair(AsText(name.bytes().bytes), name.kind());
    };
    std::ranges::stable_sort(last, {}, key_of);
    std::size_t kept = 0;
    for (std::size_t n = 0; n < last.size(); ++n) {
      const bool again =
          n + 1 < last.size() && key_of(last[n]) == key_of(last[n + 1]);
      if (!again) last[kept++] = last[n];
    }
    last.resize(kept);
    return last;
  }

  static Status SharedKeys() {
    return Status(Code::kUnsupported,
                  "fields that share their names; pickle a copy of each");
  }

  // REQUIRES: a name of bytes or text.
  Status DecodeItem(const PickleValue& name, const PickleValue& value,
                    DecodedSample& to) {
    const std::string_view said = AsText(name.bytes().bytes);
    // The type of a value decides before its name does: an array named "label"
    // is a field, and so is a text.
    const bool in_file =
        value.kind() == PickleKind::kArray || value.has_bytes();
    const bool is_label = said == kLabelsItem || said == "label";
    if (!in_file && is_label && takes_labels_) {
      if (to.labels.empty() &&
          AppendLabels(value, reader_.budget(), to.labels)) {
        return {};
      }
      return Status(Code::kUnsupported,
                    "item " + ShowName(said) + " is no list of numbers");
    }
    // A None counts as absent.
    if (value.kind() == PickleKind::kNone) return {};
    DecodedField field;
    SHARDINE_RETURN_IF_ERROR(items_.Make(said, value, field));
    if (field.name == kImageField) TakeImageOutOfArray(field);
    to.fields.push_back(std::move(field));
    return {};
  }

  static Status SortFields(RecordBudget& budget,
                           std::vector<DecodedField>& fields) {
    std::ranges::sort(fields, {}, &DecodedField::name);
    const auto twice =
        std::ranges::adjacent_find(fields, {}, &DecodedField::name);
    if (twice != fields.end()) {
      return Status(Code::kUnsupported,
                    "two fields named " + ShowName(twice->name) +
                        ", of which one is bytes and one is text");
    }
    // The memo lets any number of fields show the same bytes, so a small file
    // could ask for any amount of work. Converted bytes were counted when they
    // were made.
    std::uint64_t owned = 0;
    bool each_its_own = true;
    for (const DecodedField& field : fields) {
      if (field.offset) {
        each_its_own = each_its_own && budget.Show(field.bytes.size());
      } else {
        owned += field.bytes.size();
      }
    }
    if (each_its_own && owned <= budget.copied()) return {};
    return Status(Code::kUnsupported,
                  "fields that share their bytes; pickle a copy of each");
  }

  const bool takes_labels_;
  ValueReader reader_;
  ItemFields items_;
};

}  // namespace

std::unique_ptr<ValueCodec> MakeFieldsCodec(std::uint64_t max_memory,
                                            bool takes_labels) {
  return std::make_unique<FieldsCodec>(max_memory, takes_labels);
}

}  // namespace shardine
