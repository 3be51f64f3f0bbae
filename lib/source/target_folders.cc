#include "source/target_folders.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/ascii.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "shardine/source.h"
#include "source/source_file.h"
#include "source/split_name.h"

namespace shardine {
namespace {

constexpr std::array<std::string_view, 14> kTargets = {
    "annotation",   "annotations",  "depth",         "depths",
    "gt",           "label",        "labels",        "mask",
    "masks",        "segmentation", "segmentations", "annos",
    "ground_truth", "groundtruth"};

constexpr std::array<std::string_view, 9> kImages = {
    "image",  "images",     "img",    "imgs", "input",
    "inputs", "jpegimages", "photos", "rgb"};

// The words in names of such folders: "img_mask", "labels_png",
// "SegmentationClass".
constexpr std::array<std::string_view, 17> kTargetWords = {
    "anno",        "annos", "annotation",   "annotations",   "depth", "depths",
    "groundtruth", "gt",    "label",        "labels",        "mask",  "masks",
    "seg",         "segs",  "segmentation", "segmentations", "target"};

bool IsOneOf(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, LowerAscii(name)) != names.end();
}

// Words end where letters do, and before a capital after a small letter.
bool HasTargetWord(std::string_view name) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char small = i < name.size() ? LowerAscii(name[i]) : ' ';
    const bool letter = small >= 'a' && small <= 'z';
    const bool capital = letter && i > begin && small != name[i] &&
                         LowerAscii(name[i - 1]) == name[i - 1];
    if (letter && !capital) continue;
    if (IsOneOf(kTargetWords, name.substr(begin, i - begin))) return true;
    begin = letter ? i : i + 1;
  }
  return false;
}

// The parts of the key "masks/a/1.png": its folder, and "a/1".
struct FolderAndStem {
  std::string_view folder;
  std::string_view stem;
};

FolderAndStem Cut(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {{}, key};
  return {key.substr(0, slash), StemOf(key.substr(slash + 1))};
}

Status Refuse(const std::string& path, const std::string& why) {
  return Status(Code::kInvalidArgument, why).At({.path = path});
}

// The options that make the files of `target` fields of the images of a folder,
// as ParsePairs() reads it: "; the pairs of t/images are
// mask=/t/masks/{stem}.png". `deep`: images lie in folders below theirs.
std::string PairsOf(const std::string& path, std::string_view images,
                    const std::string& target, std::string_view suffix,
                    bool deep) {
  if (!SchemeOf(path).empty()) return "";
  std::string field = LowerAscii(target);
  if (field.ends_with('s')) field.pop_back();
  // A sample has labels already.
  if (!IsSplitName(field) || field == "label") field = "mask";
  const std::string pairs =
      field + "=" +
      std::filesystem::absolute(path).lexically_normal().string() + "/" +
      target + (deep ? "/{dir}" : "") + "/{stem}" + std::string(suffix);
  if (!ParsePairs(pairs).ok()) return "";
  return "; the pairs of " + EscapeBytes(JoinPath(path, std::string(images))) +
         (deep ? " are " : " without class folders are ") + EscapeBytes(pairs);
}

std::string_view SuffixOf(std::string_view key) {
  return key.substr(StemOf(key).size());
}

// The pairs of files that are no images.
std::string PairsOfOthers(const std::string& target, std::uint32_t root,
                          const SourceSet& set) {
  std::map<std::string_view, std::string_view> suffixes;  // by stem
  for (const SourceProblem& problem : set.ignored) {
    if (problem.root != root || problem.reason != "not-an-image-suffix") {
      continue;
    }
    const FolderAndStem cut = Cut(problem.key);
    if (cut.folder == target) suffixes.emplace(cut.stem, SuffixOf(problem.key));
  }
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const FolderAndStem cut = Cut(set.samples.key(i));
    const auto pair = suffixes.find(cut.stem);
    if (set.samples.root(i) != root || pair == suffixes.end()) continue;
    return PairsOf(set.roots[root], cut.folder, target, pair->second,
                   cut.stem.find('/') != cut.stem.npos);
  }
  return "";
}

// `alone`: there is one other folder.
Status CheckTarget(const std::string& target, bool alone, std::uint32_t root,
                   const SourceSet& set) {
  std::unordered_map<std::string_view, std::string_view> stems;  // suffixes
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) != root) continue;
    const FolderAndStem cut = Cut(set.samples.key(i));
    if (cut.folder != target) continue;
    stems.emplace(cut.stem, SuffixOf(set.samples.key(i)));
  }
  const std::string& path = set.roots[root];
  if (stems.empty() && !IsOneOf(kTargets, target)) return Status();
  if (stems.empty()) {
    return Refuse(path, "folder " + EscapeBytes(target) +
                            " holds no images, and is named as targets are, "
                            "not classes" +
                            PairsOfOthers(target, root, set));
  }
  std::map<std::string_view, std::size_t> pairs;  // by folder
  std::map<std::string_view, std::string_view> stem_of;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) != root) continue;
    const FolderAndStem cut = Cut(set.samples.key(i));
    if (cut.folder != target && stems.contains(cut.stem)) {
      ++pairs[cut.folder];
      stem_of[cut.folder] = cut.stem;
    }
  }
  for (const auto& [folder, count] : pairs) {
    if (count * 2 <= stems.size()) continue;
    // Files of numbers are in any class, one of masks too.
    if (!alone && !IsOneOf(kImages, folder)) continue;
    const std::string_view stem = stem_of[folder];
    return Refuse(path, "folders " + EscapeBytes(folder) + " and " +
                            EscapeBytes(target) + " hold " +
                            std::to_string(count) +
                            " files of equal names: pairs of an image and its "
                            "target, not classes" +
                            PairsOf(path, folder, target, stems[stem],
                                    stem.find('/') != stem.npos));
  }
  return Status();
}

}  // namespace

Status CheckTargetFolders(const std::vector<std::string>& classes,
                          std::uint32_t root, const SourceSet& set) {
  if (classes.size() < 2) return Status();
  for (const std::string& name : classes) {
    // Classes "with_mask" and "without_mask" have the word both.
    const bool by_words = classes.size() == 2 && HasTargetWord(name) &&
                          !HasTargetWord(classes[&name == &classes[0] ? 1 : 0]);
    if (!by_words && !IsOneOf(kTargets, name)) continue;
    const Status status = CheckTarget(name, classes.size() == 2, root, set);
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace shardine
