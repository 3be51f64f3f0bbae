#include "source/tree_tables.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/list_path.h"
#include "source/other_files.h"
#include "source/place_index.h"
#include "source/row_labels.h"
#include "source/sample_table.h"
#include "source/source_file.h"
#include "source/table_fields.h"

namespace shardine {
namespace {

constexpr std::uint32_t kAbove = SourceProblem::kNoRoot;

Status BadTable(const std::string& path, std::string message) {
  return Status(Code::kInvalidArgument, std::move(message)).At({.path = path});
}

bool IsNamed(const SourceOptions& options) {
  const std::string& name = options.metadata_file;
  return !name.empty() && name != "auto" && name != "none";
}

// The one folder that all of several splits are in, or empty.
std::string FolderAbove(const SourceOptions& options) {
  std::string above;
  for (const SourceOptions::Folder& folder : options.folders) {
    std::string path = folder.path;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (path.find('/') == path.npos) path.insert(0, "./");
    const std::string own(FolderOfPath(path));
    if (!above.empty() && own != above) return "";
    above = own;
  }
  return options.folders.size() > 1 ? above : "";
}

// With the files of the folder above.
std::vector<TreeTable> AllTables(ReadableStorage& storage,
                                 const SourceOptions& options,
                                 std::vector<TreeTable> tables) {
  const std::string above = FolderAbove(options);
  if (above.empty()) return tables;
  for (const std::string& name : TreeTableNames(options)) {
    const auto info = storage.Stat(JoinPath(above, name));
    if (info.ok() && info->kind == FileKind::kRegular) {
      tables.push_back({kAbove, name});
    }
  }
  return tables;
}

// Reads the metadata files of one tree.
class TreeTableReader {
 public:
  TreeTableReader(ReadableStorage& storage, const SourceOptions& options,
                  const ClassNumbers& numbers, SourceSet& set)
      : storage_(storage),
        options_(options),
        index_(set),
        labels_(options, numbers, set),
        set_(set),
        rows_(set.samples.size()),
        files_(storage) {}

  // The files of all columns of files.
  Status Collect(std::vector<TreeTable> tables,
                 std::vector<PlaceInTree>& files) {
    tables_ = std::move(tables);
    SHARDINE_RETURN_IF_ERROR(FindFolders());
    std::vector<PlaceInTree> images;
    for (table_ = 0; table_ < tables_.size(); ++table_) {
      const auto take = [&](const TableSample& row) -> Status {
        if (row.files.empty()) return Status();
        std::size_t sample = PlaceIndex::kNowhere;
        SHARDINE_RETURN_IF_ERROR(
            FindSample(row, sample, images.emplace_back()));
        for (const TableCell& cell : row.files) {
          SHARDINE_ASSIGN_OR_RETURN(PlaceInTree place, PlaceOfFile(row, cell));
          // The row's error comes before those of the tree without the file.
          std::string unused;
          if (index_.Find(place) == PlaceIndex::kNowhere) {
            SHARDINE_RETURN_IF_ERROR(
                files_.Take(row, cell, 0, "", WholePathOf(place), unused));
          }
          files.push_back(std::move(place));
        }
        return Status();
      };
      SHARDINE_RETURN_IF_ERROR(ReadListTable(storage_, PathOf(tables_[table_]),
                                             take, TableIds::kNone)
                                   .status());
    }
    std::ranges::sort(files);
    for (const PlaceInTree& image : images) {
      if (!std::ranges::binary_search(files, image)) continue;
      return BadTable(PathOf(tables_.front()),
                      EscapeBytes(image.path) +
                          " is the image of a row, and another file of one");
    }
    return Status();
  }

  Status Run(std::vector<TreeTable> tables, const ClassNumbers& asked,
             ClassNumbers& numbers) {
    tables_ = std::move(tables);
    SHARDINE_RETURN_IF_ERROR(FindFolders());
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      table_ = i;
      SHARDINE_RETURN_IF_ERROR(Read());
    }
    SHARDINE_RETURN_IF_ERROR(labels_.Finish(asked, numbers));
    SHARDINE_RETURN_IF_ERROR(types_.Finish(names_, set_.columns));
    SHARDINE_RETURN_IF_ERROR(files_.Finish(names_, set_));
    NoteMissing();
    return Status();
  }

 private:
  std::string PathOf(const TreeTable& table) const {
    return WholePathOf({table.root, table.key});
  }

  std::string WholePathOf(const PlaceInTree& place) const {
    return JoinPath(place.root == kAbove ? above_ : set_.roots[place.root],
                    place.path);
  }

  Status FindFolders() {
    std::ranges::sort(tables_, {}, [](const TreeTable& table) {
      return std::pair(table.root, std::string_view(table.key));
    });
    above_ = FolderAbove(options_);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const TreeTable& table = tables_[i];
      const PlaceInTree folder{table.root,
                               std::string(FolderOfPath(table.key))};
      const auto [other, is_new] = folders_.try_emplace(folder, i);
      if (is_new) continue;
      return BadTable(PathOf(table),
                      "the folder has another metadata file, " +
                          EscapeBytes(FileNameOf(tables_[other->second].key)));
    }
    return Status();
  }

  // The nearest table of a place.
  std::size_t NearestOf(const PlaceInTree& place) const {
    for (std::string folder = place.path; !folder.empty();) {
      folder = FolderOfPath(folder);
      const auto found = folders_.find({place.root, folder});
      if (found != folders_.end()) return found->second;
    }
    const auto above = folders_.find({kAbove, ""});
    return above == folders_.end() ? PlaceIndex::kNowhere : above->second;
  }

  Status Read() {
    const TreeTable& table = tables_[table_];
    const std::string path = PathOf(table);
    columns_.clear();
    matched_ = 0;
    unmatched_ = 0;
    SHARDINE_ASSIGN_OR_RETURN(
        const ListTable read,
        ReadListTable(
            storage_, path, [&](const TableSample& row) { return Take(row); },
            TableIds::kNone));
    if (unmatched_ > 0 && matched_ == 0) {
      return BadTable(
          path, "no row is of an image, the first of " + EscapeBytes(first_));
    }
    if (unmatched_ > 0) {
      set_.notes.push_back(
          EscapeBytes(path) + ": " + std::to_string(unmatched_) + " of " +
          std::to_string(matched_ + unmatched_) +
          " rows are of no image, such as " + EscapeBytes(first_));
    }
    if (table_ == 0) {
      set_.remarks.push_back(EscapeBytes(path) + ": " + read.Columns() +
                             (tables_.size() == 1
                                  ? ""
                                  : "; " + std::to_string(tables_.size() - 1) +
                                        " more metadata files"));
    }
    return Status();
  }

  // The place below a root that a row names.
  Result<PlaceInTree> PlaceOf(const TableSample& row,
                              const std::string& path) const {
    const TreeTable& table = tables_[table_];
    if (path.starts_with('/') || path.find("://") != path.npos) {
      return row.error("the path does not start from the table's folder");
    }
    if (HasDotDot(path)) return row.error("the path has a part \"..\"");
    if (table.root != kAbove) {
      return PlaceInTree{table.root,
                         JoinPath(std::string(FolderOfPath(table.key)), path)};
    }
    const std::string whole(WithoutDots(JoinPath(above_, path)));
    for (std::uint32_t root = 0; root < set_.roots.size(); ++root) {
      std::string folder(WithoutDots(set_.roots[root]));
      if (!folder.ends_with('/')) folder += '/';
      if (whole.starts_with(folder)) {
        return PlaceInTree{root, whole.substr(folder.size())};
      }
    }
    return PlaceInTree{kAbove, path};
  }

  Status FindSample(const TableSample& row, std::size_t& sample,
                    PlaceInTree& place) const {
    std::string path(WithoutDots(row.path));
    SHARDINE_ASSIGN_OR_RETURN(place, PlaceOf(row, path));
    sample = index_.Find(place);
    if (sample == PlaceIndex::kNowhere && path.find('\\') != path.npos) {
      std::ranges::replace(path, '\\', '/');
      SHARDINE_ASSIGN_OR_RETURN(place, PlaceOf(row, path));
      sample = index_.Find(place);
    }
    if (sample != PlaceIndex::kNowhere || HasImageSuffix(path) ||
        index_.FindStem(place, sample)) {
      return Status();
    }
    return row.error("several images have this name without their suffixes");
  }

  Status Take(const TableSample& row) {
    std::size_t sample = PlaceIndex::kNowhere;
    PlaceInTree place;
    SHARDINE_RETURN_IF_ERROR(FindSample(row, sample, place));
    if (sample == PlaceIndex::kNowhere) return Ignore(row, "row-without-image");
    // An image that cannot be read has no sample.
    if (sample == set_.samples.size()) {
      ++matched_;
      return Status();
    }
    place.path = set_.samples.path(sample);
    if (NearestOf(place) != table_) return Ignore(row, "metadata-nearer");
    ++matched_;
    const std::uint64_t number = row.line > 0 ? row.line : row.number + 1;
    if (rows_[sample] > 0) {
      return row.error((row.line > 0 ? "line " : "entry ") +
                       std::to_string(rows_[sample]) + " is a row of " +
                       EscapeBytes(set_.samples.key(sample)) + ", too");
    }
    rows_[sample] = number;
    const std::string& split = set_.splits[set_.samples.split(sample)];
    if (!row.split.empty() && row.split != split) {
      return row.error("split " + EscapeBytes(row.split) +
                       ", and the image is in the folder of split " +
                       EscapeBytes(split) +
                       "; a list takes splits from a column");
    }
    SHARDINE_RETURN_IF_ERROR(labels_.Take(row, sample));
    return TakeFields(row, sample);
  }

  Status Ignore(const TableSample& row, const char* reason) {
    if (unmatched_++ == 0) first_ = row.path;
    const TreeTable& table = tables_[table_];
    set_.ignored.push_back({.key = std::string(row.path),
                            .reason = reason,
                            .root = table.root,
                            .list = table.key,
                            .line = row.line});
    return Status();
  }

  // Columns of one name are one, in whatever file.
  Status TakeFields(const TableSample& row, std::size_t sample) {
    while (columns_.size() < row.columns->size()) {
      const std::string& name = (*row.columns)[columns_.size()];
      const auto known = std::ranges::find(names_, name);
      columns_.push_back(static_cast<std::size_t>(known - names_.begin()));
      if (known == names_.end()) names_.push_back(name);
    }
    cells_ = row.fields;
    for (TableCell& cell : cells_) cell.column = columns_[cell.column];
    types_.Add(cells_);
    std::string bytes;
    AppendCells(cells_, bytes);
    const std::uint32_t root = set_.samples.root(sample);
    for (const TableCell& cell : row.files) {
      SHARDINE_ASSIGN_OR_RETURN(PlaceInTree place, PlaceOfFile(row, cell));
      if (place.root != root) {
        const std::string whole = WholePathOf(place);
        place.path = SchemeOf(whole).empty()
                         ? std::filesystem::absolute(whole).string()
                         : whole;
      }
      SHARDINE_RETURN_IF_ERROR(files_.Take(row, cell, columns_[cell.column],
                                           set_.roots[root], place.path,
                                           bytes));
    }
    if (!bytes.empty()) set_.samples.SetFields(sample, bytes);
    return Status();
  }

  Result<PlaceInTree> PlaceOfFile(const TableSample& row,
                                  const TableCell& cell) const {
    const TreeTable& table = tables_[table_];
    std::string path(WithoutDots(cell.text));
    UseSlashes(storage_, std::string(FolderOfPath(PathOf(table))), path);
    return PlaceOf(row, path);
  }

  void NoteMissing() {
    std::uint64_t missing = 0;
    std::string first;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i] > 0) continue;
      std::string key(set_.samples.key(i));
      if (missing++ == 0) first = key;
      set_.ignored.push_back(
          {std::move(key), "metadata-missing", set_.samples.root(i)});
    }
    if (missing == 0) return;
    set_.notes.push_back(std::to_string(missing) + " of " +
                         std::to_string(rows_.size()) +
                         " images have no row in a metadata file, such as " +
                         EscapeBytes(first));
  }

  ReadableStorage& storage_;
  const SourceOptions& options_;
  const PlaceIndex index_;
  RowLabels labels_;
  SourceSet& set_;
  std::vector<TreeTable> tables_;
  std::map<PlaceInTree, std::size_t> folders_;  // tables by their folders
  std::string above_;                // the folder that all splits are in
  std::vector<std::uint64_t> rows_;  // by sample: the line of its row
  ColumnTypes types_;
  OtherFiles files_;
  std::vector<std::string> names_;  // of all columns
  // The table that is being read, its columns among all, and its rows.
  std::size_t table_ = 0;
  std::vector<std::size_t> columns_;
  std::vector<TableCell> cells_;
  std::uint64_t matched_ = 0;
  std::uint64_t unmatched_ = 0;
  std::string first_;  // that is unmatched
};

}  // namespace

std::vector<std::string> TreeTableNames(const SourceOptions& options) {
  if (!options.list.empty() || options.metadata_file == "none") return {};
  if (IsNamed(options)) return {options.metadata_file};
  return {"metadata.csv", "metadata.jsonl", "metadata.parquet"};
}

Result<std::vector<PlaceInTree>> FilesOfTables(
    ReadableStorage& storage, const SourceOptions& options,
    const std::vector<TreeTable>& tables, SourceSet& set) {
  std::vector<PlaceInTree> files;
  const std::vector<TreeTable> all = AllTables(storage, options, tables);
  if (all.empty()) return files;
  TreeTableReader reader(storage, options, ClassNumbers(), set);
  SHARDINE_RETURN_IF_ERROR(AddTableNote(reader.Collect(all, files)));
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

Status AddTreeTables(ReadableStorage& storage, const SourceOptions& options,
                     std::vector<TreeTable> tables, const ClassNumbers& asked,
                     ClassNumbers& numbers, SourceSet& set) {
  tables = AllTables(storage, options, std::move(tables));
  if (tables.empty()) {
    if (!IsNamed(options)) return Status();
    return BadTable(set.roots.front(), "no folder has a file " +
                                           EscapeBytes(options.metadata_file));
  }
  set.has_metadata = true;
  return AddTableNote(TreeTableReader(storage, options, numbers, set)
                          .Run(std::move(tables), asked, numbers));
}

Status AddTableNote(Status status) {
  status.AddToMessage("; metadata files of the source are read");
  return status;
}

}  // namespace shardine
