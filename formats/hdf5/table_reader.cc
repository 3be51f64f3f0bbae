#include "hdf5/table_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "hdf5/dtype_name.h"
#include "hdf5/fuel_names.h"

namespace shardine {
namespace {

constexpr std::size_t kReadAhead = std::size_t{1} << 18;
// The bytes that all columns together read ahead.
constexpr std::size_t kAheadOfAll = std::size_t{1} << 24;

// IEEE 754: five bits of exponent, biased by 15, and ten of mantissa. Below the
// least exponent the leading 1 is missing.
double HalfToDouble(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double LoadReal(const std::byte* from, std::uint32_t size) {
  if (size == 2) return HalfToDouble(LoadLe<std::uint16_t>(from));
  return size == 4 ? LoadLe<float>(from) : LoadLe<double>(from);
}

// DecodeDataset has checked the sizes, so the default is 8.
std::int64_t LoadSigned(const std::byte* from, std::uint32_t size) {
  switch (size) {
    case 1:
      return LoadLe<std::int8_t>(from);
    case 2:
      return LoadLe<std::int16_t>(from);
    case 4:
      return LoadLe<std::int32_t>(from);
    default:
      return LoadLe<std::int64_t>(from);
  }
}

std::uint64_t LoadUnsigned(const std::byte* from, std::uint32_t size) {
  switch (size) {
    case 1:
      return LoadLe<std::uint8_t>(from);
    case 2:
      return LoadLe<std::uint16_t>(from);
    case 4:
      return LoadLe<std::uint32_t>(from);
    default:
      return LoadLe<std::uint64_t>(from);
  }
}

// Is the label the mark of a sample without one?
bool IsNoLabel(ByteView bytes, const Hdf5Element& element) {
  if (element.kind == 'f') {
    return std::isnan(LoadReal(bytes.data(), element.size));
  }
  return element.kind == 'i' && element.size == 8 &&
         LoadLe<std::int64_t>(bytes.data()) == kNoTarget;
}

Status Corrupt(std::string message) {
  return Status(Code::kCorrupt, std::move(message));
}

}  // namespace

// A dataset may have a second name, and its bytes are in the samples twice
// then.
TablesOfFile::TablesOfFile(const RandomAccessFile& file,
                           const SandboxSession& session)
    : budget(MostRowBytes(file)), heap(session.widths(), file.size(), budget) {
  budget.Begin(2 * file.size());
}

TableReader::TableReader(const RandomAccessFile& file, SandboxSession& session,
                         const SampleTable& table, TablesOfFile& whole)
    : file_(file),
      session_(session),
      table_(table),
      whole_(whole),
      record_(MostRowBytes(file)),
      read_ahead_(std::min(
          kReadAhead,
          kAheadOfAll / std::max<std::size_t>(1, table.fields.size()))) {}

Result<std::unique_ptr<TableReader>> TableReader::Open(
    const RandomAccessFile& file, SandboxSession& session,
    const SampleTable& table, TablesOfFile& whole) {
  std::unique_ptr<TableReader> reader(
      new TableReader(file, session, table, whole));
  SHARDINE_RETURN_IF_ERROR(reader->CheckSizes());
  SHARDINE_RETURN_IF_ERROR(reader->OpenAll());
  SHARDINE_RETURN_IF_ERROR(reader->CheckRows());
  return reader;
}

Status TableReader::Refused(const std::string& what) const {
  return Status(Code::kUnsupported,
                "a table of " + std::to_string(table_.fields.size()) +
                    " fields and " + std::to_string(table_.rows) + " rows " +
                    what);
}

Status TableReader::CheckRows() {
  if (table_.rows >
          std::numeric_limits<std::uint64_t>::max() / (kMaxFields + 1) ||
      !whole_.budget.Step(table_.rows * (table_.fields.size() + 1))) {
    return Refused("is far more than a file of " +
                   std::to_string(file_.size()) + " bytes can hold");
  }
  return {};
}

// Links and references let a few bytes of a file stand for any number of fields
// and rows, so both are asked before a row is read.
Status TableReader::CheckSizes() {
  if (table_.fields.size() > kMaxFields) {
    return Refused("has more fields than " + std::to_string(kMaxFields));
  }
  record_.Begin(file_.size());
  for (const TableField& field : table_.fields) {
    const auto row = RowBytesOf({file_, session_, field.payload, table_.whole});
    // OpenColumn says which row is too large alone.
    if (!row || *row > MostRowBytes(file_)) continue;
    if (!record_.Hold(*row + 2 * read_ahead_)) {
      return Refused("takes more memory at a time than " +
                     std::to_string(MostRowBytes(file_)) +
                     " bytes; its fields may be links to one dataset");
    }
  }
  return {};
}

Result<std::unique_ptr<Column>> TableReader::OpenSmall(std::size_t dataset) {
  ColumnSource source{file_, session_, dataset, table_.whole};
  source.heap = &whole_.heap;
  source.batch = read_ahead_;
  return OpenColumn(source);
}

Status TableReader::OpenAll() {
  // Rows of variable length of several fields lie between each other in the
  // heap. With a window for each, every byte would be read once per field.
  std::size_t in_heap = 0;
  for (const TableField& field : table_.fields) {
    const Hdf5Dataset& info = session_.datasets()[field.payload];
    if (info.row != Hdf5Row::kFixed) ++in_heap;
  }
  if (in_heap > 1) heap_window_.emplace(file_, kReadAhead, in_heap);
  for (const TableField& field : table_.fields) {
    SHARDINE_ASSIGN_OR_RETURN(Field opened, OpenField(field));
    columns_.push_back(std::move(opened));
  }
  const auto open = [&](const std::optional<std::size_t>& dataset,
                        std::unique_ptr<Column>& column) -> Status {
    if (!dataset) return {};
    SHARDINE_ASSIGN_OR_RETURN(column, OpenSmall(*dataset));
    return {};
  };
  SHARDINE_RETURN_IF_ERROR(open(table_.labels, labels_column_));
  SHARDINE_RETURN_IF_ERROR(open(table_.keys, keys_column_));
  return open(table_.whole_keys, whole_keys_column_);
}

Result<TableReader::Field> TableReader::OpenField(const TableField& field) {
  const Hdf5Dataset& info = session_.datasets()[field.payload];
  Field opened;
  opened.name = field.name;
  opened.element = info.element.size;
  opened.variable = info.row != Hdf5Row::kFixed;
  opened.is_text = info.element.kind == 'S';
  opened.is_bytes = opened.is_text ||
                    (opened.variable && !field.shapes &&
                     info.element.kind == 'u' && info.element.size == 1) ||
                    // An image alone in its group, as encoded bytes.
                    (table_.whole && info.dims.size() == 1 &&
                     info.element.kind == 'u' && info.element.size == 1);
  opened.dtype = opened.is_bytes
                     ? std::string(kBytesDtype)
                     : Dtype{info.element.kind, info.element.size}.Name();
  if (!opened.is_bytes && !opened.variable) {
    const auto begin = info.dims.begin() + (table_.whole ? 0 : 1);
    opened.shape.assign(begin, info.dims.end());
  }
  SHARDINE_ASSIGN_OR_RETURN(
      opened.payload, OpenColumn({file_, session_, field.payload, table_.whole,
                                  read_ahead_, read_ahead_, &whole_.heap,
                                  heap_window_ ? &*heap_window_ : nullptr}));
  if (field.shapes) {
    SHARDINE_ASSIGN_OR_RETURN(opened.shapes, OpenSmall(*field.shapes));
  }
  if (field.present) {
    SHARDINE_ASSIGN_OR_RETURN(opened.present, OpenSmall(*field.present));
  }
  return opened;
}

Status TableReader::ReadShape(Field& field, std::uint64_t row,
                              std::uint64_t bytes) {
  if (field.shapes == nullptr) {
    field.shape.assign(1, bytes / field.element);
    return {};
  }
  SHARDINE_ASSIGN_OR_RETURN(const Cell cell, field.shapes->Row(row));
  field.shape.clear();
  for (std::size_t at = 0; at < cell.bytes.size(); at += 8) {
    field.shape.push_back(LoadLe<std::uint64_t>(&cell.bytes[at]));
  }
  // The payload and its shape are rows of two datasets, and a file may say
  // anything in either.
  if (Product(field.element, field.shape) == bytes) return {};
  return Corrupt("the field " + ShowName(field.name) + " has " +
                 std::to_string(bytes) + " bytes, which its shape denies");
}

// References may show one object of a heap, and links one dataset, any number
// of times.
Result<Cell> TableReader::ReadPayload(Field& field, std::uint64_t row) {
  SHARDINE_ASSIGN_OR_RETURN(const Cell cell, field.payload->Row(row));
  // CheckSizes() has asked for the delivered rows.
  const bool in_file = field.variable || !cell.extents.empty();
  if (!in_file || (record_.Show(cell.bytes.size()) &&
                   whole_.budget.Show(cell.bytes.size()))) {
    return cell;
  }
  return Status(Code::kUnsupported,
                "the field " + ShowName(field.name) +
                    " shares its bytes with other rows or fields, which would "
                    "write them many times; store a copy of each");
}

Result<ScannedField> TableReader::ReadField(Field& field, std::uint64_t row) {
  SHARDINE_ASSIGN_OR_RETURN(const Cell cell, ReadPayload(field, row));
  ScannedField read{.name = field.name,
                    .dtype = field.dtype,
                    .shape = {},
                    .bytes = cell.bytes,
                    .extents = cell.extents,
                    .is_text = field.is_text};
  if (field.is_text) {
    // Texts of fixed size are padded with NULs, which are no part of them, and
    // no part of the extent.
    std::size_t size = cell.bytes.size();
    while (size > 0 && cell.bytes[size - 1] == std::byte{0}) --size;
    read.bytes = cell.bytes.first(size);
    if (cell.extents.size() == 1) {
      field.trimmed = {cell.extents[0].offset, size};
      read.extents = {&field.trimmed, 1};
    }
    return read;
  }
  if (field.variable && !field.is_bytes) {
    SHARDINE_RETURN_IF_ERROR(ReadShape(field, row, cell.bytes.size()));
  }
  read.shape = field.shape;
  return read;
}

Status TableReader::ReadFields(std::uint64_t row) {
  fields_.clear();
  record_.Begin(file_.size());
  for (Field& field : columns_) {
    if (field.present != nullptr) {
      SHARDINE_ASSIGN_OR_RETURN(const Cell present, field.present->Row(row));
      if (present.bytes[0] == std::byte{0}) continue;
    }
    SHARDINE_ASSIGN_OR_RETURN(ScannedField read, ReadField(field, row));
    fields_.push_back(read);
  }
  return {};
}

Status TableReader::AddLabel(const std::byte* from,
                             const Hdf5Element& element) {
  if (element.kind == 'f') {
    const double value = LoadReal(from, element.size);
    if (std::isnan(value)) {
      return Status(Code::kUnsupported, "a label that is not a number");
    }
    labels_.push_back(Label::FromReal(value));
    return {};
  }
  if (element.kind == 'i') {
    labels_.emplace_back(LoadSigned(from, element.size));
    return {};
  }
  const std::uint64_t value = LoadUnsigned(from, element.size);
  if (value >
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Status(Code::kUnsupported,
                  "a label of " + std::to_string(value) +
                      ", which is beyond the integers of 64 bits");
  }
  labels_.emplace_back(static_cast<std::int64_t>(value));
  return {};
}

Status TableReader::ReadLabels(std::uint64_t row) {
  labels_.clear();
  if (table_.class_label) labels_.emplace_back(*table_.class_label);
  if (labels_column_ == nullptr) return {};
  SHARDINE_ASSIGN_OR_RETURN(const Cell cell, labels_column_->Row(row));
  const Hdf5Element& element = session_.datasets()[*table_.labels].element;
  // A value that stands for none does so only where it is alone. Among several
  // labels a NaN is refused, and -2^63 is a number.
  if (cell.bytes.size() == element.size && IsNoLabel(cell.bytes, element)) {
    return {};
  }
  for (std::size_t at = 0; at < cell.bytes.size(); at += element.size) {
    SHARDINE_RETURN_IF_ERROR(AddLabel(&cell.bytes[at], element));
  }
  return {};
}

Status TableReader::ReadKey(std::uint64_t row) {
  // Keys with a NUL inside are whole only here; the others are empty.
  if (whole_keys_column_ != nullptr) {
    SHARDINE_ASSIGN_OR_RETURN(const Cell cell, whole_keys_column_->Row(row));
    key_ = AsText(cell.bytes);
    if (!key_.empty()) return {};
  }
  SHARDINE_ASSIGN_OR_RETURN(const Cell cell, keys_column_->Row(row));
  const std::string_view text = AsText(cell.bytes);
  key_ = text.substr(0, text.find('\0'));
  return {};
}

Result<ScannedSample> TableReader::Read(std::uint64_t row) {
  SHARDINE_RETURN_IF_ERROR(ReadFields(row));
  SHARDINE_RETURN_IF_ERROR(ReadLabels(row));
  ScannedSample sample;
  if (keys_column_ != nullptr) {
    SHARDINE_RETURN_IF_ERROR(ReadKey(row));
    sample.key = key_;
  }
  for (const ScannedField& field : fields_) {
    if (field.name == kImageField && !field.extents.empty()) {
      sample.record_offset = field.extents[0].offset;
    }
  }
  if (!table_.key.empty()) sample.key = table_.key;
  sample.labels = labels_;
  sample.fields = fields_;
  sample.class_name = table_.class_name;
  return sample;
}

}  // namespace shardine
