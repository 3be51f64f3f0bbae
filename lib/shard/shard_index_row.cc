#include "shard/shard_index_row.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "shard/dtype.h"
#include "shard/encoded_image.h"
#include "shard/payload.h"
#include "shard/shard_index_layout.h"

namespace shardine {
namespace {

// Which parts of a row mean something; the others are zero.
constexpr std::uint8_t kHasLabel = 1;
constexpr std::uint8_t kLabelIsReal = 2;
constexpr std::uint8_t kHasExtent = 4;
constexpr std::uint8_t kHasOverflow = 8;
constexpr std::uint8_t kKnownFlags = 15;

constexpr std::size_t kLabelBytes = 9;
constexpr std::size_t kExtentBytes = 16;
constexpr std::size_t kMinFieldBytes = 16;
// Sums of such lengths over 2^32 samples do not overflow.
constexpr std::uint64_t kMaxNowhere = (std::uint64_t{1} << 32) - 1;

std::uint64_t LabelBits(const Label& label) {
  return label.is_integer() ? static_cast<std::uint64_t>(label.integer())
                            : std::bit_cast<std::uint64_t>(label.real());
}

// False for NaN and for integers dressed as reals: there is one way to write
// each label.
bool LabelFromBits(bool is_real, std::uint64_t bits, Label& label) {
  if (!is_real) {
    label = Label(static_cast<std::int64_t>(bits));
    return true;
  }
  const double value = std::bit_cast<double>(bits);
  if (std::isnan(value)) return false;
  label = Label::FromReal(value);
  return !label.is_integer();
}

const Extent* FirstExtent(const IndexEntry& entry) {
  if (entry.fields.empty() || entry.fields[0].extents.empty()) return nullptr;
  return &entry.fields[0].extents[0];
}

std::uint8_t RowFlags(const IndexEntry& entry) {
  std::uint8_t flags = 0;
  if (!entry.labels.empty()) flags |= kHasLabel;
  if (!entry.labels.empty() && !entry.labels[0].is_integer()) {
    flags |= kLabelIsReal;
  }
  if (FirstExtent(entry)) flags |= kHasExtent;
  if (NeedsOverflow(entry)) flags |= kHasOverflow;
  return flags;
}

void AppendString(std::string_view text, std::string& to) {
  AppendLe(static_cast<std::uint32_t>(text.size()), to);
  to += text;
}

void AppendField(const IndexField& field, bool is_first, std::string& to) {
  AppendString(field.name, to);
  AppendString(field.dtype, to);
  AppendLe(static_cast<std::uint32_t>(field.shape.size()), to);
  for (const std::uint64_t dim : field.shape) AppendLe(dim, to);
  // The row has the very first extent.
  const std::size_t skip = is_first && !field.extents.empty() ? 1 : 0;
  AppendLe(static_cast<std::uint32_t>(field.extents.size() - skip), to);
  for (std::size_t i = skip; i < field.extents.size(); ++i) {
    AppendLe(field.extents[i].offset, to);
    AppendLe(field.extents[i].length, to);
  }
}

// All fields have one or none has.
bool HasFieldCrcs(const IndexEntry& entry) {
  return entry.fields.size() > 1 &&
         std::ranges::all_of(entry.fields, [](const IndexField& field) {
           return field.crc.has_value();
         });
}

// A count of things of at least that size which can still follow.
// So a hostile count makes no reader reserve more than the record's own bytes.
bool ReadCount(ByteCursor& cursor, std::size_t size, std::uint32_t& count) {
  return cursor.Read(count) && count <= cursor.remaining() / size;
}

bool ReadString(ByteCursor& cursor, std::string& text) {
  std::uint32_t length = 0;
  ByteView bytes;
  if (!cursor.Read(length) || !cursor.ReadBytes(length, bytes)) return false;
  text = AsText(bytes);
  return true;
}

bool ReadLabels(ByteCursor& cursor, std::vector<Label>& labels) {
  std::uint32_t count = 0;
  if (!ReadCount(cursor, kLabelBytes, count)) return false;
  labels.reserve(labels.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    char kind = 0;
    std::uint64_t bits = 0;
    Label label;
    if (!cursor.Read(kind) || !cursor.Read(bits)) return false;
    if (kind != 'i' && kind != 'f') return false;
    if (!LabelFromBits(kind == 'f', bits, label)) return false;
    labels.push_back(label);
  }
  return true;
}

bool ReadField(ByteCursor& cursor, IndexField& field) {
  std::uint32_t count = 0;
  if (!ReadString(cursor, field.name) || !ReadString(cursor, field.dtype) ||
      !ReadCount(cursor, sizeof(std::uint64_t), count)) {
    return false;
  }
  field.shape.resize(count);
  for (std::uint64_t& dim : field.shape) {
    if (!cursor.Read(dim)) return false;
  }
  if (!ReadCount(cursor, kExtentBytes, count)) return false;
  field.extents.reserve(field.extents.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Extent extent;
    if (!cursor.Read(extent.offset) || !cursor.Read(extent.length)) {
      return false;
    }
    field.extents.push_back(extent);
  }
  return true;
}

// In: the row's one field, if it has an extent. Out: all fields.
bool ReadFields(ByteCursor& cursor, std::vector<IndexField>& fields) {
  std::uint32_t count = 0;
  if (!ReadCount(cursor, kMinFieldBytes, count)) return false;
  std::vector<IndexField> row_fields = std::exchange(fields, {});
  if (count == 0) return row_fields.empty();
  for (std::uint32_t i = 0; i < count; ++i) {
    IndexField field;
    if (i == 0 && !row_fields.empty()) field.extents = row_fields[0].extents;
    if (!ReadField(cursor, field)) return false;
    // Names ascend, so that none comes twice and each entry has one form.
    if (i > 0 && fields.back().name >= field.name) return false;
    fields.push_back(std::move(field));
  }
  return true;
}

// The CRCs of version 2, in records of several fields: they are all that is
// left of the record.
bool ReadFieldCrcs(ByteCursor& cursor, std::vector<IndexField>& fields) {
  if (cursor.done()) return true;
  if (fields.size() < 2) return false;
  for (IndexField& field : fields) {
    if (!cursor.Read(field.crc.emplace())) return false;
  }
  return true;
}

void LoadFacts(const std::byte* at, ImageFacts& facts) {
  facts.width = LoadLe<std::uint32_t>(at);
  facts.height = LoadLe<std::uint32_t>(at + 4);
  facts.kind = static_cast<ImageKind>(at[8]);
  facts.coding = static_cast<ImageCoding>(at[9]);
  facts.components = static_cast<std::uint8_t>(at[10]);
  facts.bits = static_cast<std::uint8_t>(at[11]);
  facts.orientation = static_cast<std::uint8_t>(at[12]);
}

}  // namespace

std::uint32_t IndexVersionOf(const IndexEntry& entry) {
  return HasFieldCrcs(entry) ? 2 : 1;
}

bool NeedsOverflow(const IndexEntry& entry) {
  if (entry.labels.size() > 1 || entry.fields.size() > 1) return true;
  if (entry.fields.empty()) return false;
  const IndexField& field = entry.fields[0];
  return !IsEncodedImage(field) || field.extents.size() != 1;
}

void AppendIndexRow(const IndexEntry& entry, OverflowRef overflow,
                    std::string& rows) {
  const Extent* extent = FirstExtent(entry);
  AppendLe(entry.id, rows);
  AppendLe(entry.content_digest.low, rows);
  AppendLe(entry.content_digest.high, rows);
  AppendLe(entry.labels.empty() ? 0 : LabelBits(entry.labels[0]), rows);
  AppendLe(extent ? extent->offset : 0, rows);
  AppendLe(extent ? extent->length : 0, rows);
  AppendLe(overflow.offset, rows);
  AppendLe(overflow.bytes, rows);
  AppendLe(entry.payload_crc, rows);
  AppendLe(entry.facts.width, rows);
  AppendLe(entry.facts.height, rows);
  AppendLe(static_cast<std::uint8_t>(entry.facts.kind), rows);
  AppendLe(static_cast<std::uint8_t>(entry.facts.coding), rows);
  AppendLe(entry.facts.components, rows);
  AppendLe(entry.facts.bits, rows);
  AppendLe(entry.facts.orientation, rows);
  AppendLe(RowFlags(entry), rows);
  AppendLe(std::uint16_t{0}, rows);
}

Status DecodeIndexRow(ByteView row, IndexEntry& entry, OverflowRef& overflow) {
  SHARDINE_CHECK(row.size() == kIndexRowBytes);
  const std::byte* at = row.data();
  const auto flags = static_cast<std::uint8_t>(at[77]);
  const auto has = [flags](std::uint8_t flag) { return (flags & flag) != 0; };
  const auto label_bits = LoadLe<std::uint64_t>(at + 24);
  const Extent extent{LoadLe<std::uint64_t>(at + 32),
                      LoadLe<std::uint64_t>(at + 40)};
  entry.id = LoadLe<std::uint64_t>(at);
  entry.content_digest = {LoadLe<std::uint64_t>(at + 8),
                          LoadLe<std::uint64_t>(at + 16)};
  overflow.offset = LoadLe<std::uint64_t>(at + 48);
  overflow.bytes = LoadLe<std::uint32_t>(at + 56);
  entry.payload_crc = LoadLe<std::uint32_t>(at + 60);
  LoadFacts(at + 64, entry.facts);

  Label label;
  if (flags > kKnownFlags || LoadLe<std::uint16_t>(at + 78) != 0 ||
      (!has(kHasLabel) && (has(kLabelIsReal) || label_bits != 0)) ||
      !LabelFromBits(has(kLabelIsReal), label_bits, label) ||
      (!has(kHasExtent) && extent != Extent{}) ||
      (has(kHasOverflow) ? overflow.bytes == 0
                         : overflow.bytes != 0 || overflow.offset != 0)) {
    return DamagedIndex("a row contradicts itself");
  }
  entry.labels.clear();
  if (has(kHasLabel)) entry.labels.push_back(label);
  entry.fields.resize(has(kHasExtent) ? 1 : 0);
  if (has(kHasExtent)) {
    IndexField& field = entry.fields[0];
    field.name = kImageField;
    field.dtype = kBytesDtype;
    field.shape.clear();
    field.extents.assign(1, extent);
    field.crc.reset();
  }
  return {};
}

void AppendOverflow(const IndexEntry& entry, std::uint64_t record,
                    std::string& overflow) {
  const std::size_t begin = overflow.size();
  AppendLe(record, overflow);
  const std::size_t skip = entry.labels.empty() ? 0 : 1;
  AppendLe(static_cast<std::uint32_t>(entry.labels.size() - skip), overflow);
  for (std::size_t i = skip; i < entry.labels.size(); ++i) {
    AppendLe(entry.labels[i].is_integer() ? 'i' : 'f', overflow);
    AppendLe(LabelBits(entry.labels[i]), overflow);
  }
  AppendLe(static_cast<std::uint32_t>(entry.fields.size()), overflow);
  for (std::size_t i = 0; i < entry.fields.size(); ++i) {
    AppendField(entry.fields[i], i == 0, overflow);
  }
  if (HasFieldCrcs(entry)) {
    for (const IndexField& field : entry.fields) AppendLe(*field.crc, overflow);
  }
  AppendLe(Crc32c(AsBytes(overflow).subspan(begin)), overflow);
}

Status DecodeOverflow(ByteView bytes, std::uint64_t record,
                      std::uint32_t version, IndexEntry& entry) {
  constexpr std::size_t kCrcBytes = 4;
  if (bytes.size() < kCrcBytes) {
    return DamagedIndex("an overflow record is too short");
  }
  const ByteView body = bytes.first(bytes.size() - kCrcBytes);
  if (LoadLe<std::uint32_t>(bytes.data() + body.size()) != Crc32c(body)) {
    return DamagedIndex("an overflow record does not match its CRC");
  }
  ByteCursor cursor(body);
  std::uint64_t owner = 0;
  if (!cursor.Read(owner) || owner != record) {
    return DamagedIndex("an overflow record belongs to another row");
  }
  if (!ReadLabels(cursor, entry.labels) || !ReadFields(cursor, entry.fields) ||
      (version > 1 && !ReadFieldCrcs(cursor, entry.fields)) || !cursor.done()) {
    return DamagedIndex("an overflow record contradicts itself");
  }
  return {};
}

Status CheckExtents(const IndexEntry& entry, std::uint64_t shard_bytes) {
  // All together no longer than the shard: many extents of the same bytes would
  // else make a payload of any size from a small file.
  std::uint64_t left = shard_bytes;
  for (const IndexField& field : entry.fields) {
    for (const Extent& extent : field.extents) {
      if (extent.offset == kNowhere) {
        if (extent.length > kMaxNowhere) {
          return DamagedIndex("a payload is longer than any can be");
        }
        if (field.extents.size() == 1) continue;
        return DamagedIndex("a field lies in the shard and does not");
      }
      if (extent.offset > shard_bytes ||
          extent.length > shard_bytes - extent.offset || extent.length > left) {
        return DamagedIndex("an extent reaches beyond the shard");
      }
      left -= extent.length;
    }
  }
  return {};
}

Status CheckFields(const IndexEntry& entry) {
  for (const IndexField& field : entry.fields) {
    if (field.name.size() > kIndexMaxNameBytes) {
      return DamagedIndex("a field's name is longer than any can be");
    }
    const Status status =
        CheckFieldType(field.name, field.dtype, field.shape, FieldBytes(field));
    if (status.ok()) continue;
    return Status(status.code(), "sidecar index: " + status.message());
  }
  return {};
}

}  // namespace shardine
