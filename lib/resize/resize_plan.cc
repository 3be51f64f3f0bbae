#include "resize/resize_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/manifest_check.h"
#include "image/codec_versions.h"
#include "io/atomic_file.h"
#include "shardine/escape.h"
#include "shardine/version.h"
#include "source/image_files.h"
#include "source/output_place.h"
#include "source/read_source.h"
#include "source/source_file.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxName = 255;  // bytes, of Linux

Status Invalid(std::string message) {
  return Status(Code::kInvalidArgument, std::move(message));
}

Status CheckOptions(const ResizeOptions& options) {
  if (options.short_sides.empty()) return Invalid("no short side");
  std::vector<std::uint32_t> sides = options.short_sides;
  std::ranges::sort(sides);
  if (sides.front() == 0) return Invalid("a short side is at least 1");
  if (std::ranges::adjacent_find(sides) != sides.end()) {
    return Invalid("a short side is given twice");
  }
  if (options.source.folders.size() > 1 && !options.named) {
    return Invalid("several sources need names");
  }
  return Status();
}

void HashString(std::string_view text, Xxh3Stream& hash) {
  // With their lengths, two lists of names are never the same bytes cut at
  // another place.
  hash.UpdateLe(static_cast<std::uint32_t>(text.size()));
  hash.Update(AsBytes(text));
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return LowerAscii(text) == lower;
}

// Calls visit(folder) for each folder that `name` lies in.
template <typename Visit>
void ForEachFolder(const std::string& name, const Visit& visit) {
  for (std::size_t slash = name.rfind('/'); slash != std::string::npos;
       slash = slash == 0 ? std::string::npos : name.rfind('/', slash - 1)) {
    visit(std::string_view(name).substr(0, slash));
  }
}

}  // namespace

std::string NameForEncoding(std::string_view key, Encoding encoding) {
  const std::string_view stem = StemOf(key);
  const std::string_view suffix = key.substr(stem.size());
  const bool fits = encoding == Encoding::kPng
                        ? EqualsIgnoringCase(suffix, ".png")
                        : EqualsIgnoringCase(suffix, ".jpg") ||
                              EqualsIgnoringCase(suffix, ".jpeg");
  if (fits) return std::string(key);
  return std::string(stem) + (encoding == Encoding::kPng ? ".png" : ".jpg");
}

Result<ResizePlan> ResizePlan::Make(ReadableStorage& sources,
                                    const OutputFolder& output,
                                    const ResizeOptions& options) {
  SHARDINE_RETURN_IF_ERROR(CheckOptions(options));
  SHARDINE_RETURN_IF_ERROR(
      RefuseOutputInSource(sources, options.source, output));
  ResizePlan plan;
  // An output in another storage is no part of the sources.
  const bool beside = &output.storage() == &sources;
  SHARDINE_ASSIGN_OR_RETURN(
      plan.source_,
      LoadImageFiles(sources, options.source, beside ? output.path() : ""));
  // Records and work lists number samples with 32 bits.
  if (plan.source_.samples.size() > UINT32_MAX) {
    return Invalid("more than 2^32 images");
  }
  SHARDINE_RETURN_IF_ERROR(CheckBadSources(plan.source_, options.on_bad));
  plan.short_sides_ = options.short_sides;
  plan.encoding_ = options.image.encoding;
  plan.named_ = options.named;
  plan.bare_sizes_ = options.bare_sizes;
  SHARDINE_RETURN_IF_ERROR(plan.CheckNames());
  SHARDINE_RETURN_IF_ERROR(plan.CheckUnique());
  plan.ComputeDigest(options);
  return plan;
}

std::string ResizePlan::SourcePath(std::size_t sample) const {
  const SourceList& samples = source_.samples;
  return JoinPath(source_.roots[samples.root(sample)],
                  std::string(samples.path(sample)));
}

std::string ResizePlan::Name(std::size_t sample) const {
  const std::string key(source_.samples.key(sample));
  const std::string& split = source_.splits[source_.samples.split(sample)];
  return named_ ? JoinPath(split, key) : key;
}

std::string ResizePlan::RenamedKey(std::size_t sample) const {
  return NameForEncoding(Name(sample), encoding_);
}

Reject ResizePlan::RejectOf(std::size_t sample, std::string reason,
                            std::string detail) const {
  const SourceList& samples = source_.samples;
  return {named_ ? source_.splits[samples.split(sample)] : "",
          std::string(samples.key(sample)), std::move(reason), "",
          std::move(detail)};
}

std::string ResizePlan::SizeFolder(std::size_t output) const {
  return (bare_sizes_ ? "" : "sz/") + std::to_string(short_sides_[output]);
}

std::string ResizePlan::OutputName(std::size_t sample,
                                   std::size_t output) const {
  return SizeFolder(output) + "/" + RenamedKey(sample);
}

// Keys of lists may be any text.
Status ResizePlan::CheckNames() const {
  for (std::size_t i = 0; i < source_.samples.size(); ++i) {
    const std::string name = RenamedKey(i);
    const char* fault = nullptr;
    // A key such as "../../.bashrc" in a list would have files written outside
    // of OUT.
    if (!IsManifestPath(name) || name.starts_with("../")) {
      fault = "the key is no path inside a folder";
    } else if (FileNameOf(name).size() > kMaxName) {
      fault = "the file name is too long";
    }
    if (fault != nullptr) {
      return Status(Code::kInvalidArgument, fault)
          .At({.key = std::string(source_.samples.key(i))});
    }
  }
  return Status();
}

// No two files of one name, and none where another one needs a folder.
Status ResizePlan::CheckUnique() const {
  const std::size_t count = source_.samples.size();
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Eight bytes a name are sorted instead of the names, of which most are
    // made only when they are needed.
    hashes[i] = Xxh3_64(AsBytes(RenamedKey(i)));
  }
  std::ranges::sort(hashes);
  std::vector<std::uint64_t> suspects;
  for (std::size_t i = 1; i < count; ++i) {
    if (hashes[i - 1] == hashes[i]) suspects.push_back(hashes[i]);
  }
  std::string last_folder;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = RenamedKey(i);
    // Sources are mostly in the order of their folders, so nearly all are
    // skipped here.
    if (DirectoryOf(name) == last_folder) continue;
    last_folder = DirectoryOf(name);
    ForEachFolder(name, [&](std::string_view folder) {
      const std::uint64_t hash = Xxh3_64(AsBytes(folder));
      if (std::ranges::binary_search(hashes, hash)) suspects.push_back(hash);
    });
  }
  std::ranges::sort(suspects);
  return suspects.empty() ? Status() : CheckSuspects(suspects);
}

// The same by the names themselves, of those whose hashes are among `suspects`.
// Names of one hash can be made up by the thousand, so none is compared with
// all others.
Status ResizePlan::CheckSuspects(
    std::span<const std::uint64_t> suspects) const {
  std::map<std::string, std::size_t> first;  // of the samples of that name
  std::optional<std::pair<std::size_t, std::size_t>> collision;
  const auto note = [&](std::size_t sample, std::size_t other) {
    const auto found = std::pair(sample, other);
    if (!collision || found < *collision) collision = found;
  };
  const std::size_t count = source_.samples.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = RenamedKey(i);
    if (!std::ranges::binary_search(suspects, Xxh3_64(AsBytes(name)))) continue;
    const auto [place, is_new] = first.emplace(std::move(name), i);
    if (!is_new) note(place->second, i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    ForEachFolder(RenamedKey(i), [&](std::string_view folder) {
      const auto place = first.find(std::string(folder));
      if (place != first.end()) note(place->second, i);
    });
  }
  return collision ? Collision(collision->first, collision->second) : Status();
}

// The other sample would have the name of this one, or lie below it.
Status ResizePlan::Collision(std::size_t sample, std::size_t other) const {
  const std::string name = RenamedKey(sample);
  const bool below = RenamedKey(other) != name;
  return Invalid("would become " + EscapeBytes(name) +
                 (below ? ", which is the folder of " : ", and so would ") +
                 EscapeBytes(Name(other)))
      .At({.key = Name(sample)});
}

std::uint64_t ResizePlan::NameHash(std::size_t sample) const {
  return Xxh3_64(AsBytes(Name(sample)));
}

std::uint64_t ResizePlan::FactsHash(std::size_t sample) const {
  const SourceFacts facts = source_.samples.facts(sample);
  std::string text;
  AppendLe(facts.size, text);
  AppendLe(facts.mtime_ns, text);
  return Xxh3_64(AsBytes(text));
}

void ResizePlan::ComputeDigest(const ResizeOptions& options) {
  Xxh3Stream hash;
  HashString("resize tree " + std::string(Version()) + " " +
                 Describe(options.image) + (named_ ? " named" : "") +
                 (bare_sizes_ ? " bare" : ""),
             hash);
  for (const std::string& version : CodecVersions()) HashString(version, hash);
  hash.UpdateLe(static_cast<std::uint32_t>(short_sides_.size()));
  for (const std::uint32_t side : short_sides_) hash.UpdateLe(side);
  work_digest_ = hash.Digest();
  // Up to here the digest covers the work: the options, whatever the sources
  // hold.
  for (const SourceProblem& bad : source_.bad) {
    HashString(bad.key, hash);
    HashString(bad.reason, hash);
  }
  for (std::size_t i = 0; i < source_.samples.size(); ++i) {
    HashString(Name(i), hash);
    // Times are left out: a copy of the sources is the same tree.
    hash.UpdateLe(source_.samples.facts(i).size);
  }
  digest_ = hash.Digest();
}

}  // namespace shardine
