// The .json member of the samples that we write: the data that other members of
// a sample cannot hold, and the mark that identifies them as ours. Form:
// FORMAT.md, "Our samples".
#ifndef SHARDINE_FORMATS_WEBDATASET_SAMPLE_JSON_H_
#define SHARDINE_FORMATS_WEBDATASET_SAMPLE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// The most labels of one sample; so a .json is below 64 MiB.
inline constexpr std::uint64_t kMaxJsonLabels = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxJsonKey = std::uint64_t{1} << 20;

struct SampleJson {
  std::optional<std::uint64_t> id;  // where the prefix is not it
  std::string key;
  std::vector<Label> labels;
};

// {"shardine":1,"key":"n01/a.jpg","labels":[7,0.5,"-inf"]}, or with an id
// {"shardine":1,"id":7,"key":"n01/a.jpg","labels":[]}.
void AppendSampleJson(std::optional<std::uint64_t> id, std::string_view key,
                      std::span<const Label> labels, std::string& to);

// Does it begin like one of ours, of this or another version?
bool IsSampleJson(std::string_view text);

// The inverse of AppendSampleJson: replaces `json`. kCorrupt unless `text` is,
// byte for byte, its output; kUnsupported for another version and for values
// beyond the limits. REQUIRES: IsSampleJson(text).
Status ParseSampleJson(std::string_view text, SampleJson& json);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_SAMPLE_JSON_H_
