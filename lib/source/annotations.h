// Annotations of images become fields of their samples.
#ifndef SHARDINE_SOURCE_ANNOTATIONS_H_
#define SHARDINE_SOURCE_ANNOTATIONS_H_

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Reads options.annotations, and gives all samples the fields that there are:
//
//   annotations     text: the source's own form; empty of an image without any
//   bbox            <f8, n x 4: xmin, ymin, xmax, ymax, corners in pixels of
//                   the stored, unturned image
//   bbox_label      <i8, n: Category::label, from 0
//   bbox_crowd      <i8, n: 0 or 1 (COCO)
//   bbox_difficult  <i8, n: 0 or 1 (VOC), as bbox_truncated
//   keypoints       <f8, n x k x 3: x, y, visibility; 0 where there is none
//   polygon         <f8, p x 2: the points of all polygons, one after another
//   polygon_rows    <i8, r x 2: of each polygon its box, and its points
//   rle             <i8, c: the runs of all masks, column by column, from one
//                   of background
//   rle_rows        <i8, r x 4: of each mask its box, runs, height, width
//   captions        text: a JSON list of texts
//
// All samples have the same fields; without annotations they have no rows.
// Images that no sample is are listed in set.ignored ("annotation-unmatched")
// and counted in set.notes, and so are annotations that are left out
// ("annotation-dropped").
//
// kCorrupt: a file that does not parse, or, under BadAnnotations::kFail, an
// annotation that cannot be, by its image and number. kInvalidArgument: no
// image is a sample; a name could be two images; two annotated images are one
// sample; categories that disagree. kUnsupported: another kind.
Status AddAnnotations(ReadableStorage& storage, const SourceOptions& options,
                      SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ANNOTATIONS_H_
