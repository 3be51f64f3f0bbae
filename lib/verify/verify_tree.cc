#include "verify/verify_tree.h"

#include <algorithm>
#include <string_view>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/rejects.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "shardine/escape.h"
#include "source/source_snapshot.h"
#include "source/source_storage.h"

namespace shardine {
namespace {

// A frame has as many keys.
constexpr std::uint64_t kKeysHeld = 256;

// Eight bytes a key instead of its text: a dataset may have hundreds of
// millions. Two keys of one hash could hide a missing image, which costs a note
// and no finding.
std::uint64_t KeyHash(std::string_view key) { return Xxh3_64(AsBytes(key)); }

// Hashes of names: a key is unique in its split alone. Where a source does not
// say the splits of its images, any split's key will do.
class NameHash {
 public:
  explicit NameHash(bool by_split) : by_split_(by_split) {}

  std::uint64_t operator()(std::string_view split, std::string_view key) const {
    return by_split_ ? Xxh3_64(AsBytes(key), KeyHash(split)) : KeyHash(key);
  }

 private:
  bool by_split_;
};

// Hashes of all samples that the dataset has, or rejected and says so.
Result<std::vector<std::uint64_t>> KnownNames(ReadableStorage& storage,
                                              const DatasetReader& dataset,
                                              const NameHash& hash) {
  std::vector<std::uint64_t> hashes;
  std::vector<std::string> keys;
  for (const DatasetReader::ShardRef& shard : dataset.shards()) {
    SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset.OpenIndex(shard));
    for (std::uint64_t first = 0; first < index->size(); first += kKeysHeld) {
      SHARDINE_RETURN_IF_ERROR(
          index->Keys(first, std::min(kKeysHeld, index->size() - first), keys));
      for (const std::string& key : keys) {
        hashes.push_back(hash(shard.split->name, key));
      }
    }
  }
  const auto rejects =
      ReadRejects(storage, JoinPath(dataset.directory(), kRejectedName));
  if (rejects.ok()) {
    for (const Reject& reject : *rejects) {
      hashes.push_back(hash(reject.split, reject.key));
    }
  } else if (rejects.status().code() != Code::kNotFound) {
    return rejects.status();
  }
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

// Where the next of "train=a,val=b" begins after a comma, or the end: folders
// may have commas in their names.
std::size_t NextName(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(',', from); at != text.npos;
       at = text.find(',', at + 1)) {
    const std::string rest(text.substr(at + 1));
    const auto parsed = ParseSourceArguments({rest});
    if (parsed.ok() && parsed->front().path.size() < rest.size()) return at;
  }
  return text.size();
}

SourceOptions SourceOf(ReadableStorage& storage, const DatasetReader& dataset,
                       const std::string& against) {
  SourceOptions options;
  options.unlabelled = true;  // only the files' names matter here
  options.unite_classes = true;
  // Files that it names are fields, as they were then.
  const auto& made = dataset.manifest().made.options;
  const auto metadata = made.find("metadata-file");
  options.metadata_file = metadata == made.end() ? "none" : metadata->second;
  options.folders = NamedFolders(against);
  // `extract` writes a folder per split. With fewer than two splits a folder of
  // that name may as well be a class of the tree.
  if (!options.folders.empty()) return options;
  for (const ManifestSplit& split : dataset.manifest().splits) {
    const std::string folder = JoinPath(against, split.name);
    if (storage.Stat(folder).ok()) {
      options.folders.push_back({split.name, folder});
    }
  }
  if (options.folders.size() < 2) options.folders = {{"train", against}};
  return options;
}

}  // namespace

std::vector<SourceOptions::Folder> NamedFolders(const std::string& against) {
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < against.size();) {
    const std::size_t end = NextName(against, begin);
    arguments.push_back(against.substr(begin, end - begin));
    begin = end + 1;
  }
  const auto folders = ParseSourceArguments(arguments);
  if (!folders.ok() || folders->front().path == against) return {};
  return *folders;
}

Result<SourceTree> SourceTree::Open(ReadableStorage& storage,
                                    const DatasetReader& dataset,
                                    const VerifyOptions& options) {
  if (dataset.manifest().made.options.contains("recode")) {
    return Status(Code::kInvalidArgument,
                  "against: images of the dataset were encoded again (recode), "
                  "and files of a tree do not say whether they are sound");
  }
  SourceTree tree(storage, dataset, options);
  SHARDINE_RETURN_IF_ERROR(tree.FindStorage());
  if (options.list.empty()) {
    SHARDINE_RETURN_IF_ERROR(tree.FindNames());
    return tree;
  }
  SourceOptions source;
  source.folders = NamedFolders(options.against);
  if (source.folders.empty()) source.folders = {{"train", options.against}};
  source.list = options.list;
  source.list_root = options.list_root;
  source.unlabelled = true;  // only the files' names matter here
  source.unite_classes = true;
  SHARDINE_ASSIGN_OR_RETURN(tree.listed_, LoadSource(*tree.source_, source));
  tree.SortListed();
  return tree;
}

// The dataset's own, where that has the scheme: a job may have brought it.
Status SourceTree::FindStorage() {
  const auto named = NamedFolders(options_->against);
  const std::string& path =
      named.empty() ? options_->against : named.front().path;
  ReadableStorage* below = storage_;
  if (SchemeOf(path) != SchemeOf(options_->target)) {
    SHARDINE_ASSIGN_OR_RETURN(below, StorageFor(path));
  }
  std::vector<std::string> paths = PathsOf(named);
  if (named.empty()) paths.push_back(path);
  SHARDINE_ASSIGN_OR_RETURN(source_, OpenSources(*below, paths, {}));
  return Status();
}

// Where files are looked for in more than one place and each look takes a
// while, all are looked at once.
Status SourceTree::FindNames() {
  const bool is_one_place = listed_ || dataset_->manifest().splits.size() < 2 ||
                            !NamedFolders(options_->against).empty();
  if (is_one_place) return Status();
  SHARDINE_ASSIGN_OR_RETURN(
      names_, SnapshotOf(*source_, {{"train", options_->against}}));
  return Status();
}

void SourceTree::SortListed() {
  const SourceList& samples = listed_->samples;
  by_key_.reserve(samples.size());
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    by_key_.emplace_back(KeyHash(samples.key(i)), i);
  }
  std::ranges::sort(by_key_);
}

std::optional<std::string> SourceTree::PathOf(const std::string& split,
                                              const std::string& key) const {
  if (!listed_) return PathInFolders(split, key);
  const SourceList& samples = listed_->samples;
  const std::uint64_t hash = KeyHash(key);
  auto at = std::ranges::lower_bound(by_key_, std::pair(hash, 0u));
  for (; at != by_key_.end() && at->first == hash; ++at) {
    if (samples.key(at->second) != key) continue;
    return JoinPath(listed_->roots.front(),
                    std::string(samples.path(at->second)));
  }
  return std::nullopt;
}

std::string SourceTree::PathInFolders(const std::string& split,
                                      const std::string& key) const {
  const std::string& against = options_->against;
  for (const SourceOptions::Folder& folder : NamedFolders(against)) {
    if (folder.split == split) return JoinPath(folder.path, key);
  }
  if (dataset_->manifest().splits.size() > 1) {
    std::string in_split = JoinPath(JoinPath(against, split), key);
    // Trees of several splits come in both forms: split by folder, or one
    // folder whose samples were split by a share or a list.
    ReadableStorage& names = names_ == nullptr ? *source_ : *names_;
    if (names.Stat(in_split).ok()) return in_split;
  }
  return JoinPath(against, key);
}

Result<std::string> SourceTree::NoteMissingImages() const {
  // A tree is walked when all is compared, so that its names take no memory
  // until then.
  SourceSet walked;
  bool names_splits = !NamedFolders(options_->against).empty();
  if (!listed_) {
    const SourceOptions source =
        SourceOf(*source_, *dataset_, options_->against);
    names_splits = names_splits || source.folders.size() > 1;
    SHARDINE_ASSIGN_OR_RETURN(walked, LoadSource(*source_, source));
  }
  const SourceSet& set = listed_ ? *listed_ : walked;
  const SourceList& samples = set.samples;
  const NameHash hash(names_splits);
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> known,
                            KnownNames(*storage_, *dataset_, hash));
  std::uint64_t missing = 0;
  std::string first;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::string_view key = samples.key(i);
    const std::string& split = set.splits[samples.split(i)];
    if (std::binary_search(known.begin(), known.end(), hash(split, key))) {
      continue;
    }
    // The order of a source may be shuffled or by split; the smallest name is
    // the same one every time.
    const std::string name = names_splits && set.splits.size() > 1
                                 ? split + "/" + std::string(key)
                                 : std::string(key);
    if (missing++ == 0 || name < first) first = name;
  }
  if (missing == 0) return std::string();
  const std::string& source = listed_ ? options_->list : options_->against;
  return "images of " + EscapeBytes(source) +
         " that the dataset lacks: " + std::to_string(missing) + ", such as " +
         EscapeBytes(first);
}

}  // namespace shardine
