// Fixture of tests of annotations: the fields of a sample as text.
#ifndef SHARDINE_UNIT_SOURCE_ANNOTATION_FIXTURE_H_
#define SHARDINE_UNIT_SOURCE_ANNOTATION_FIXTURE_H_

#include <cstring>
#include <map>
#include <string>

#include "base/number.h"
#include "source/table_fields.h"
#include "unit/source/source_fixture.h"

namespace shardine {

// A flat folder "t" with these images, annotated by `text`: "coco:a.json".
inline SourceOptions AnnotatedBy(const std::string& text) {
  SourceOptions options = TreeOptions();
  auto annotations = ParseAnnotations(text);
  INFO(annotations.status().ToString());
  REQUIRE(annotations.ok());
  options.annotations = *annotations;
  return options;
}

// "2x4 10 20 30 40 ..." by name; texts as they are.
inline std::map<std::string, std::string> FieldsOf(const SourceSet& set,
                                                   std::size_t sample) {
  std::map<std::string, std::string> texts;
  const auto fields = ColumnFieldsOf(set.samples.fields(sample), set.columns);
  REQUIRE(fields.has_value());
  for (const ColumnField& field : *fields) {
    std::string& text = texts[std::string(field.name)];
    if (field.dtype == "|S") {
      text = field.bytes;
      continue;
    }
    for (const std::uint64_t side : field.shape) {
      text += (text.empty() ? "" : "x") + std::to_string(side);
    }
    for (std::size_t at = 0; at < field.bytes.size(); at += 8) {
      double real = 0;
      std::int64_t integer = 0;
      std::memcpy(&real, field.bytes.data() + at, 8);
      std::memcpy(&integer, field.bytes.data() + at, 8);
      text += " " + (field.dtype == "<f8" ? NumberText(real)
                                          : std::to_string(integer));
    }
  }
  return texts;
}

}  // namespace shardine

#endif  // SHARDINE_UNIT_SOURCE_ANNOTATION_FIXTURE_H_
