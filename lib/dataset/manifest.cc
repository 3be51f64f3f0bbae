#include "dataset/manifest.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/manifest_check.h"
#include "dataset/manifest_json.h"
#include "dataset/manifest_members.h"
#include "io/atomic_file.h"

namespace shardine {
namespace {

// Some 400,000 shards; bounds the bytes that a hostile file makes a reader
// load.
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

constexpr std::string_view kEnd = "\n}";
constexpr std::string_view kNameBegin = " \"";
constexpr std::string_view kNameEnd = "\": \"";
constexpr std::string_view kDigestEnd = "\"\n}\n";
constexpr std::size_t kHexDigits = 32;
constexpr std::size_t kLastLines =
    kNameBegin.size() + kManifestDigestMember.size() + kNameEnd.size() +
    kHexDigits + kDigestEnd.size();

std::string DigestBegin() {
  std::string text(kNameBegin);
  text += kManifestDigestMember;
  return text += kNameEnd;
}

Status Wrong(const char* what) {
  return Status(Code::kCorrupt, std::string("manifest: ") + what);
}

// Its member sorts after all others, so the digest is both the last
// member and the last line but one.
std::string DigestLines(std::string_view before) {
  std::string lines = DigestBegin();
  lines += Xxh3_128(AsBytes(before)).ToHex();
  lines += kDigestEnd;
  return lines;
}

Status CheckDigest(std::string_view text) {
  if (text.size() < kLastLines) return Wrong("does not end with its digest");
  const std::string_view before = text.substr(0, text.size() - kLastLines);
  const std::string_view lines = text.substr(before.size());
  // The form is compared first, to tell a text that was cut off from one that
  // was changed.
  if (!lines.starts_with(DigestBegin()) || !lines.ends_with(kDigestEnd)) {
    return Wrong("does not end with its digest");
  }
  if (lines != DigestLines(before)) {
    return Wrong("does not match its digest; it was changed or damaged");
  }
  return {};
}

// All but whether the text is canonical.
Result<Manifest> ParseMembers(std::string_view text) {
  SHARDINE_RETURN_IF_ERROR(CheckDigest(text));
  SHARDINE_ASSIGN_OR_RETURN(Manifest manifest, ManifestFromJson(text));
  SHARDINE_RETURN_IF_ERROR(CheckManifest(manifest));
  return manifest;
}

}  // namespace

std::uint64_t ManifestSplit::shard_bytes() const {
  std::uint64_t sum = 0;
  for (const ManifestShard& shard : shards) sum += shard.file.bytes;
  return sum;
}

std::uint64_t Manifest::shard_bytes() const {
  std::uint64_t sum = 0;
  for (const ManifestSplit& split : splits) sum += split.shard_bytes();
  return sum;
}

std::uint64_t Manifest::samples() const {
  std::uint64_t sum = 0;
  for (const ManifestSplit& split : splits) sum += split.samples;
  return sum;
}

Digest128 Manifest::content_digest() const {
  Digest128 sum;
  for (const ManifestSplit& split : splits) sum += split.content_digest;
  return sum;
}

Digest128 Manifest::names_digest() const {
  Digest128 sum;
  for (const ManifestSplit& split : splits) sum += split.names_digest;
  return sum;
}

Digest128 Manifest::binding_digest() const {
  Digest128 sum;
  for (const ManifestSplit& split : splits) sum += split.binding_digest;
  return sum;
}

Digest128 Manifest::order_digest() const {
  Xxh3Stream stream;
  for (const ManifestSplit& split : splits) {
    stream.UpdateLe(split.order_digest.low);
    stream.UpdateLe(split.order_digest.high);
  }
  return stream.Digest();
}

const ManifestSplit* Manifest::FindSplit(std::string_view name) const {
  const auto found = std::ranges::find(splits, name, &ManifestSplit::name);
  return found == splits.end() ? nullptr : &*found;
}

std::string SerializeManifest(const Manifest& manifest) {
  std::string text = ManifestToJson(manifest);
  // The object's end is replaced by the digest's line, which is over all before
  // it: no second serialisation is needed, and a reader can check the digest
  // before it parses a byte.
  text.resize(text.size() - kEnd.size());
  text += ",\n";
  text += DigestLines(text);
  return text;
}

Result<Manifest> ParseManifest(std::string_view text) {
  SHARDINE_ASSIGN_OR_RETURN(Manifest manifest, ParseMembers(text));
  const std::string canonical = SerializeManifest(manifest);
  if (text == canonical) return manifest;
  const auto differ = std::ranges::mismatch(text, canonical);
  const auto byte = differ.in1 - text.begin();
  return Wrong("not written in the one way it can be")
      .At({.offset = static_cast<std::uint64_t>(byte)});
}

Result<std::string> ReadManifestText(ReadableStorage& storage,
                                     const std::string& directory) {
  const std::string path = JoinPath(directory, kManifestName);
  Result<std::string> text = ReadFile(storage, path, kMaxBytes);
  if (text.ok() || text.status().code() != Code::kNotFound) return text;
  // An absent folder gets another message than a folder without a dataset.
  SHARDINE_RETURN_IF_ERROR(storage.Stat(directory).status());
  return Status(Code::kNotFound,
                std::string("not a dataset: it has no ") + kManifestName)
      .At({.path = directory});
}

Result<Manifest> ReadManifest(ReadableStorage& storage,
                              const std::string& directory) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadManifestText(storage, directory));
  Result<Manifest> manifest = ParseMembers(text);
  if (manifest.ok()) return manifest;
  return std::move(manifest).status().At(
      {.path = JoinPath(directory, kManifestName)});
}

Result<std::string> ManifestText(const std::string& directory,
                                 const Manifest& manifest) {
  // Better no dataset than one that cannot be read.
  if (const Status status = CheckManifest(manifest); !status.ok()) {
    return Status(Code::kInvalidArgument, status.message())
        .At({.path = JoinPath(directory, kManifestName)});
  }
  return SerializeManifest(manifest);
}

Status WriteManifest(Storage& storage, const std::string& directory,
                     const Manifest& manifest, ManifestWrite write) {
  const std::string path = JoinPath(directory, kManifestName);
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ManifestText(directory, manifest));
  return write == ManifestWrite::kNew
             ? WriteNewFileAtomically(storage, path, AsBytes(text))
             : WriteFileAtomically(storage, path, AsBytes(text));
}

}  // namespace shardine
