// The command in a manifest: see shardine/provenance.h. Only values that decide
// the dataset's bytes, so that every run that may finish another's work records
// the same.
#ifndef SHARDINE_PACK_PROVENANCE_OF_H_
#define SHARDINE_PACK_PROVENANCE_OF_H_

#include <optional>
#include <string>

#include "pack/convert_plan.h"
#include "shard/format_registry.h"
#include "shardine/dataset_writer.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/provenance.h"

namespace shardine {

inline constexpr char kWriteCommand[] = "write";  // of a DatasetWriter

Provenance ProvenanceOf(const PackOptions& options,
                        const FormatAndLayout& format);

// `spec.made` and the values that all commands on datasets have in common.
// `format` and `pixels` as planned: the input or a format may have asked for
// them.
Provenance ProvenanceOf(const ConvertSpec& spec, const std::string& format,
                        const std::optional<PixelOrder>& pixels);

Provenance ProvenanceOf(const IndexOptions& options,
                        const FormatAndLayout& format);

// The sources of a caller's own samples are not known here.
Provenance ProvenanceOf(const DatasetWriterOptions& options,
                        const FormatAndLayout& format);

}  // namespace shardine

#endif  // SHARDINE_PACK_PROVENANCE_OF_H_
