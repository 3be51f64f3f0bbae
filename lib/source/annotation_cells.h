// The columns of annotations, and their cells.
#ifndef SHARDINE_SOURCE_ANNOTATION_CELLS_H_
#define SHARDINE_SOURCE_ANNOTATION_CELLS_H_

#include <cstdint>
#include <string>

#include "shardine/status.h"
#include "source/annotation_reader.h"
#include "source/source_set.h"

namespace shardine {

// Thread-compatible.
class AnnotationCells {
 public:
  // Adds the columns of all `parts` to the set (source/annotations.h).
  // kInvalidArgument: a field of one of the names is there.
  static Result<AnnotationCells> AddTo(SourceSet& set,
                                       const AnnotationParts& parts);

  // The cells of a sample, in the form of AppendCells().
  std::string Of(const ImageAnnotations& annotations) const;

 private:
  AnnotationParts parts_;
  std::uint32_t first_ = 0;  // column
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ANNOTATION_CELLS_H_
