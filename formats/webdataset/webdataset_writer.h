// Writes samples as a WebDataset shard: a .tar and DALI's .idx. Byte layout:
// FORMAT.md, "Our samples".
#ifndef SHARDINE_FORMATS_WEBDATASET_WEBDATASET_WRITER_H_
#define SHARDINE_FORMATS_WEBDATASET_WEBDATASET_WRITER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "shard/format.h"

namespace shardine {

// The parameter that selects the names of a sample's files, and its values.
inline constexpr std::string_view kMemberKeys = "keys";
inline constexpr std::string_view kIdKeys = "id";
inline constexpr std::string_view kOriginalKeys = "original";

// The limit of a sample's fields that can be read back, with headers and the
// .json beside them (TarReader::kMaxHeld).
inline constexpr std::uint64_t kMaxWebDatasetPayload =
    (std::uint64_t{2} << 30) - (std::uint64_t{64} << 20);

// kUnsupported for more than kMaxWebDatasetPayload, for a key or labels beyond
// the limits of sample_json.h, for an array whose element type NumPy does not
// name, for a key that cannot name files where keys are to, and for the name of
// the sample before once more: their members would be one sample.
Result<std::unique_ptr<ShardWriter>> CreateWebDatasetWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_WEBDATASET_WRITER_H_
