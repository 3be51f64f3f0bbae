// The annotations of a sample, read from its fields.
#ifndef SHARDINE_EXTRACT_ANNOTATION_FIELDS_H_
#define SHARDINE_EXTRACT_ANNOTATION_FIELDS_H_

#include <span>

#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/annotation_reader.h"

namespace shardine {

// The reverse of AddAnnotations (source/annotations.h). Numbers may have any
// type. kCorrupt, naming the field: its shape or its values do not fit the
// others. kUnsupported: boxes without a field bbox_label.
Result<ImageAnnotations> ReadAnnotations(std::span<const FieldView> fields);

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_ANNOTATION_FIELDS_H_
