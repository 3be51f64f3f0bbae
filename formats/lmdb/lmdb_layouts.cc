#include "lmdb/lmdb_layouts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "lmdb/bare_image.h"
#include "lmdb/datum_codec.h"
#include "lmdb/datum_reader.h"
#include "lmdb/fields_codec.h"
#include "lmdb/folder2lmdb_codec.h"
#include "lmdb/lmdb_reader.h"
#include "lmdb/numbered_key.h"
#include "lmdb/scan_order.h"
#include "lmdb/value_reader.h"
#include "shard/shard_file.h"

namespace shardine {
namespace {

constexpr LayoutParameter kFolder2LmdbParameters[] = {
    {
        .name = kKeysParameter,
        .default_value = kPaddedKeys,
        .values = "%08d or %d",
        .is_valid = IsOneOf<kPaddedKeys, kPlainKeys>,
    },
    // Pickles by default, as before there was another kind: what stands in
    // manifests has no such parameter.
    {.name = kValuesParameter,
     .default_value = kPickleValues,
     .values = "pickle or arrow",
     .is_valid = IsOneOf<kPickleValues, kArrowValues>,
     .said_by_default = false},
    kDirectoryParameter};

constexpr LayoutParameter kTensorpackParameters[] = {
    {.name = kValuesParameter,
     .default_value = kPickleValues,
     .values = "pickle or msgpack",
     .is_valid = IsOneOf<kPickleValues, kMsgpackValues>},
    kDirectoryParameter};

constexpr LayoutParameter kImagesParameters[] = {
    {.name = kKeysParameter,
     .default_value = kNumberedKeys,
     .values = "%08d_key or key",
     .is_valid = IsOneOf<kNumberedKeys, kOwnKeys>},
    kDirectoryParameter};

constexpr LayoutParameter kOtherParameters[] = {kDirectoryParameter};

// Of images under their positions, with one label and nothing else.
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
    SHARDINE_ASSIGN_OR_RETURN(const PickleValue read,
                              reader.Read(value, offset));
    if (read.kind() == PickleKind::kDict) {
      return DefaultsOf(LayoutNamed(kFieldsLayout));
    }
    // What is no pair either is for the scanner to refuse.
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

Result<LayoutChoice> Detect(const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(auto reader, LmdbReader::Open(file));
  const std::uint64_t max_memory = MaxValueMemory(file);
  SHARDINE_ASSIGN_OR_RETURN(auto entry, reader->First());
  // In key order the lists come before lower-case letters, but after digits.
  while (entry && IsBeside(AsText(entry->key))) {
    SHARDINE_ASSIGN_OR_RETURN(entry, reader->After(entry->place));
  }
  if (!entry) return DefaultsOf(kLmdbLayouts[0]);
  const std::string key(AsText(entry->key));
  SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader->Value(*entry));
  auto choice = LayoutOf(key, value, entry->value.offset, max_memory);
  if (choice.ok()) return choice;
  return std::move(choice).status().At(
      {.offset = entry->value.offset, .record = 0});
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
     .parameters = kOtherParameters},
    {.name = kFieldsLayout,
     .limits = {.label_type = LabelType::kExact,
                .max_labels = kMaxFieldsLabels,
                .keys = true,
                .max_key = kMaxLmdbKey,
                .unique_keys = true,
                .fields = true,
                .array_image = true,
                .max_payload = kMaxFieldsPayload},
     .parameters = kOtherParameters},
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
     .parameters = kImagesParameters}};

Result<LayoutChoice> DetectLmdbLayout(const RandomAccessFile& file) {
  auto choice = Detect(file);
  if (choice.ok()) return choice;
  return std::move(choice).status().At({.path = file.path()});
}

}  // namespace shardine
