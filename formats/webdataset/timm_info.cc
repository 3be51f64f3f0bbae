#include "webdataset/timm_info.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/status_macros.h"
#include "base/utf8.h"

namespace shardine {

Status WriteTimmInfo(ReadableStorage& /*storage*/, const DatasetFacts& facts,
                     const LayoutChoice& layout, MetadataSink& sink) {
  if (layout.value(kMetadataParameter) != kTimmMetadata) return Status();
  using Json = nlohmann::ordered_json;
  Json splits = Json::object();
  for (const DatasetFacts::Split& split : facts.splits) {
    Json files = Json::array();
    Json lengths = Json::array();
    for (const DatasetFacts::Shard& shard : split.shards) {
      if (!IsUtf8(shard.path)) {
        return Status(Code::kUnsupported,
                      "its name is not UTF-8, and JSON can hold no other")
            .At({.path = JoinPath(facts.directory, shard.path)});
      }
      files.push_back(shard.path);
      lengths.push_back(shard.samples);
    }
    splits[split.name] = {{"name", split.name},
                          {"num_samples", split.samples},
                          {"filenames", std::move(files)},
                          {"shard_lengths", std::move(lengths)}};
  }
  SHARDINE_RETURN_IF_ERROR(sink.Begin("_info.json"));
  return sink.Append(Json{{"splits", std::move(splits)}}.dump(1) + "\n");
}

}  // namespace shardine
