#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/name_form.h"
#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/alike_samples.h"
#include "source/annotations.h"
#include "source/blacklist.h"
#include "source/box_match.h"
#include "source/class_form_check.h"
#include "source/class_label_file.h"
#include "source/class_numbers.h"
#include "source/class_text.h"
#include "source/exact_copies.h"
#include "source/file_images.h"
#include "source/image_folder.h"
#include "source/list_input.h"
#include "source/listed_source.h"
#include "source/neighbours.h"
#include "source/repeated_paths.h"
#include "source/server_threads.h"
#include "source/source_set.h"
#include "source/source_snapshot.h"
#include "source/split.h"
#include "source/target_folders.h"
#include "source/tree_tables.h"
#include "source/unique_samples.h"
#include "source/val_labels.h"

namespace shardine {
namespace {

Status Invalid(std::string message) {
  return Status(Code::kInvalidArgument, std::move(message));
}

SplitCut CutOf(const SourceOptions& options) {
  return {options.split_shares, options.hold_out, options.seed,
          options.split_rule};
}

// Splits of a list stand; samples that it calls a group stay together.
Status CompleteCut(const SourceOptions& options, const SourceSet& set,
                   SplitCut& cut) {
  if (set.has_list_splits &&
      (cut.is_made() || options.folders.front().split != "train")) {
    return Invalid("the list has a column of splits, and others are asked for")
        .At({.path = options.list});
  }
  const bool has_groups =
      std::ranges::find(set.columns, "group", &TableColumn::name) !=
      set.columns.end();
  if (has_groups && !cut.shares.empty() && cut.rule.group_by.empty()) {
    cut.rule.group_by = "column:group";
  }
  return Status();
}

Status CheckOptions(const SourceOptions& options) {
  const std::size_t folders = options.folders.size();
  if (folders == 0) return Invalid("no source");
  if (folders >= SourceList::kMaxRoots) return Invalid("too many sources");
  if (!options.list.empty() && folders != 1) {
    return Invalid("a list needs one folder that its paths start from");
  }
  SHARDINE_RETURN_IF_ERROR(CheckCut(CutOf(options)));
  if (options.numbered_classes &&
      (!options.label_map.empty() || options.min_per_class > 0 ||
       options.empty_classes == EmptyClasses::kDrop)) {
    return Invalid(
        "numbered classes keep their numbers; a label map, a minimum per class "
        "and dropped classes exclude them");
  }
  if (!options.list_root.empty() && options.list.empty()) {
    return Invalid("a folder that a list's paths start from needs the list");
  }
  const std::string* const lists[] = {&options.list, &options.blacklist,
                                      &options.val_labels,
                                      &options.bounding_boxes};
  if (std::ranges::count_if(lists, [](const std::string* path) {
        return IsStandardInput(*path);
      }) > 1) {
    return Invalid("standard input is one list, and two options ask for it");
  }
  if (options.metadata_file.find('/') != std::string::npos) {
    return Invalid(
        "a metadata file is named without a folder: files of the name are "
        "looked for in all folders");
  }
  if (!options.val_labels.empty() && !options.list.empty()) {
    return Invalid("validation labels are for folders, a list has its own");
  }
  return Status();
}

// Opens the folders; the classes are the union over them.
Result<std::vector<ImageFolder>> OpenFolders(ReadableStorage& storage,
                                             const SourceOptions& options,
                                             const NeighbourNames* fields,
                                             ClassNumbers& numbers) {
  std::vector<ImageFolder> trees;
  std::vector<std::string> names;
  for (const SourceOptions::Folder& folder : options.folders) {
    SHARDINE_ASSIGN_OR_RETURN(ImageFolder tree,
                              ImageFolder::Open(storage, folder.path, fields));
    names.insert(names.end(), tree.classes().begin(), tree.classes().end());
    trees.push_back(std::move(tree));
  }
  // One numbering for all folders: a class that val lacks must not shift the
  // numbers of those after it.
  if (numbers.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(numbers, numbers.WithNames(names));
  }
  for (const std::string& name : names) {
    if (!numbers.Find(name)) {
      return Status(Code::kInvalidArgument,
                    "class " + EscapeBytes(name) + " is not in the label map")
          .At({.path = options.label_map});
    }
  }
  return trees;
}

// The folder that the validation labels are for.
Result<FlatFolder> FindFlat(const SourceOptions& options,
                            const std::vector<FlatFolder>& flat) {
  if (flat.size() == 1) return flat.front();
  for (const FlatFolder& folder : flat) {
    if (options.folders[folder.root].split == "val") return folder;
  }
  return Status(Code::kInvalidArgument,
                "validation labels are for a folder of images without class "
                "folders; there is none, or several and none is split val")
      .At({.path = options.val_labels});
}

// Classes whose folders hold no image in any of the trees: a program that
// counts folders, or leaves empty ones out, gives the others different numbers.
Status CheckEmptyClasses(const SourceOptions& options,
                         const std::vector<ImageFolder>& trees,
                         const SourceSet& set) {
  // A label map numbers the classes, and min_per_class drops some.
  if (options.empty_classes != EmptyClasses::kRefuse ||
      !options.label_map.empty() || options.min_per_class > 0) {
    return Status();
  }
  const auto class_of = [&options](const std::string& folder) {
    return options.unite_classes ? ComposedName(folder) : folder;
  };
  std::map<std::string, std::size_t> filled;  // trees with images of it
  for (const ImageFolder& tree : trees) {
    for (const std::string& name : tree.classes()) ++filled[class_of(name)];
  }
  for (const SourceProblem& problem : set.ignored) {
    if (problem.reason == "empty-class") filled[class_of(problem.key)] -= 1;
  }
  std::uint64_t count = 0;
  for (const auto& [name, folders] : filled) count += folders == 0 ? 1 : 0;
  if (count == 0) return Status();
  const auto first = std::ranges::find(
      filled, 0u, [](const auto& entry) { return entry.second; });
  return Invalid(std::to_string(count) +
                 (count == 1 ? " class folder holds" : " class folders hold") +
                 " no images, first " + EscapeBytes(first->first))
      .At({.path = set.roots.front()});
}

// The trees of a source, walked.
struct WalkedTrees {
  std::vector<ImageFolder> trees;
  std::vector<FlatFolder> flat;
  std::vector<TreeTable> tables;
};

Result<WalkedTrees> WalkFolders(ReadableStorage& storage,
                                const SourceOptions& options,
                                const NeighbourNames& fields,
                                ClassNumbers& numbers, SourceSet& set) {
  WalkedTrees walked;
  SHARDINE_ASSIGN_OR_RETURN(walked.trees,
                            OpenFolders(storage, options, &fields, numbers));
  const std::vector<ImageFolder>& trees = walked.trees;
  WalkTarget target{&set};
  for (std::uint32_t i = 0; i < trees.size(); ++i) {
    const std::uint64_t first_id = target.next_id;
    target.root = i;
    target.split = i;
    SHARDINE_RETURN_IF_ERROR(trees[i].Walk(numbers, target));
    const std::uint64_t files = target.next_id - first_id;
    if (files == 0) {
      return Invalid("no images").At({.path = set.roots[i]});
    }
    if (trees[i].flat()) walked.flat.push_back({i, first_id, files});
  }
  walked.tables = std::move(target.tables);
  return walked;
}

Status LoadFolders(ReadableStorage& storage, const SourceOptions& options,
                   NeighbourNames& fields, ClassNumbers& numbers,
                   SourceSet& set) {
  const ClassNumbers asked = numbers;
  SHARDINE_ASSIGN_OR_RETURN(
      WalkedTrees walked, WalkFolders(storage, options, fields, numbers, set));
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<PlaceInTree> files,
      FilesOfTables(storage, options, walked.tables, set));
  if (!files.empty()) {
    fields.AddFiles(files, set);
    SourceSet others;
    others.roots = std::move(set.roots);
    others.splits = std::move(set.splits);
    set = std::move(others);
    numbers = asked;
    SHARDINE_ASSIGN_OR_RETURN(
        walked, WalkFolders(storage, options, fields, numbers, set));
  }
  // A label map says that they are classes.
  for (std::uint32_t i = 0;
       i < walked.trees.size() && options.label_map.empty(); ++i) {
    SHARDINE_RETURN_IF_ERROR(
        CheckTargetFolders(walked.trees[i].classes(), i, set));
  }
  SHARDINE_RETURN_IF_ERROR(CheckEmptyClasses(options, walked.trees, set));
  if (!options.val_labels.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(const FlatFolder folder,
                              FindFlat(options, walked.flat));
    SHARDINE_RETURN_IF_ERROR(
        ApplyValLabels(storage, options.val_labels, folder, numbers, set));
  }
  return AddTreeTables(storage, options, std::move(walked.tables), asked,
                       numbers, set);
}

Status AddOffset(std::int64_t offset, SourceSet& set) {
  // A label that wraps would be a class that the user never named.
  const auto add = [offset](std::int64_t& label) {
    return !__builtin_add_overflow(label, offset, &label);
  };
  for (ClassInfo& info : set.classes) {
    if (!add(info.label)) return Invalid("the label offset is too large");
  }
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    std::optional<std::int64_t> label = set.samples.class_label(i);
    if (!label) continue;
    if (!add(*label)) return Invalid("the label offset is too large");
    set.samples.SetLabel(i, *label);
  }
  return Status();
}

// A set without labels looks like any other until it is used for training.
Status RefuseUnlabelled(const SourceOptions& options, std::uint64_t count,
                        std::size_t first, const SourceSet& set) {
  const std::string images =
      std::to_string(count) + (count == 1 ? " image has" : " images have");
  if (!options.list.empty()) {
    return Status(Code::kInvalidArgument,
                  images + " no label here, this one first")
        .At({.path = options.list, .key = std::string(set.samples.key(first))});
  }
  return Status(Code::kInvalidArgument,
                images + " no label, for lack of class folders")
      .At({.path = set.roots[set.samples.root(first)]});
}

// Images without labels are said, or refused.
Status NoteUnlabelled(const SourceOptions& options, SourceSet& set) {
  std::vector<std::uint64_t> counts(set.splits.size());
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.label_count(i) > 0) continue;
    ++counts[set.samples.split(i)];
    if (!first) first = i;
  }
  // Annotations are wanted of images without classes, too.
  if (first && !options.unlabelled && options.annotations.empty()) {
    const std::uint64_t count = counts[set.samples.split(*first)];
    return RefuseUnlabelled(options, count, *first, set);
  }
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    set.notes.push_back("split " + EscapeBytes(set.splits[s]) + ": " +
                        std::to_string(counts[s]) +
                        (counts[s] == 1 ? " image has" : " images have") +
                        " no label");
  }
  return Status();
}

Status LoadList(ReadableStorage& storage, const SourceOptions& options,
                ClassNumbers& numbers, SourceSet& set) {
  const ListPlace list{options.list, options.list_root};
  // A missing bucket, or a storage without folders, is reported first; the list
  // itself may lie elsewhere.
  const std::string& root = set.roots.front();
  if (!SchemeOf(root).empty()) {
    SHARDINE_RETURN_IF_ERROR(storage.List(root).status());
  }
  SHARDINE_RETURN_IF_ERROR(LoadListedFiles(storage, list, numbers, set));
  SHARDINE_RETURN_IF_ERROR(
      CheckUniqueIds(set.samples).At({.path = options.list}));
  return KeyRepeatedPaths(storage, set).At({.path = options.list});
}

// Lines of a label map that match no folder: they are classes without samples.
Status NoteMapped(ReadableStorage& storage, const std::string& path,
                  const ClassMap& named, SourceSet& set) {
  if (named.empty()) return Status();
  std::unordered_set<std::int64_t> found;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    set.samples.GetLabels(i, labels);
    for (const Label& label : labels) {
      if (label.is_integer()) found.insert(label.integer());
    }
  }
  std::vector<std::string> unmatched;
  for (const ClassInfo& info : named) {
    if (!found.contains(info.label)) unmatched.push_back(info.name);
  }
  if (unmatched.empty()) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const auto lines,
                            LinesOfClassLabels(storage, path));
  for (const std::string& name : unmatched) {
    SourceProblem problem{.key = name, .reason = "label-map-unmatched"};
    if (const auto line = lines.find(name); line != lines.end()) {
      problem.list = FileNameOf(path);
      problem.line = line->second;
    }
    set.ignored.push_back(std::move(problem));
  }
  return Status();
}

Status LoadFiles(ReadableStorage& storage, const SourceOptions& options,
                 SourceSet& set) {
  ClassMap named;
  if (!options.label_map.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(named,
                              ReadClassLabels(storage, options.label_map));
  }
  ClassNumbers numbers = named.empty()
                             ? ClassNumbers::AsAsked(options.unite_classes,
                                                     options.numbered_classes)
                             : ClassNumbers::Of(named, options.unite_classes);
  SHARDINE_ASSIGN_OR_RETURN(NeighbourNames fields, NeighbourNames::Of(options));
  if (options.list.empty()) {
    SHARDINE_RETURN_IF_ERROR(
        LoadFolders(storage, options, fields, numbers, set));
  } else {
    SHARDINE_RETURN_IF_ERROR(LoadList(storage, options, numbers, set));
  }
  if (fields.has_fields()) {
    SHARDINE_RETURN_IF_ERROR(AddNeighbours(storage, options, fields, set));
  }
  SHARDINE_RETURN_IF_ERROR(NoteMapped(storage, options.label_map, named, set));
  // The classes of the map, with its texts for people, if it made them.
  set.classes = named.empty() ? numbers.Classes() : std::move(named);
  if (std::string note = OtherNumbers(set.classes);
      !note.empty() && options.label_map.empty()) {
    set.notes.push_back(std::move(note));
  }
  return options.list.empty() ? CheckUnique(set.samples) : Status();
}

struct FoundCopies {
  std::vector<Likeness> copies;
  std::string note;  // on images that were not compared
};

Result<FoundCopies> FindCopies(ReadableStorage& storage, const SplitRule& rule,
                               const SourceSet& set) {
  FoundCopies found;
  if (!rule.unites_copies()) return found;
  SHARDINE_ASSIGN_OR_RETURN(found.copies, CopiedFiles(storage, set));
  if (!rule.near_groups) return found;
  const unsigned threads = ServerThreads(set.roots.front(), 0, kServerBlocks);
  SHARDINE_ASSIGN_OR_RETURN(AlikeSamples alike,
                            FindAlike(FileImages(storage, set), threads));
  std::ranges::copy(alike.pairs, std::back_inserter(found.copies));
  found.note = std::move(alike.note);
  return found;
}

Result<SourceSet> LoadSourceFrom(ReadableStorage& storage,
                                 const SourceOptions& options) {
  for (const SourceOptions::Folder& folder : options.folders) {
    // Where a list's paths start need not be there, but must be a place here.
    const Status here = storage.Stat(folder.path).status();
    if (here.code() == Code::kUnsupported) return here;
  }
  SourceSet set;
  for (const SourceOptions::Folder& folder : options.folders) {
    set.roots.push_back(folder.path);
    set.splits.push_back(folder.split);
  }
  SHARDINE_RETURN_IF_ERROR(LoadFiles(storage, options, set));
  if (!options.annotations.empty()) {
    SHARDINE_RETURN_IF_ERROR(AddAnnotations(storage, options, set));
  }
  // Classes are empty if the trees hold no image of them, so this comes before
  // the blacklist: a listed image changes no other class's number.
  if (options.empty_classes == EmptyClasses::kDrop &&
      options.label_map.empty() && options.list.empty()) {
    SHARDINE_RETURN_IF_ERROR(ApplyMinPerClass(1, set));
  }
  if (!options.blacklist.empty()) {
    SHARDINE_RETURN_IF_ERROR(ApplyBlacklist(storage, options.blacklist, set));
  }
  if (options.min_per_class > 0) {
    SHARDINE_RETURN_IF_ERROR(ApplyMinPerClass(options.min_per_class, set));
  }
  if (set.samples.size() == 0 && set.bad.empty()) {
    return Invalid("no samples")
        .At({.path = options.list.empty() ? set.roots.front() : options.list});
  }
  // After the minimum per class, which removes the classes that would have
  // nothing left.
  SHARDINE_ASSIGN_OR_RETURN(const FoundCopies found,
                            FindCopies(storage, options.split_rule, set));
  SplitCut cut = CutOf(options);
  SHARDINE_RETURN_IF_ERROR(CompleteCut(options, set, cut));
  set.group_by = cut.rule.group_by;
  SHARDINE_RETURN_IF_ERROR(ApplyCut(cut, found.copies, set));
  if (!found.note.empty()) set.notes.push_back(found.note);
  // All splits are made by now, so that the counts are theirs.
  SHARDINE_RETURN_IF_ERROR(NoteUnlabelled(options, set));
  SHARDINE_RETURN_IF_ERROR(CountClasses(set.samples, set.classes));
  SHARDINE_RETURN_IF_ERROR(CheckClassForms(options, set));
  SHARDINE_RETURN_IF_ERROR(AddOffset(options.label_offset, set));
  if (!options.class_text.empty()) {
    SHARDINE_RETURN_IF_ERROR(
        ApplyClassText(storage, options.class_text, set.classes));
  }
  if (!options.bounding_boxes.empty()) {
    SHARDINE_RETURN_IF_ERROR(MatchBoxes(storage, options.bounding_boxes, set));
  }
  return set;
}

}  // namespace

std::string FirstPath(const SourceOptions& source) {
  return source.folders.empty() ? source.list : source.folders.front().path;
}

Result<SourceSet> LoadSource(ReadableStorage& storage,
                             const SourceOptions& options) {
  SHARDINE_RETURN_IF_ERROR(CheckOptions(options));
  SHARDINE_ASSIGN_OR_RETURN(const auto snapshot,
                            SnapshotOf(storage, options.folders));
  return LoadSourceFrom(snapshot == nullptr ? storage : *snapshot, options);
}

}  // namespace shardine
