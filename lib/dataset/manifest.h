// The manifest (shardine.json): the files and facts of a dataset. Written last,
// so without a manifest there is no dataset. Layout: dataset/FORMAT.md.
#ifndef SHARDINE_DATASET_MANIFEST_H_
#define SHARDINE_DATASET_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/output_names.h"
#include "io/storage.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/provenance.h"
#include "shardine/status.h"
#include "source/category.h"
#include "source/class_map.h"

namespace shardine {

// The schema that is written. Schema 1, without binding digests and without the
// facts of the command, is read; a change of such a manifest keeps it.
inline constexpr std::uint64_t kManifestSchema = 2;

// A file of the dataset. Paths are relative to the manifest, `/` between
// parts; they may start with "../" where shards were indexed in place.
struct ManifestFile {
  std::string path;  // any bytes
  std::uint64_t bytes = 0;
  Digest128 digest;  // XXH3-128 of the file

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

struct ManifestShard {
  ManifestFile file;
  std::uint64_t samples = 0;
  std::vector<ManifestFile> companions;  // by path; the sidecar is one
  // The digest that the sidecar is bound to: the shard's part of the plan.
  // Zero: the plan digest of the manifest, as in all of schema 1.
  Digest128 plan_digest = {};

  friend bool operator==(const ManifestShard&, const ManifestShard&) = default;
};

// Images of a kind that is not decoded (image/undecoded_kind.h).
struct ManifestKind {
  std::string kind;  // "webp"; "array" of an array that is no image
  std::uint64_t count = 0;

  friend bool operator==(const ManifestKind&, const ManifestKind&) = default;
};

struct ManifestSplit {
  std::string name;
  std::uint64_t samples = 0;
  Digest128 content_digest;
  Digest128 names_digest;
  Digest128 order_digest;
  std::vector<ManifestShard> shards;  // in order
  Digest128 binding_digest = {};      // zero in schema 1
  std::uint64_t unlabelled = 0;       // samples without a label; 0 in schema 1
  std::uint64_t deep = 0;  // images of 16 bits a channel; 0 where not counted
  // Samples without the image, or without a field that others of the dataset
  // have, by name; none where it is not counted.
  std::map<std::string, std::uint64_t> lacking = {};
  std::vector<ManifestKind> unsupported = {};  // by kind; none in schema 1

  friend bool operator==(const ManifestSplit&, const ManifestSplit&) = default;

  std::uint64_t shard_bytes() const;
};

// How the images of a variant came from those of its parent.
struct ManifestVariant {
  std::string name = "original";  // "original", "sz/160"
  std::uint32_t short_side = 0;   // pixels; 0 for the original
  std::string filter;             // empty for the original
  std::uint32_t quality = 0;      // of JPEG; 0 for others
  Digest128 parent_digest;        // content_digest of the source samples
  // For a size: Describe(ImageOptions), and how many images are larger than
  // their source or are it, untouched. Empty and 0 for the original.
  std::string images;
  std::uint64_t upscaled = 0;
  std::uint64_t kept = 0;

  friend bool operator==(const ManifestVariant&,
                         const ManifestVariant&) = default;
};

struct ManifestChild {
  std::string path;  // "sz/160"
  Digest128 content_digest;
  Digest128 binding_digest = {};  // zero in schema 1

  friend bool operator==(const ManifestChild&, const ManifestChild&) = default;
};

// Samples that did not come through whole, by reason.
struct ManifestRejected {
  std::string reason;
  std::string action;  // "skip", "quarantine", "keep"
  std::uint64_t count = 0;

  friend bool operator==(const ManifestRejected&,
                         const ManifestRejected&) = default;
};

// Count of source files that became no sample, by reason; each is listed in
// ignored.jsonl.
struct ManifestIgnored {
  std::string reason;
  std::uint64_t count = 0;

  friend bool operator==(const ManifestIgnored&,
                         const ManifestIgnored&) = default;
};

struct Manifest {
  std::uint64_t schema = kManifestSchema;
  std::string format;  // "recordio/mxnet"
  ClassMap classes;
  std::vector<ManifestSplit> splits;  // by name
  EntryPointCounts entry_points;      // sums over their files
  ManifestVariant variant;
  std::vector<ManifestChild> variants;     // by path
  std::vector<ManifestRejected> rejected;  // by reason, action
  std::vector<ManifestIgnored> ignored;    // by reason
  // Fields of plain bytes that are text in UTF-8, by name.
  std::vector<std::string> text_fields;
  CategoryMap categories = {};  // of fields of annotations; by label
  // Files of no shard: rejected.jsonl, ignored.jsonl.
  std::vector<ManifestFile> files;
  Digest128 plan_digest;  // zero when indexed in place
  std::string tool_version;
  std::vector<std::string> codec_versions;  // "libjpeg-turbo 2.1.5", sorted
  Provenance made;

  // Whether it says which content each sample has.
  bool has_bindings() const { return schema >= 2; }
  // Over all splits.
  std::uint64_t samples() const;
  std::uint64_t shard_bytes() const;
  Digest128 content_digest() const;
  Digest128 names_digest() const;
  Digest128 binding_digest() const;
  // XXH3-128 over the splits' order digests (low half first), by name.
  Digest128 order_digest() const;
  // nullptr if there is none.
  const ManifestSplit* FindSplit(std::string_view name) const;

  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// The one serialisation of a manifest: sorted keys, one-space indent, text
// escaped (shardine/escape.h), "xxh3_128" over all before it as last member.
std::string SerializeManifest(const Manifest& manifest);

// Strict: kCorrupt for text that is not exactly the serialisation of its
// contents (digest, unknown or missing members, sums that disagree, absolute
// paths); kUnsupported for a newer schema. Schema 1 is read as it was written.
Result<Manifest> ParseManifest(std::string_view text);

// DIR/shardine.json. kNotFound says that DIR is not a dataset.
Result<std::string> ReadManifestText(ReadableStorage& storage,
                                     const std::string& directory);
// As ParseManifest, but without writing the manifest again to compare the
// bytes: opening a dataset must be quick, and the digest was checked.
Result<Manifest> ReadManifest(ReadableStorage& storage,
                              const std::string& directory);
// kReplace: the manifest of a dataset that is changed. kNew: kAlreadyExists
// where a manifest exists.
enum class ManifestWrite : std::uint8_t { kNew, kReplace };
Status WriteManifest(Storage& storage, const std::string& directory,
                     const Manifest& manifest,
                     ManifestWrite write = ManifestWrite::kReplace);

}  // namespace shardine

#endif  // SHARDINE_DATASET_MANIFEST_H_
