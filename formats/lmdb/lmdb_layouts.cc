#include "lmdb/lmdb_layouts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "lmdb/datum_codec.h"
#include "lmdb/datum_reader.h"
#include "lmdb/fields_codec.h"
#include "lmdb/folder2lmdb_codec.h"
#include "lmdb/lmdb_reader.h"
#include "lmdb/pickle_opcodes.h"
#include "lmdb/pickle_reader.h"
#include "lmdb/scan_order.h"

namespace shardine {
namespace {

constexpr LayoutParameter kFolder2LmdbParameters[] = {
    {.name = kKeysParameter,
     .default_value = kPaddedKeys,
     .values = "%08d or %d",
     .is_valid = [](std::string_view value) {
       return value == kPaddedKeys || value == kPlainKeys;
     }}};

const Layout& LayoutNamed(std::string_view name) {
  return *std::ranges::find(kLmdbLayouts, name, &Layout::name);
}

// No Datum begins like this: as a tag, these two bytes are of field 16 or
// later. Protocols 0 and 1 have no such beginning and are not read.
bool IsPickle(ByteView value) {
  return value.size() >= 2 && value[0] == std::byte{kOpProto} &&
         std::to_integer<unsigned>(value[1]) <= 5;
}

// An array of two, or a map: what msgpack makes of a pair or a dict.
bool IsMsgpack(ByteView value) {
  if (value.empty()) return false;
  const auto first = std::to_integer<unsigned>(value[0]);
  return first == 0x92 || (first >= 0x81 && first <= 0x8f) || first == 0xdc ||
         first == 0xde;
}

// Such a value is counts of what follows, the first of them 0, and then an
// Arrow stream, which begins with ff ff ff ff since 0.15, and with the length
// of a message before.
bool IsPyarrow(ByteView value) {
  if (value.size() < 64) return false;
  const std::string_view head = AsText(value.first(64));
  constexpr std::string_view kZeros("\0\0\0\0", 4);
  constexpr std::string_view kMessage("\x10\0\0\0", 4);
  return head.starts_with(kZeros) &&
         (head.find("\xff\xff\xff\xff") != head.npos ||
          head.find(kMessage) != head.npos);
}

// The name of the serialiser; empty if it is none that is known.
std::string_view ForeignSerialiser(ByteView value) {
  if (IsPyarrow(value)) return "pyarrow.serialize";
  if (IsMsgpack(value)) return "msgpack";
  return "";
}

// The kind of an encoded image with nothing around it, else empty.
std::string_view BareImage(ByteView value) {
  using namespace std::string_view_literals;
  const std::string_view text = AsText(value);
  if (text.starts_with("\xff\xd8\xff"sv)) return "JPEG";
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return "PNG";
  if (text.starts_with("GIF8"sv)) return "GIF";
  if (text.starts_with("RIFF"sv) && text.substr(8).starts_with("WEBP"sv)) {
    return "WebP";
  }
  return "";
}

Status Refuse(ByteView value) {
  const std::string_view image = BareImage(value);
  if (!image.empty()) {
    return Status(Code::kUnsupported,
                  "the values are " + std::string(image) +
                      " images with nothing around them, which no layout of "
                      "lmdb has; pack the files they were made of, or put "
                      "pickle.dumps((image, label)) of each instead");
  }
  const std::string_view serialiser = ForeignSerialiser(value);
  if (serialiser.empty()) {
    return Status(Code::kUnsupported,
                  "the values are no pickles and no Datums; write them anew in "
                  "a layout of lmdb, or pack the files they were made of");
  }
  return Status(Code::kUnsupported,
                "the values were written by " + std::string(serialiser) +
                    ", which is not read; load them with the Python packages "
                    "that wrote them and put pickle.dumps of each instead");
}

// Do the keys of folder2lmdb have eight digits? In key order "0" comes first
// among those of "%d".
LayoutChoice Folder2Lmdb(std::string_view key) {
  LayoutChoice choice = DefaultsOf(LayoutNamed(kFolder2LmdbLayout));
  const bool padded = key.size() >= 8 && (key.size() == 8 || key[0] != '0');
  choice.values[0] = padded ? kPaddedKeys : kPlainKeys;
  return choice;
}

Result<LayoutChoice> LayoutOf(std::string_view key, ByteView value,
                              std::uint64_t offset, std::uint64_t max_memory) {
  if (IsPickle(value)) {
    PickleReader reader(max_memory);
    SHARDINE_ASSIGN_OR_RETURN(const PickleValue pickle,
                              reader.Read(value, offset));
    if (pickle.kind() == PickleKind::kDict) {
      return DefaultsOf(LayoutNamed(kFieldsLayout));
    }
    // What is no pair either is for the scanner to refuse.
    return Folder2Lmdb(key);
  }
  // Protobuf takes many bytes for fields that it does not know. So images are
  // sorted out before, and a Datum may have no unknown field.
  if (!BareImage(value).empty()) return Refuse(value);
  DatumView datum;
  if (!value.empty() && ReadDatum(value, datum).ok() && !datum.has_unknown) {
    return DefaultsOf(LayoutNamed(kDatumLayout));
  }
  return Refuse(value);
}

Result<LayoutChoice> Detect(const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(auto reader, LmdbReader::Open(file));
  const std::uint64_t max_memory = MaxValueMemory(file);
  SHARDINE_ASSIGN_OR_RETURN(auto entry, reader->First());
  // In key order the two come before lower-case letters, but after digits.
  while (entry && (AsText(entry->key) == kKeysEntry ||
                   AsText(entry->key) == kLengthEntry)) {
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
     .limits = {.label_type = LabelType::kInt64,
                .max_labels = 1,
                .needs_image = true,
                .max_payload = kMaxLmdbValue - kFolder2LmdbOverhead},
     .parameters = kFolder2LmdbParameters},
    {.name = kDatumLayout,
     .limits = {.label_type = LabelType::kInt32,
                .max_labels = 1,
                .keys = true,
                .max_key = kMaxLmdbKey - kDatumKeyPrefix,
                .array_image = true,
                .needs_image = true,
                .max_payload = kMaxDatumPayload}},
    {.name = kFieldsLayout,
     .limits = {.label_type = LabelType::kExact,
                .max_labels = kMaxFieldsLabels,
                .keys = true,
                .max_key = kMaxLmdbKey,
                .unique_keys = true,
                .fields = true,
                .array_image = true,
                .max_payload = kMaxFieldsPayload}}};

Result<LayoutChoice> DetectLmdbLayout(const RandomAccessFile& file) {
  auto choice = Detect(file);
  if (choice.ok()) return choice;
  return std::move(choice).status().At({.path = file.path()});
}

}  // namespace shardine
