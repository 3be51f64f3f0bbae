// The members of a manifest, each named once for reading and writing: the
// writer, the reader and the reader's check for missing names walk over the
// same lists. FORMAT.md describes them.
#ifndef SHARDINE_DATASET_MANIFEST_MEMBERS_H_
#define SHARDINE_DATASET_MANIFEST_MEMBERS_H_

#include <concepts>
#include <string_view>
#include <type_traits>

#include "dataset/manifest.h"

namespace shardine {

// Read first: the set of other members depends on it.
inline constexpr const char* kManifestSchemaMember = "schema";
// The last member of all: a digest of the text before it.
inline constexpr std::string_view kManifestDigestMember = "xxh3_128";

// `Of`, or `const Of`: a writer changes nothing.
template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// A walk has
//   bool Member(name, value)       reads or writes it
//   bool Derived(name, value)      a sum over the others
//   bool Elsewhere(name)           other code reads and writes it
//   bool has(name, bool is_some)   whether it is to be read, or written
//   std::uint64_t schema()
// False from one of them ends it. Lists are in the order of reading, so that
// derived members come last.
template <typename Walk, typename T>
bool Optional(Walk& walk, const char* name, T& value) {
  const bool is_some = value != std::remove_const_t<T>();
  return !walk.has(name, is_some) || walk.Member(name, value);
}

template <typename Walk, typename T>
bool SinceSchema2(Walk& walk, const char* name, T& value) {
  return walk.schema() < 2 || walk.Member(name, value);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ClassInfo> auto& info) {
  return walk.Member("count", info.count) && walk.Member("label", info.label) &&
         walk.Member("name", info.name) && Optional(walk, "text", info.text);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<Category> auto& category) {
  return walk.Member("id", category.id) &&
         walk.Member("label", category.label) &&
         walk.Member("name", category.name) &&
         Optional(walk, "source", category.source);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestFile> auto& file) {
  return walk.Member("bytes", file.bytes) &&
         walk.Member("digest", file.digest) && walk.Member("path", file.path);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestShard> auto& shard) {
  return WalkMembers(walk, shard.file) &&
         walk.Member("companions", shard.companions) &&
         walk.Member("samples", shard.samples) &&
         (walk.schema() < 2 ||
          Optional(walk, "plan_digest", shard.plan_digest));
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestKind> auto& kind) {
  return walk.Member("count", kind.count) && walk.Member("kind", kind.kind);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestSplit> auto& split) {
  return walk.Member("content_digest", split.content_digest) &&
         walk.Member("name", split.name) &&
         walk.Member("names_digest", split.names_digest) &&
         walk.Member("order_digest", split.order_digest) &&
         walk.Member("samples", split.samples) &&
         walk.Member("shards", split.shards) &&
         SinceSchema2(walk, "binding_digest", split.binding_digest) &&
         (walk.schema() < 2 ||
          (Optional(walk, "deep", split.deep) &&
           Optional(walk, "lacking", split.lacking) &&
           Optional(walk, "unlabelled", split.unlabelled) &&
           Optional(walk, "unsupported", split.unsupported)));
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestVariant> auto& variant) {
  if (!walk.Member("filter", variant.filter) ||
      !walk.Member("name", variant.name) ||
      !walk.Member("parent_digest", variant.parent_digest) ||
      !walk.Member("quality", variant.quality) ||
      !walk.Member("short_side", variant.short_side)) {
    return false;
  }
  // All three or none.
  return !walk.has("images", !variant.images.empty()) ||
         (walk.Member("images", variant.images) &&
          walk.Member("kept", variant.kept) &&
          walk.Member("upscaled", variant.upscaled));
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<EntryPointCounts> auto& counts) {
  return walk.Member("damaged", counts.damaged) &&
         walk.Member("images", counts.images);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestChild> auto& child) {
  return SinceSchema2(walk, "binding_digest", child.binding_digest) &&
         walk.Member("content_digest", child.content_digest) &&
         walk.Member("path", child.path);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestRejected> auto& rejected) {
  return walk.Member("action", rejected.action) &&
         walk.Member("count", rejected.count) &&
         walk.Member("reason", rejected.reason);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<ManifestIgnored> auto& ignored) {
  return walk.Member("count", ignored.count) &&
         walk.Member("reason", ignored.reason);
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<Provenance> auto& made) {
  return walk.Member("command", made.command) &&
         walk.Member("options", made.options) &&
         walk.Member("sources", made.sources);
}

// The sums and digests over the lists above.
template <typename Walk>
bool WalkDerived(Walk& walk, const Manifest& manifest) {
  return walk.Derived("classes_digest", ClassMapDigest(manifest.classes)) &&
         walk.Derived("content_digest", manifest.content_digest()) &&
         walk.Derived("names_digest", manifest.names_digest()) &&
         walk.Derived("order_digest", manifest.order_digest()) &&
         walk.Derived("samples", manifest.samples()) &&
         (walk.schema() < 2 ||
          walk.Derived("binding_digest", manifest.binding_digest()));
}

template <typename Walk>
bool WalkMembers(Walk& walk, Is<Manifest> auto& manifest) {
  return walk.Member(kManifestSchemaMember, manifest.schema) &&
         walk.Member("classes", manifest.classes) &&
         walk.Member("codec_versions", manifest.codec_versions) &&
         walk.Member("files", manifest.files) &&
         walk.Member("format", manifest.format) &&
         walk.Member("plan_digest", manifest.plan_digest) &&
         walk.Member("rejected", manifest.rejected) &&
         walk.Member("splits", manifest.splits) &&
         walk.Member("tool_version", manifest.tool_version) &&
         walk.Member("variant", manifest.variant) &&
         walk.Member("variants", manifest.variants) &&
         Optional(walk, "entry_points", manifest.entry_points) &&
         (walk.schema() < 2 ||
          (Optional(walk, "categories", manifest.categories) &&
           Optional(walk, "ignored", manifest.ignored) &&
           Optional(walk, "text_fields", manifest.text_fields))) &&
         SinceSchema2(walk, "made", manifest.made) &&
         WalkDerived(walk, manifest) && walk.Elsewhere(kManifestDigestMember);
}

}  // namespace shardine

#endif  // SHARDINE_DATASET_MANIFEST_MEMBERS_H_
