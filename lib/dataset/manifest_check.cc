#include "dataset/manifest_check.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "shard/companion_folder.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "shard/shard_index_layout.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

Status Wrong(const std::string& what) {
  return Status(Code::kCorrupt, "manifest: " + what);
}

std::string Quoted(std::string_view bytes) {
  return "\"" + EscapeBytes(bytes) + "\"";
}

// Ascending without repetition.
template <typename T, typename Projection>
Status CheckAscending(const std::vector<T>& list, std::string_view what,
                      Projection by) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    // A manifest has one text, so each list has one order; and an entry listed
    // twice would be counted twice.
    if (!(std::invoke(by, list[i - 1]) < std::invoke(by, list[i]))) {
      return Wrong(std::string(what) + " are out of order or listed twice");
    }
  }
  return {};
}

Status CheckLists(const Manifest& manifest) {
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.classes, "classes", [](const ClassInfo& info) {
        return std::pair(info.label, std::string_view(info.name));
      }));
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.splits, "splits", &ManifestSplit::name));
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.variants, "variants", &ManifestChild::path));
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.files, "files", &ManifestFile::path));
  SHARDINE_RETURN_IF_ERROR(CheckAscending(
      manifest.rejected, "rejected", [](const ManifestRejected& rejected) {
        return std::pair(std::string_view(rejected.reason),
                         std::string_view(rejected.action));
      }));
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.ignored, "ignored", &ManifestIgnored::reason));
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.text_fields, "text_fields", std::identity()));
  SHARDINE_RETURN_IF_ERROR(
      CheckAscending(manifest.categories, "categories", &Category::label));
  for (const ManifestSplit& split : manifest.splits) {
    SHARDINE_RETURN_IF_ERROR(
        CheckAscending(split.unsupported, "unsupported", &ManifestKind::kind));
  }
  return CheckAscending(manifest.codec_versions, "codec_versions",
                        std::identity());
}

// A split's name becomes a folder when samples are extracted.
Status CheckNames(const Manifest& manifest) {
  for (const ManifestSplit& split : manifest.splits) {
    if (!IsManifestPath(split.name) ||
        split.name.find('/') != std::string::npos) {
      return Wrong(Quoted(split.name) + " is no name for a split");
    }
  }
  return {};
}

Status CheckSums(const Manifest& manifest) {
  // The rest of a sum that may not wrap.
  std::uint64_t total = std::numeric_limits<std::uint64_t>::max();
  for (const ManifestSplit& split : manifest.splits) {
    std::uint64_t left = split.samples;
    bool fits = split.samples <= total;
    for (const ManifestShard& shard : split.shards) {
      // Taken from the rest instead of summed up: numbers of a hostile file may
      // wrap a sum around to the right one.
      fits = fits && shard.samples <= left;
      left -= fits ? shard.samples : 0;
    }
    if (!fits || left != 0) {
      return Wrong("the shards of split " + Quoted(split.name) +
                   " do not add up to its samples");
    }
    total -= split.samples;
  }
  return {};
}

Status NotBelow(std::string_view path) {
  return Wrong(Quoted(path) + " is no path below the manifest");
}

Status CheckPathsOf(const ManifestShard& shard) {
  const std::string& path = shard.file.path;
  if (!IsManifestPath(path)) {
    return Wrong(Quoted(path) + " is no path relative to the manifest");
  }
  for (const ManifestFile& file : shard.companions) {
    if (!IsCompanionPath(file.path, path)) return NotBelow(file.path);
  }
  return {};
}

// Amounts that together may not exceed a limit.
class Bounded {
 public:
  explicit Bounded(std::uint64_t most) : left_(most) {}
  bool Take(std::uint64_t amount) {
    if (amount > left_) return false;
    left_ -= amount;
    return true;
  }

 private:
  std::uint64_t left_;
};

// A sample has a row in its shard's sidecar, so bytes bound samples.
bool HasRows(const ManifestShard& shard) {
  for (const ManifestFile& file : shard.companions) {
    // The sizes are the manifest's own claims. A reader compares them with the
    // files when it opens them, so samples without end need a sidecar of that
    // size.
    if (!file.path.ends_with(kSidecarSuffix)) continue;
    return shard.samples <= file.bytes / kIndexRowBytes;
  }
  return true;
}

Status CheckCounts(const Manifest& manifest) {
  Bounded bytes(kMaxManifestBytes);
  Bounded samples(kMaxManifestSamples);
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      bool fits = bytes.Take(shard.file.bytes) && samples.Take(shard.samples);
      for (const ManifestFile& file : shard.companions) {
        fits = fits && bytes.Take(file.bytes);
      }
      if (fits && HasRows(shard)) continue;
      return Wrong(Quoted(shard.file.path) +
                   (fits ? " has more samples than its sidecar has room for"
                         : " has more samples or bytes than any dataset"));
    }
  }
  Bounded counted(kMaxManifestSamples);
  bool fits = true;
  for (const ManifestFile& file : manifest.files) {
    fits = fits && bytes.Take(file.bytes);
  }
  for (const ManifestRejected& rejected : manifest.rejected) {
    fits = fits && counted.Take(rejected.count);
  }
  for (const ManifestIgnored& ignored : manifest.ignored) {
    fits = fits && ignored.count <= kMaxManifestSamples;
  }
  for (const ClassInfo& info : manifest.classes) {
    fits = fits && info.count <= kMaxManifestSamples;
  }
  for (const ManifestSplit& split : manifest.splits) {
    fits = fits && split.unlabelled <= split.samples &&
           split.deep <= split.samples &&
           std::ranges::all_of(split.lacking, [&split](const auto& field) {
             return field.second <= split.samples;
           });
    Bounded images(split.samples);
    for (const ManifestKind& kind : split.unsupported) {
      fits = fits && images.Take(kind.count);
    }
  }
  fits = fits && manifest.variant.upscaled <= kMaxManifestSamples &&
         manifest.variant.kept <= kMaxManifestSamples;
  if (fits) return {};
  return Wrong(
      "more files, rejected, ignored, unsupported, made or classes' samples "
      "than any dataset has");
}

Status CheckPaths(const Manifest& manifest) {
  std::vector<std::string_view> paths;
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      SHARDINE_RETURN_IF_ERROR(CheckPathsOf(shard));
      paths.push_back(shard.file.path);
      for (const ManifestFile& file : shard.companions) {
        paths.push_back(file.path);
      }
      SHARDINE_RETURN_IF_ERROR(
          CheckAscending(shard.companions, "companions", &ManifestFile::path));
      // Nearly always that puts all of them in order.
      const auto files =
          static_cast<std::ptrdiff_t>(1 + shard.companions.size());
      std::sort(paths.end() - files, paths.end());
    }
  }
  const std::size_t of_shards = paths.size();
  for (const ManifestFile& file : manifest.files) paths.push_back(file.path);
  for (const ManifestChild& child : manifest.variants) {
    paths.push_back(child.path);
  }
  for (std::size_t i = of_shards; i < paths.size(); ++i) {
    // Files of no shard are removed and replaced by runs, and children are
    // opened as datasets: none may lead out of the folder.
    if (!IsPathBelow(paths[i])) return NotBelow(paths[i]);
  }
  // A path that is listed twice would be counted, replaced and removed as two
  // files.
  if (!std::ranges::is_sorted(paths)) std::ranges::sort(paths);
  const auto twice = std::ranges::adjacent_find(paths);
  if (twice != paths.end()) return Wrong(Quoted(*twice) + " is listed twice");
  return {};
}

Status CheckEntryPoints(const Manifest& manifest) {
  bool some = false;
  for (const ManifestSplit& split : manifest.splits) {
    for (const ManifestShard& shard : split.shards) {
      const auto files =
          std::ranges::count_if(shard.companions, [](const ManifestFile& file) {
            return file.path.ends_with(kEntryPointSuffix);
          });
      if (files > 1) {
        return Wrong(Quoted(shard.file.path) +
                     " has more than one file of entry points");
      }
      some = some || files > 0;
    }
  }
  const EntryPointCounts& counts = manifest.entry_points;
  const std::uint64_t samples = manifest.samples();
  // Written as a difference, since the sum of the two may wrap.
  if (counts.images > samples || counts.damaged > samples - counts.images) {
    return Wrong("more images have entry points than there are samples");
  }
  if ((counts != EntryPointCounts()) == some) return {};
  return Wrong(some ? "there are files of entry points, and none are counted"
                    : "entry points are counted that no file has");
}

}  // namespace

bool IsManifestPath(std::string_view path) {
  if (path.find('\0') != path.npos) return false;
  bool below = false;  // a part other than ".." was seen
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == ".") return false;
    if (part == ".." && below) return false;
    below = below || part != "..";
    if (slash == path.npos) return below;
    path.remove_prefix(slash + 1);
  }
}

bool IsPathBelow(std::string_view path) {
  return IsManifestPath(path) && !path.starts_with("../");
}

bool IsCompanionPath(std::string_view path, std::string_view shard) {
  if (IsPathBelow(path)) return true;
  if (!IsManifestPath(path) || path.ends_with(kSidecarSuffix) ||
      path.ends_with(kEntryPointSuffix)) {
    return false;
  }
  // A path without a slash is its own folder here, but it is below the manifest
  // and was let through before.
  const auto folder = [](std::string_view file) {
    return file.substr(0, file.rfind('/'));
  };
  return folder(path) == folder(shard) ||
         folder(path) == folder(InCompanionFolder(std::string(shard)));
}

Status CheckManifest(const Manifest& manifest) {
  SHARDINE_RETURN_IF_ERROR(CheckLists(manifest));
  SHARDINE_RETURN_IF_ERROR(CheckNames(manifest));
  SHARDINE_RETURN_IF_ERROR(CheckSums(manifest));
  SHARDINE_RETURN_IF_ERROR(CheckPaths(manifest));
  SHARDINE_RETURN_IF_ERROR(CheckCounts(manifest));
  return CheckEntryPoints(manifest);
}

}  // namespace shardine
