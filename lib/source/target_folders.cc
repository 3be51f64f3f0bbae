#include "source/target_folders.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <unordered_set>

#include "base/ascii.h"
#include "shardine/escape.h"

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
  std::string_view stem = key.substr(slash + 1);
  const std::size_t dot = stem.rfind('.');
  if (dot != std::string_view::npos &&
      stem.find('/', dot) == std::string_view::npos) {
    stem = stem.substr(0, dot);
  }
  return {key.substr(0, slash), stem};
}

Status Refuse(const std::string& path, const std::string& why) {
  return Status(Code::kInvalidArgument, why).At({.path = path});
}

// `alone`: there is one other folder.
Status CheckTarget(const std::string& target, bool alone, std::uint32_t root,
                   const SourceSet& set) {
  std::unordered_set<std::string_view> stems;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) != root) continue;
    const FolderAndStem cut = Cut(set.samples.key(i));
    if (cut.folder == target) stems.insert(cut.stem);
  }
  const std::string& path = set.roots[root];
  if (stems.empty() && !IsOneOf(kTargets, target)) return Status();
  if (stems.empty()) {
    return Refuse(path, "folder " + EscapeBytes(target) +
                            " holds no images, and is named as targets are, "
                            "not classes");
  }
  std::map<std::string_view, std::size_t> pairs;  // by folder
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.root(i) != root) continue;
    const FolderAndStem cut = Cut(set.samples.key(i));
    if (cut.folder != target && stems.contains(cut.stem)) ++pairs[cut.folder];
  }
  for (const auto& [folder, count] : pairs) {
    if (count * 2 <= stems.size()) continue;
    // Files of numbers are in any class, one of masks too.
    if (!alone && !IsOneOf(kImages, folder)) continue;
    return Refuse(path, "folders " + EscapeBytes(folder) + " and " +
                            EscapeBytes(target) + " hold " +
                            std::to_string(count) +
                            " files of equal names: pairs of an image and its "
                            "target, not classes");
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
