// A file that is a field of a sample, as a cell of the sample's own bytes
// (source/table_fields.h) has it.
#ifndef SHARDINE_SOURCE_FIELD_FILE_H_
#define SHARDINE_SOURCE_FIELD_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/source_set.h"

namespace shardine {

struct FieldFile {
  std::string path;  // below the image's root, or absolute
  SourceFacts facts;
  // Why it cannot be read, as in SourceSet::bad; empty: it can.
  std::string_view fault = {};
};

// Appends the cell of a column. The cell has the part of the path that the
// image's has not.
void AppendFieldFile(std::uint32_t column, const FieldFile& file,
                     std::string_view image_path, std::string& cells);

// Whether a cell is one of those.
bool IsFieldFile(std::string_view cell);

// REQUIRES: IsFieldFile(cell).
FieldFile ReadFieldFile(std::string_view cell, std::string_view image_path);

// Whether any field of the samples comes from a file.
bool HasFieldFiles(const SourceSet& source);

// A file of a sample, with the field that it becomes.
struct SampleFile {
  std::string field;
  bool is_text = false;
  FieldFile file;  // by its whole path
};

// By ascending names of fields. REQUIRES: ColumnFieldsOf() reads the sample's.
std::vector<SampleFile> FilesOfSample(const SourceSet& source,
                                      std::size_t sample);

// Bytes of all files of a sample but its image.
std::uint64_t FieldFileBytes(const SourceSet& source, std::size_t sample);

// The cells of a sample that decide the bytes of its fields: of a file its size
// alone.
std::string DecidingCells(const SourceSet& source, std::size_t sample);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_FIELD_FILE_H_
