#include "lmdb/lmdb_layouts.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "lmdb/bare_image.h"
#include "lmdb/datum_codec.h"
#include "lmdb/datum_reader.h"
#include "lmdb/fields_codec.h"
#include "lmdb/folder2lmdb_codec.h"
#include "lmdb/key_form.h"
#include "lmdb/lmdb_format.h"
#include "lmdb/lmdb_reader.h"
#include "lmdb/numbered_key.h"
#include "lmdb/scan_order.h"
#include "lmdb/value_reader.h"
#include "shard/format_registry.h"
#include "shard/shard_file.h"

namespace shardine {
namespace {

// A manifest names it, in text. A comma would begin the next parameter.
bool IsDatabaseName(std::string_view value) {
  return !value.empty() && value.size() <= kMaxLmdbKey && IsUtf8(value) &&
         value.find('\0') == value.npos && value.find(',') == value.npos;
}

// Manifests of before do not name it.
constexpr LayoutParameter kDatabase = {
    .name = kDatabaseParameter,
    .default_value = kMainDatabase,
    .values = "the name of a database in the file, or * for the main one",
    .is_valid = IsDatabaseName,
    .said_by_default = false,
    .for_reading = true};

// A value has one spelling, so a leading zero is refused.
bool IsResolution(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() &&
         text[0] != '0' && value <= 65536;
}

constexpr LayoutParameter kFolder2LmdbParameters[] = {
    {
        .name = kKeysParameter,
        .default_value = kPaddedKeys,
        .values = "%08d or %d",
        .is_valid = IsOneOf<kPaddedKeys, kPlainKeys>,
    },
    // Pickles by default, as before there was another kind: older manifests
    // have no such parameter.
    {.name = kValuesParameter,
     .default_value = kPickleValues,
     .values = "pickle or arrow",
     .is_valid = IsOneOf<kPickleValues, kArrowValues>,
     .said_by_default = false},
    {.name = kClassesParameter,
     .default_value = kNoClasses,
     .values = "none or list",
     .is_valid = IsOneOf<kNoClasses, kListedClasses>,
     .said_by_default = false},
    kDirectoryParameter,
    kDatabase};

constexpr LayoutParameter kTensorpackParameters[] = {
    {.name = kValuesParameter,
     .default_value = kPickleValues,
     .values = "pickle or msgpack",
     .is_valid = IsOneOf<kPickleValues, kMsgpackValues>},
    kDirectoryParameter,
    kDatabase};

constexpr LayoutParameter kImagesParameters[] = {
    {.name = kKeysParameter,
     .default_value = kNumberedKeys,
     .values = "%08d_key or key",
     .is_valid = IsOneOf<kNumberedKeys, kOwnKeys>},
    kDirectoryParameter,
    kDatabase};

constexpr LayoutParameter kStyleGan2Parameters[] = {
    {.name = kResolutionParameter,
     .default_value = "256",
     .values = "1 to 65536 pixels",
     .is_valid = IsResolution},
    kDirectoryParameter,
    kDatabase};

constexpr LayoutParameter kOtherParameters[] = {kDirectoryParameter, kDatabase};

// Limits of images under their positions without labels.
constexpr Limits NumberedLimits(std::string_view text_field) {
  return {.label_type = LabelType::kInt64,
          .max_labels = 0,
          .text_field = text_field,
          .needs_image = true,
          .max_payload = kMaxLmdbValue};
}

// Limits of images under their positions with one label and nothing else.
constexpr Limits PairLimits(std::uint64_t max_payload) {
  return {.label_type = LabelType::kInt64,
          .max_labels = 1,
          .needs_image = true,
          .max_payload = max_payload};
}

const Layout& LayoutNamed(std::string_view name) {
  return *std::ranges::find(kLmdbLayouts, name, &Layout::name);
}

Status Refuse() {
  return Status(Code::kUnsupported,
                "the values are no images, no Datums and of no serialiser that "
                "is known: pickle, pyarrow.serialize and msgpack");
}

// Do the keys of folder2lmdb have eight digits? In key order "0" comes first
// among those of "%d".
LayoutChoice Folder2Lmdb(std::string_view key, Serialiser serialiser) {
  LayoutChoice choice = DefaultsOf(LayoutNamed(kFolder2LmdbLayout));
  const bool padded = key.size() >= 8 && (key.size() == 8 || key[0] != '0');
  choice.values[0] = padded ? kPaddedKeys : kPlainKeys;
  if (serialiser == Serialiser::kArrow) choice.values[1] = kArrowValues;
  return choice;
}

Result<LayoutChoice> LayoutOf(std::string_view key, ByteView value,
                              std::uint64_t offset, std::uint64_t max_memory) {
  // Protobuf takes many bytes for fields that it does not know, and msgpack a
  // PNG for a map. So images are sorted out before, and a Datum may have no
  // unknown field.
  if (IsBareImage(value)) return DefaultsOf(LayoutNamed(kFieldsLayout));
  const Serialiser serialiser = SerialiserOf(value);
  if (serialiser != Serialiser::kNone) {
    ValueReader reader(max_memory);
    const auto value_read = reader.Read(value, offset);
    if (!value_read.ok()) return ByGuess(value, value_read.status());
    const PickleValue read = *value_read;
    if (read.kind() == PickleKind::kDict) {
      return DefaultsOf(LayoutNamed(kFieldsLayout));
    }
    // The scanner refuses a value that is no pair either.
    return Folder2Lmdb(key, serialiser);
  }
  DatumView datum;
  if (!value.empty() && ReadDatum(value, datum).ok() && !datum.has_unknown) {
    return DefaultsOf(LayoutNamed(kDatumLayout));
  }
  return Refuse();
}

// Entries that say nothing about the layout: lists, and the counts that stand
// beside images.
bool IsBeside(std::string_view key) {
  return IsListEntry(key) || IsCountEntry(key);
}

Result<LayoutChoice> Detect(const RandomAccessFile& file,
                            std::string_view database) {
  SHARDINE_ASSIGN_OR_RETURN(auto reader, LmdbReader::Open(file, database));
  const std::uint64_t max_memory = MaxValueMemory(file);
  SHARDINE_ASSIGN_OR_RETURN(auto entry, reader->First());
  // In key order the lists come before lower-case letters, but after digits.
  while (entry && IsBeside(AsText(entry->key))) {
    SHARDINE_ASSIGN_OR_RETURN(entry, reader->After(entry->place));
  }
  if (!entry) return DefaultsOf(kLmdbLayouts[0]);
  SHARDINE_ASSIGN_OR_RETURN(const KeyForm form, KeyForm::Find(*reader));
  SHARDINE_ASSIGN_OR_RETURN(
      entry, reader->At(form.found() ? form.first() : entry->place));
  const std::string key(AsText(entry->key));
  SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader->Value(*entry));
  auto choice = LayoutOf(key, value, entry->value.offset, max_memory);
  if (choice.ok()) return choice;
  return std::move(choice).status().At(
      {.offset = entry->value.offset, .record = 0});
}

// Why a file has no layout, and if it is for its named databases the choice
// that reads one of them: no more can be told, since each may be in its own.
Status WithADatabase(const RandomAccessFile& file, Status status) {
  // Each entry of the file may be a database.
  constexpr std::size_t kMostTried = 10;
  const auto names = LmdbReader::DatabasesOf(file);
  if (!names.ok() || names->empty()) return status;
  for (const std::string& name :
       std::span(*names).first(std::min(names->size(), kMostTried))) {
    if (!IsDatabaseName(name) || name == kMainDatabase) continue;
    auto choice = Detect(file, name);
    if (!choice.ok()) continue;
    choice->values.back() = name;
    return Status(status.code(),
                  status.message() + ", as in " +
                      FormatAndLayout{*std::move(choice), &kLmdbFormat}.Name())
        .At(status.where());
  }
  return Status(status.code(), status.message() + "; of none of these" +
                                   " a layout is known; mdb_dump -s NAME" +
                                   " FILE | mdb_load OTHER copies one")
      .At(status.where());
}

}  // namespace

constexpr Layout kLmdbLayouts[] = {
    {.name = kFolder2LmdbLayout,
     .limits = PairLimits(kMaxPairPayload),
     .parameters = kFolder2LmdbParameters},
    {.name = kDatumLayout,
     .limits = {.label_type = LabelType::kInt32,
                .max_labels = 1,
                .keys = true,
                .max_key = kMaxLmdbKey - kNumberedKeyPrefix,
                .array_image = true,
                .needs_image = true,
                .max_payload = kMaxDatumPayload},
     .parameters = kOtherParameters,
     .reader = kOpenCvReader},
    {.name = kFieldsLayout,
     .limits = {.label_type = LabelType::kExact,
                .max_labels = kMaxFieldsLabels,
                .keys = true,
                .max_key = kMaxLmdbKey,
                .unique_keys = true,
                .fields = true,
                .array_image = true,
                .max_payload = kMaxFieldsPayload},
     .parameters = kOtherParameters,
     .has_roles = true},
    {.name = kTensorpackLayout,
     .limits = PairLimits(kMaxArrayPayload),
     .parameters = kTensorpackParameters},
    {.name = kImagesLayout,
     .limits = {.label_type = LabelType::kInt64,
                .max_labels = 0,
                .keys = true,
                .max_key = kMaxLmdbKey - kNumberedKeyPrefix,
                .needs_image = true,
                .max_payload = kMaxLmdbValue},
     .parameters = kImagesParameters},
    {.name = kPytorchLmdbLayout,
     .limits = PairLimits(kMaxArrayPayload),
     .parameters = kOtherParameters},
    {.name = kStyleGan2Layout,
     .limits = NumberedLimits({}),
     .parameters = kStyleGan2Parameters},
    {.name = kOcrLayout,
     .limits = NumberedLimits(kTextField),
     .parameters = kOtherParameters}};

std::string_view DatabaseOf(const LayoutChoice& layout) {
  const std::string_view name = layout.value(kDatabaseParameter);
  return name == kMainDatabase ? std::string_view() : name;
}

Result<LayoutChoice> DetectLmdbLayout(const RandomAccessFile& file) {
  auto choice = Detect(file, {});
  if (choice.ok()) return choice;
  return WithADatabase(file, std::move(choice).status())
      .At({.path = file.path()});
}

}  // namespace shardine
