#include "extract/extracted_names.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/id_text.h"
#include "base/name_form.h"
#include "base/status_macros.h"
#include "dataset/index_walk.h"
#include "dataset/manifest_check.h"
#include "image/image_kind.h"
#include "io/atomic_file.h"
#include "shard/encoded_image.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxFileName = 255;  // of Linux

// As files of that content are called, whatever its key says.
std::string ExtensionOf(ImageKind kind) {
  switch (kind) {
    case ImageKind::kJpeg:
      return "jpg";
    case ImageKind::kTiff:
      return "tif";
    case ImageKind::kUnknown:
    case ImageKind::kHtml:
    case ImageKind::kGitLfsPointer:
      return "img";
    default:
      return ToString(kind);
  }
}

// Archives of `tar -c .` have "./" in front of each name.
std::string_view WithoutDot(std::string_view key) {
  while (key.starts_with("./")) key.remove_prefix(2);
  return key;
}

// Refuses hostile keys: a name leads to a file below the directory.
Status CheckName(const std::string& key) {
  if (!IsManifestPath(key) || key.starts_with("../")) {
    return Status(Code::kUnsupported, "the key is no path inside a directory");
  }
  // The next run into that folder would remove it as a leftover.
  if (IsTemporaryName(FileNameOf(key))) {
    return Status(Code::kUnsupported,
                  "the key has a name kept for unfinished files");
  }
  for (std::string_view rest = key; !rest.empty();) {
    const std::size_t part = std::min(rest.find('/'), rest.size());
    if (part > kMaxFileName) {
      return Status(Code::kUnsupported,
                    "the key has a name too long for a file");
    }
    rest.remove_prefix(std::min(part + 1, rest.size()));
  }
  return {};
}

// The files that a split's samples would be. Equal hashes of different names
// are too rare to be told apart.
struct TreeNames {
  std::vector<std::uint64_t> files;
  std::unordered_set<std::uint64_t> folders;

  void Add(std::string_view name) {
    files.push_back(Xxh3_64(AsBytes(name)));
    for (std::size_t end = name.rfind('/'); end != name.npos && end > 0;
         end = name.rfind('/', end - 1)) {
      // Whoever put this folder in did so with those around it.
      if (!folders.insert(Xxh3_64(AsBytes(name.substr(0, end)))).second) return;
    }
  }

  const char* Fault() {
    if (HaveEqual(files)) return " have one name";
    const bool is_both = std::ranges::any_of(
        files, [this](std::uint64_t name) { return folders.contains(name); });
    return is_both ? " would be a file and a folder of one name" : nullptr;
  }

  static bool HaveEqual(std::vector<std::uint64_t>& hashes) {
    std::ranges::sort(hashes);
    return std::ranges::adjacent_find(hashes) != hashes.end();
  }
};

}  // namespace

Result<ExtractedNames> ExtractedNames::Of(const DatasetReader& dataset,
                                          ExtractNames names) {
  ExtractedNames extracted(names, dataset.manifest().classes);
  SHARDINE_RETURN_IF_ERROR(extracted.LookAt(dataset));
  return extracted;
}

Result<std::string> ExtractedNames::NameOf(const IndexEntry& entry,
                                           const std::string& key,
                                           ByteView image) const {
  SHARDINE_ASSIGN_OR_RETURN(std::string name, Stem(entry, key));
  if (names_ != ExtractNames::kKey) {
    name += "." + ExtensionOf(DetectImageKind(image));
  }
  return name;
}

Result<std::string> ExtractedNames::Stem(const IndexEntry& entry,
                                         const std::string& key) const {
  if (names_ == ExtractNames::kKey) {
    std::string name(WithoutDot(key));
    SHARDINE_RETURN_IF_ERROR(CheckName(name));
    return name;
  }
  if (names_ == ExtractNames::kId) return IdText(entry.id);
  const ClassInfo* const info = FindClass(classes_, entry.labels);
  const bool numbered = classes_.empty() && entry.labels.size() == 1 &&
                        entry.labels[0].is_integer();
  if (info == nullptr && !numbered) {
    return Status(Code::kUnsupported, "has no class to name a folder by");
  }
  const std::string folder = numbered ? entry.labels[0].ToString() : info->name;
  if (folder.find('/') != folder.npos || !CheckName(folder).ok()) {
    return Status(Code::kUnsupported, "class " + EscapeBytes(folder) +
                                          " has no name to name a folder by");
  }
  return JoinPath(folder, IdText(entry.id));
}

// A second sample of one name would pass for a leftover of an earlier run. A
// dataset of arrays alone has no files, and an empty folder would look like
// success.
Status ExtractedNames::LookAt(const DatasetReader& dataset) {
  std::map<std::string_view, TreeNames> names;  // by split
  std::vector<std::uint64_t> folded;
  bool images = dataset.manifest().samples() == 0;
  const auto add = [&](const DatasetReader::ShardRef& ref,
                       const ShardIndex& index) -> Result<bool> {
    const std::string& split = ref.split->name;
    TreeNames& of_split = names[split];
    SHARDINE_RETURN_IF_ERROR(WalkIndex(index, [&](std::uint64_t record,
                                                  const IndexEntry& entry,
                                                  const std::string& key) {
      images = images || FindEncodedImage(entry.fields) != nullptr;
      auto stem = Stem(entry, key);
      if (!stem.ok()) {
        return std::move(stem).status().At(
            {.path = dataset.ShardPath(ref), .record = record, .key = key});
      }
      of_split.Add(*stem);
      folded.push_back(Xxh3_64(AsBytes(FoldedName(JoinPath(split, *stem)))));
      return Status();
    }));
    return true;
  };
  SHARDINE_RETURN_IF_ERROR(dataset.ForEachIndex(dataset.shards(), add));
  for (auto& [split, of_split] : names) {
    const char* const fault = of_split.Fault();
    if (fault == nullptr) continue;
    return Status(Code::kAlreadyExists,
                  "two samples of split " + EscapeBytes(split) + fault)
        .At({.path = dataset.directory()});
  }
  has_twins_ = TreeNames::HaveEqual(folded);
  if (images) return Status();
  return Status(Code::kUnsupported,
                "no sample has an encoded image, so there are no files to "
                "write")
      .At({.path = dataset.directory()});
}

}  // namespace shardine
