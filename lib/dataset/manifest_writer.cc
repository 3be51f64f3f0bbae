#include <nlohmann/json.hpp>
#include <utility>

#include "dataset/manifest_json.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// Any list by one function per element.
template <typename T>
Json ToJson(const std::vector<T>& list, Json (*convert)(const T&)) {
  Json array = Json::array();
  for (const T& element : list) array.push_back(convert(element));
  return array;
}

Json ClassToJson(const ClassInfo& info) {
  Json json = {{"count", info.count},
               {"label", info.label},
               {"name", EscapeBytes(info.name)}};
  if (!info.text.empty()) json["text"] = EscapeBytes(info.text);
  return json;
}

Json FileToJson(const ManifestFile& file) {
  return {{"bytes", file.bytes},
          {"digest", file.digest.ToHex()},
          {"path", EscapeBytes(file.path)}};
}

Json ShardToJson(const ManifestShard& shard) {
  Json json = FileToJson(shard.file);
  json["companions"] = ToJson(shard.companions, FileToJson);
  json["samples"] = shard.samples;
  if (shard.plan_digest != Digest128()) {
    json["plan_digest"] = shard.plan_digest.ToHex();
  }
  return json;
}

Json SplitToJson(const ManifestSplit& split) {
  Json json = {{"binding_digest", split.binding_digest.ToHex()},
               {"content_digest", split.content_digest.ToHex()},
               {"name", EscapeBytes(split.name)},
               {"names_digest", split.names_digest.ToHex()},
               {"order_digest", split.order_digest.ToHex()},
               {"samples", split.samples},
               {"shards", ToJson(split.shards, ShardToJson)}};
  if (split.unlabelled > 0) json["unlabelled"] = split.unlabelled;
  return json;
}

Json VariantToJson(const ManifestVariant& variant) {
  Json json = {{"filter", EscapeBytes(variant.filter)},
               {"name", EscapeBytes(variant.name)},
               {"parent_digest", variant.parent_digest.ToHex()},
               {"quality", variant.quality},
               {"short_side", variant.short_side}};
  if (variant.images.empty()) return json;
  json["images"] = EscapeBytes(variant.images);
  json["kept"] = variant.kept;
  json["upscaled"] = variant.upscaled;
  return json;
}

Json CountsToJson(const EntryPointCounts& counts) {
  return {{"damaged", counts.damaged}, {"images", counts.images}};
}

Json ChildToJson(const ManifestChild& child) {
  return {{"binding_digest", child.binding_digest.ToHex()},
          {"content_digest", child.content_digest.ToHex()},
          {"path", EscapeBytes(child.path)}};
}

Json RejectedToJson(const ManifestRejected& rejected) {
  return {{"action", EscapeBytes(rejected.action)},
          {"count", rejected.count},
          {"reason", EscapeBytes(rejected.reason)}};
}

Json TextToJson(const std::string& text) { return EscapeBytes(text); }

Json MakingToJson(const Making& made) {
  Json options = Json::object();
  for (const auto& [name, value] : made.options) {
    options[EscapeBytes(name)] = EscapeBytes(value);
  }
  return {{"command", EscapeBytes(made.command)},
          {"options", std::move(options)},
          {"sources", ToJson(made.sources, TextToJson)}};
}

// A manifest that is changed stays of its schema: what the older one does not
// have could only be made up.
void RemoveNewerMembers(Json& json) {
  json.erase("binding_digest");
  json.erase("made");
  for (const char* list : {"splits", "variants"}) {
    for (Json& entry : json[list]) entry.erase("binding_digest");
  }
  for (Json& split : json["splits"]) {
    split.erase("unlabelled");
    for (Json& shard : split["shards"]) shard.erase("plan_digest");
  }
}

}  // namespace

std::string ManifestToJson(const Manifest& manifest) {
  Json json = {{"binding_digest", manifest.binding_digest().ToHex()},
               {"classes", ToJson(manifest.classes, ClassToJson)},
               {"classes_digest", ClassMapDigest(manifest.classes).ToHex()},
               {"codec_versions", ToJson(manifest.codec_versions, TextToJson)},
               {"content_digest", manifest.content_digest().ToHex()},
               {"files", ToJson(manifest.files, FileToJson)},
               {"format", EscapeBytes(manifest.format)},
               {"made", MakingToJson(manifest.made)},
               {"names_digest", manifest.names_digest().ToHex()},
               {"order_digest", manifest.order_digest().ToHex()},
               {"plan_digest", manifest.plan_digest.ToHex()},
               {"rejected", ToJson(manifest.rejected, RejectedToJson)},
               {"samples", manifest.samples()},
               {"schema", manifest.schema},
               {"splits", ToJson(manifest.splits, SplitToJson)},
               {"tool_version", EscapeBytes(manifest.tool_version)},
               {"variant", VariantToJson(manifest.variant)},
               {"variants", ToJson(manifest.variants, ChildToJson)}};
  if (manifest.entry_points != EntryPointCounts()) {
    json["entry_points"] = CountsToJson(manifest.entry_points);
  }
  if (manifest.schema < 2) RemoveNewerMembers(json);
  return json.dump(1);
}

}  // namespace shardine
