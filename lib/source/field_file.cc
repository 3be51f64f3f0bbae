#include "source/field_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/sized_text.h"
#include "io/path_scheme.h"
#include "source/table_fields.h"

namespace shardine {
namespace {

// A cell has the number of one.
constexpr std::array<std::string_view, 6> kFaults = {
    "", "missing", "not-a-file", "link-loop", "dangling-link", "unreadable"};

struct CellHead {
  std::uint64_t size = 0;
  std::uint64_t mtime_ns = 0;
  std::uint8_t fault = 0;
  std::uint32_t shared = 0;  // first bytes of the image's path
};

bool ReadHead(ByteCursor& cursor, CellHead& head) {
  return cursor.Read(head.size) && cursor.Read(head.mtime_ns) &&
         cursor.Read(head.fault) && cursor.Read(head.shared) &&
         head.fault < kFaults.size();
}

std::string WholePath(const SourceSet& source, std::size_t sample,
                      std::string path) {
  if (path.starts_with('/') || !SchemeOf(path).empty()) return path;
  return JoinPath(source.roots[source.samples.root(sample)], path);
}

}  // namespace

void AppendFieldFile(std::uint32_t column, const FieldFile& file,
                     std::string_view image_path, std::string& cells) {
  const auto [own, of_image] = std::ranges::mismatch(file.path, image_path);
  const auto shared = static_cast<std::uint32_t>(own - file.path.begin());
  const std::string_view rest = std::string_view(file.path).substr(shared);
  const auto fault = std::ranges::find(kFaults, file.fault) - kFaults.begin();
  std::string cell;
  AppendLe(file.facts.size, cell);
  AppendLe(static_cast<std::uint64_t>(file.facts.mtime_ns), cell);
  AppendLe(static_cast<std::uint8_t>(fault), cell);
  AppendLe(shared, cell);
  cell += rest;
  AppendCells({{.kind = CellKind::kText, .text = cell, .column = column}},
              cells);
}

bool IsFieldFile(std::string_view cell) {
  ByteCursor cursor(AsBytes(cell));
  CellHead head;
  return ReadHead(cursor, head);
}

FieldFile ReadFieldFile(std::string_view cell, std::string_view image_path) {
  ByteCursor cursor(AsBytes(cell));
  CellHead head;
  ReadHead(cursor, head);
  FieldFile file;
  file.path = image_path.substr(0, head.shared);
  file.path += cell.substr(cell.size() - cursor.remaining());
  file.facts = {head.size, static_cast<std::int64_t>(head.mtime_ns)};
  file.fault = kFaults[head.fault];
  return file;
}

bool HasFieldFiles(const SourceSet& source) {
  return std::ranges::any_of(source.columns, IsOfFiles, &TableColumn::type);
}

std::vector<SampleFile> FilesOfSample(const SourceSet& source,
                                      std::size_t sample) {
  std::vector<SampleFile> files;
  if (!HasFieldFiles(source)) return files;
  const SourceList& list = source.samples;
  const auto fields = ColumnFieldsOf(list.fields(sample), source.columns);
  for (const ColumnField& field : *fields) {
    if (!IsOfFiles(field.type)) continue;
    SampleFile file{.field = std::string(field.name),
                    .is_text = field.type == ColumnType::kTextFile,
                    .file = ReadFieldFile(field.bytes, list.path(sample))};
    file.file.path = WholePath(source, sample, std::move(file.file.path));
    files.push_back(std::move(file));
  }
  return files;
}

std::uint64_t FieldFileBytes(const SourceSet& source, std::size_t sample) {
  std::uint64_t bytes = 0;
  if (!HasFieldFiles(source)) return bytes;
  const auto fields =
      ColumnFieldsOf(source.samples.fields(sample), source.columns);
  for (const ColumnField& field : *fields) {
    if (!IsOfFiles(field.type)) continue;
    const std::uint64_t size = ReadFieldFile(field.bytes, {}).facts.size;
    if (__builtin_add_overflow(bytes, size, &bytes)) {
      return ~std::uint64_t{0};
    }
  }
  return bytes;
}

std::string DecidingCells(const SourceSet& source, std::size_t sample) {
  const std::string_view cells = source.samples.fields(sample);
  if (!HasFieldFiles(source)) return std::string(cells);
  std::string deciding;
  const auto fields = ColumnFieldsOf(cells, source.columns);
  for (const ColumnField& field : *fields) {
    const bool is_file = IsOfFiles(field.type);
    AppendSized(field.name, deciding);
    if (is_file) {
      AppendLe(ReadFieldFile(field.bytes, {}).facts.size, deciding);
    } else {
      AppendSized(field.bytes, deciding);
      if (field.type != ColumnType::kArray) continue;
      for (const std::uint64_t side : field.shape) AppendLe(side, deciding);
    }
  }
  return deciding;
}

}  // namespace shardine
