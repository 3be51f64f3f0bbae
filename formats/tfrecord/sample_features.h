// Turns a sample into an Example: the inverse of tfrecord_layout.h and
// example_fields.h. FORMAT.md, "Features".
#ifndef SHARDINE_FORMATS_TFRECORD_SAMPLE_FEATURES_H_
#define SHARDINE_FORMATS_TFRECORD_SAMPLE_FEATURES_H_

#include <cstdint>

#include "shardine/sample.h"
#include "shardine/status.h"
#include "tfrecord/example_writer.h"
#include "tfrecord/field_features.h"

namespace shardine {

// The checks of fields that CreateTfRecordWriter documents: `fields` is their
// plan then, or kUnsupported names the first that the layout cannot hold.
Status PlanImagenetFields(const SampleView& sample, FieldFeatures& fields);
Status PlanTfdsFields(const SampleView& sample, FieldFeatures& fields);

// The whole sample. kUnsupported for a label that does not fit in int64 with
// the offset; `example` is to be cleared then.
// REQUIRES: `fields` is the plan of this sample; at most as many labels as the
// layout has.
Status AddImagenetFeatures(const SampleView& sample, std::int64_t label_offset,
                           const FieldFeatures& fields, ExampleWriter& example);
void AddTfdsFeatures(const SampleView& sample, const FieldFeatures& fields,
                     ExampleWriter& example);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_SAMPLE_FEATURES_H_
