#include "source/neighbours.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "base/ascii.h"
#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/field_file.h"
#include "source/folder_walk.h"
#include "source/name_order.h"
#include "source/source_file.h"
#include "source/split_name.h"
#include "source/tree_tables.h"

namespace shardine {
namespace {

constexpr std::string_view kImageName = "image";  // the field of the image
constexpr std::size_t kMostFields = 256;

Status BadFields(std::string message) {
  return Status(Code::kInvalidArgument, std::move(message));
}

std::string_view NameOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// The fields of one set, and the files of its samples as they are found.
class Finder {
 public:
  Finder(ReadableStorage& storage, const NeighbourNames& names,
         bool lists_alone, SourceSet& set)
      : storage_(storage),
        names_(names),
        lists_alone_(lists_alone),
        set_(set) {}

  Status Run(const SourceOptions& options) {
    first_ = set_.columns.size();
    for (const FileField& field : options.stem_fields.fields) {
      SHARDINE_RETURN_IF_ERROR(AddColumn(field.name, field.files));
    }
    first_pair_ = set_.columns.size();
    for (const FileField& field : options.pairs) {
      SHARDINE_RETURN_IF_ERROR(AddColumn(field.name, field.files));
    }
    first_auto_ = set_.columns.size();
    // A folder's files are listed once, in whatever order its samples come.
    std::vector<std::size_t> order(set_.samples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return PlaceOf(a) < PlaceOf(b);
    });
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin + 1;
      while (end < order.size() &&
             PlaceOf(order[begin]) == PlaceOf(order[end])) {
        ++end;
      }
      SHARDINE_RETURN_IF_ERROR(
          AddFolder(std::span(order).subspan(begin, end - begin)));
      begin = end;
    }
    return Finish();
  }

 private:
  struct Found {
    std::string cells;
    std::vector<bool> has;  // by number of the field
  };
  using Place = std::pair<std::uint32_t, std::string_view>;

  Place PlaceOf(std::size_t sample) const {
    return {set_.samples.root(sample), FolderOfPath(set_.samples.path(sample))};
  }
  const std::string& NameOfField(std::size_t field) const {
    return set_.columns[first_ + field].name;
  }

  Status Ambiguous(std::size_t field, std::string_view image,
                   std::string_view other) const {
    return BadFields("could be field " + EscapeBytes(NameOfField(field)) +
                     " of " + EscapeBytes(image) + " or of " +
                     EscapeBytes(other));
  }

  Status AddColumn(const std::string& name, const std::string& files) {
    const bool is_known =
        std::ranges::find(set_.columns, name, &TableColumn::name) !=
        set_.columns.end();
    if (is_known || name == kImageName) {
      return BadFields("two fields have the name \"" + EscapeBytes(name) +
                       "\"");
    }
    if (set_.columns.size() - first_ == kMostFields) {
      return BadFields("more than " + std::to_string(kMostFields) +
                       " fields of files, the last " + EscapeBytes(name));
    }
    const bool is_text = IsTextName(LowerAscii(files));
    set_.columns.push_back(
        {name, is_text ? ColumnType::kTextFile : ColumnType::kBytesFile});
    if (is_text) set_.text_fields.push_back(name);
    files_.push_back(files);
    counts_.push_back(0);
    return Status();
  }

  // `samples` are those of one folder.
  Status AddFolder(std::span<const std::size_t> samples) {
    std::map<std::string_view, std::vector<std::size_t>> of_stem;
    std::map<std::string_view, std::size_t> images;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::string_view path = set_.samples.path(samples[i]);
      images.emplace(NameOf(path), i);
      of_stem[NameOf(StemOf(path))].push_back(i);
    }
    found_.assign(samples.size(), {});
    if (names_.is_auto() || !names_.suffixes().empty()) {
      SHARDINE_RETURN_IF_ERROR(AddByStem(samples, of_stem, images));
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      SHARDINE_RETURN_IF_ERROR(AddPairs(samples[i], found_[i]));
      NoteMissing(samples[i], found_[i]);
      if (found_[i].cells.empty()) continue;
      std::string cells(set_.samples.fields(samples[i]));
      cells += found_[i].cells;
      set_.samples.SetFields(samples[i], cells);
    }
    return Status();
  }

  using Stems = std::map<std::string_view, std::vector<std::size_t>>;

  Status AddByStem(std::span<const std::size_t> samples, const Stems& of_stem,
                   const std::map<std::string_view, std::size_t>& images) {
    const auto [root, folder] = PlaceOf(samples.front());
    const std::string path =
        folder.empty() ? set_.roots[root]
                       : JoinPath(set_.roots[root], std::string(folder));
    SHARDINE_ASSIGN_OR_RETURN(std::vector<DirEntry> entries,
                              storage_.List(path));
    std::ranges::sort(entries, NameLess, &DirEntry::name);
    for (const DirEntry& entry : entries) {
      if (entry.name.starts_with('.') || entry.kind == FileKind::kDirectory ||
          images.contains(entry.name) || !names_.IsByStem(entry.name)) {
        continue;
      }
      SHARDINE_ASSIGN_OR_RETURN(const bool is_taken,
                                AddFile(samples, of_stem, entry));
      if (is_taken || !lists_alone_) continue;
      set_.ignored.push_back({JoinPath(std::string(folder), entry.name),
                              names_.ReasonAlone(entry.name), root});
    }
    return Status();
  }

  // False: no image has its stem.
  Result<bool> AddFile(std::span<const std::size_t> samples,
                       const Stems& of_stem, const DirEntry& entry) {
    Stems::const_iterator stem = of_stem.end();
    std::optional<std::size_t> field;
    SHARDINE_RETURN_IF_ERROR(FindField(of_stem, entry.name, stem, field));
    if (!field) return false;
    const std::string_view first = set_.samples.path(samples[stem->second[0]]);
    for (const std::size_t i : stem->second) {
      const std::size_t sample = samples[i];
      const std::string_view path = set_.samples.path(sample);
      // A list may have one path several times.
      if (path != first) {
        return Ambiguous(*field, first, path)
            .At({.path = JoinPath(
                     set_.roots[set_.samples.root(sample)],
                     JoinPath(std::string(FolderOfPath(path)), entry.name))});
      }
      SHARDINE_ASSIGN_OR_RETURN(
          const bool is_file,
          TakeFile(sample, *field,
                   JoinPath(std::string(FolderOfPath(path)), entry.name),
                   entry.kind == FileKind::kSymlink, found_[i]));
      // A link to a folder is one.
      if (!is_file) return true;
    }
    return true;
  }

  // The field of a file, by the longest suffix or stem.
  Status FindField(const Stems& of_stem, const std::string& name,
                   Stems::const_iterator& stem,
                   std::optional<std::size_t>& field) {
    if (names_.is_auto()) return FindAuto(of_stem, name, stem, field);
    const std::string lower = LowerAscii(name);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < names_.suffixes().size(); ++i) {
      const std::string& suffix = names_.suffixes()[i];
      if (suffix.size() <= longest || !lower.ends_with(suffix)) continue;
      const auto found = of_stem.find(
          std::string_view(name).substr(0, name.size() - suffix.size()));
      if (found == of_stem.end()) continue;
      longest = suffix.size();
      stem = found;
      field = i;
    }
    return Status();
  }

  Status FindAuto(const Stems& of_stem, const std::string& name,
                  Stems::const_iterator& stem,
                  std::optional<std::size_t>& field) {
    for (std::size_t dot = name.rfind('.'); dot != name.npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      stem = of_stem.find(std::string_view(name).substr(0, dot));
      if (stem == of_stem.end()) continue;
      std::string own = LowerAscii(name.substr(dot + 1));
      const std::string suffix = "." + own;
      std::ranges::replace(own, '.', '_');
      if (!IsSplitName(own) || own == kImageName) return Status();
      const auto known = std::ranges::find(
          set_.columns.begin() + static_cast<std::ptrdiff_t>(first_auto_),
          set_.columns.end(), own, &TableColumn::name);
      field = static_cast<std::size_t>(known - set_.columns.begin()) - first_;
      return known == set_.columns.end() ? AddColumn(own, suffix) : Status();
    }
    return Status();
  }

  Status AddPairs(std::size_t sample, Found& found) {
    for (std::size_t i = 0; i < names_.pairs().size(); ++i) {
      const auto path = names_.pairs()[i].PathFor(set_.samples.path(sample));
      if (!path) continue;
      const std::size_t field = first_pair_ - first_ + i;
      SHARDINE_RETURN_IF_ERROR(
          TakeFile(sample, field, *path, false, found).status());
      if (found.has.size() <= field || !found.has[field]) continue;
      const auto [other, is_new] = paired_.try_emplace(
          std::to_string(set_.samples.root(sample)) + " " + *path, sample);
      if (!is_new &&
          set_.samples.path(other->second) != set_.samples.path(sample)) {
        return Ambiguous(field, set_.samples.path(other->second),
                         set_.samples.path(sample))
            .At({.path = *path});
      }
    }
    return Status();
  }

  // False: there is no file of that path, or it is a folder.
  Result<bool> TakeFile(std::size_t sample, std::size_t field, std::string path,
                        bool is_link, Found& found) {
    const bool is_whole = path.starts_with('/') || !SchemeOf(path).empty();
    const auto info = storage_.Stat(
        is_whole ? path
                 : JoinPath(set_.roots[set_.samples.root(sample)], path));
    if (info.ok() && info->kind == FileKind::kDirectory) return false;
    // A file of a pattern need not be there.
    const bool is_there = is_link || field < first_pair_ - first_ ||
                          field >= first_auto_ - first_;
    if (info.status().code() == Code::kNotFound && !is_there) return false;
    if (info.status().code() == Code::kUnsupported) return info.status();
    if (found.has.size() <= field) found.has.resize(field + 1);
    if (found.has[field]) {
      return BadFields("two files could be field " +
                       EscapeBytes(NameOfField(field)) +
                       ", by suffixes that differ in case alone")
          .At({.path = JoinPath(set_.roots[set_.samples.root(sample)], path)});
    }
    found.has[field] = true;
    FieldFile file{.path = std::move(path), .facts = {}};
    if (const char* const fault = FileFault(info, is_link)) {
      file.fault = fault;
    } else {
      file.facts = {info->size, info->mtime_ns};
    }
    AppendFieldFile(static_cast<std::uint32_t>(first_ + field), file,
                    set_.samples.path(sample), found.cells);
    ++counts_[field];
    return true;
  }

  // The fields that were asked for and that the sample lacks.
  void NoteMissing(std::size_t sample, const Found& found) {
    const std::string_view path = set_.samples.path(sample);
    for (std::size_t i = 0; i < first_auto_ - first_; ++i) {
      if (i < found.has.size() && found.has[i]) continue;
      std::string expected = std::string(StemOf(path)) + files_[i];
      if (i >= first_pair_ - first_) {
        expected =
            names_.pairs()[i - (first_pair_ - first_)].PathFor(path).value_or(
                std::string(path));
      }
      set_.ignored.push_back(
          {std::move(expected), "field-missing", set_.samples.root(sample)});
    }
  }

  // All fields are known by now.
  void NoteMissingByAuto() {
    for (std::size_t i = 0; i < set_.samples.size(); ++i) {
      for (std::size_t c = first_auto_; c < set_.columns.size(); ++c) {
        if (counts_[c - first_] == set_.samples.size() ||
            TextOf(set_.samples.fields(i), c)) {
          continue;
        }
        set_.ignored.push_back(
            {std::string(StemOf(set_.samples.path(i))) + files_[c - first_],
             "field-missing", set_.samples.root(i)});
      }
    }
  }

  // Files in the folders of pairs that belong to no image.
  Status IgnoreUnpaired() {
    if (!lists_alone_) return Status();
    std::set<std::string> tops;
    for (const PairPattern& pattern : names_.pairs()) {
      if (!pattern.is_absolute() && !pattern.top().empty()) {
        tops.insert(pattern.top());
      }
    }
    for (std::uint32_t root = 0; root < set_.roots.size(); ++root) {
      for (const std::string& top : tops) {
        const auto info = storage_.Stat(JoinPath(set_.roots[root], top));
        if (!info.ok() || info->kind != FileKind::kDirectory) continue;
        FolderWalk walk(storage_, set_.roots[root], /*descend=*/true);
        SHARDINE_RETURN_IF_ERROR(walk.Walk(top, *info));
        for (const FolderWalk::File& file : walk.files)
          IgnoreAlone(root, file.key);
        for (const SourceProblem& each : walk.ignored)
          IgnoreAlone(root, each.key);
      }
    }
    return Status();
  }

  void IgnoreAlone(std::uint32_t root, const std::string& path) {
    if (paired_.contains(std::to_string(root) + " " + path)) return;
    set_.ignored.push_back({path, "neighbour-without-image", root});
  }

  Status Finish() {
    SHARDINE_RETURN_IF_ERROR(IgnoreUnpaired());
    const std::size_t samples = set_.samples.size();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::string name = EscapeBytes(NameOfField(i));
      if (counts_[i] == 0 && samples > 0) {
        return BadFields("no image has a file of field " + name + ", " +
                         EscapeBytes(files_[i]))
            .At({.path = set_.roots.front()});
      }
      if (counts_[i] == samples) continue;
      set_.notes.push_back("field " + name + ": " +
                           std::to_string(samples - counts_[i]) + " of " +
                           std::to_string(samples) + " samples have no file");
    }
    if (names_.is_auto()) NoteMissingByAuto();
    if (counts_.empty()) {
      return BadFields("no file beside the images has the stem of one")
          .At({.path = set_.roots.front()});
    }
    std::ranges::sort(set_.text_fields);
    return Status();
  }

  ReadableStorage& storage_;
  const NeighbourNames& names_;
  const bool lists_alone_;
  SourceSet& set_;
  // Into set_.columns: of all fields, of pairs, of those that were not named.
  std::size_t first_ = 0;
  std::size_t first_pair_ = 0;
  std::size_t first_auto_ = 0;
  std::vector<std::string> files_;   // suffixes and patterns, by field
  std::vector<std::size_t> counts_;  // of samples that have it
  std::vector<Found> found_;         // of the folder's samples
  std::map<std::string, std::size_t> paired_;  // samples by their files' paths
};

}  // namespace

Result<NeighbourNames> NeighbourNames::Of(const SourceOptions& options) {
  NeighbourNames names;
  names.is_auto_ = options.stem_fields.is_auto;
  for (const FileField& field : options.stem_fields.fields) {
    names.suffixes_.push_back(LowerAscii(field.files));
  }
  for (const FileField& field : options.pairs) {
    SHARDINE_ASSIGN_OR_RETURN(PairPattern pattern,
                              PairPattern::Parse(field.files));
    names.pairs_.push_back(std::move(pattern));
  }
  names.tables_ = TreeTableNames(options);
  return names;
}

bool NeighbourNames::IsTable(std::string_view name) const {
  return std::ranges::find(tables_, name) != tables_.end();
}

void NeighbourNames::AddFiles(const std::vector<PlaceInTree>& files,
                              const SourceSet& set) {
  const auto top_of = [](std::string_view path) {
    const std::size_t slash = path.find('/');
    return std::string(slash == path.npos ? "" : path.substr(0, slash));
  };
  for (const PlaceInTree& file : files) {
    if (file.root >= set.roots.size()) continue;
    const std::string& root = set.roots[file.root];
    files_.insert({root, file.path});
    file_folders_.insert({root, top_of(file.path)});
  }
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    const std::string& root = set.roots[set.samples.root(i)];
    const std::string path(set.samples.path(i));
    if (!IsFile(root, path)) file_folders_.erase({root, top_of(path)});
  }
}

bool NeighbourNames::IsByStem(std::string_view name) const {
  if (is_auto_) return !HasImageSuffix(name);
  const std::string lower = LowerAscii(name);
  return std::ranges::any_of(suffixes_, [&](const std::string& suffix) {
    return lower.size() > suffix.size() && lower.ends_with(suffix);
  });
}

bool NeighbourNames::IsOfPair(std::string_view path) const {
  return std::ranges::any_of(
      pairs_, [&](const PairPattern& pattern) { return pattern.Gives(path); });
}

bool NeighbourNames::IsPairFolder(std::string_view name) const {
  return std::ranges::any_of(pairs_, [&](const PairPattern& pattern) {
    return !pattern.is_absolute() && pattern.top() == name;
  });
}

const char* NeighbourNames::ReasonAlone(std::string_view name) const {
  const bool is_other = is_auto_ && !HasImageSuffix(name);
  return is_other ? "not-an-image-suffix" : "neighbour-without-image";
}

Status AddNeighbours(ReadableStorage& storage, const SourceOptions& options,
                     const NeighbourNames& names, SourceSet& set) {
  return Finder(storage, names, options.list.empty(), set).Run(options);
}

}  // namespace shardine
