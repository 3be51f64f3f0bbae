#include "source/listed_source.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/list_path.h"
#include "source/name_order.h"
#include "source/other_files.h"
#include "source/sample_table.h"
#include "source/source_file.h"
#include "source/split_name.h"
#include "source/table_fields.h"

namespace shardine {
namespace {

// Absolute, without dots, with a slash at its end.
std::string NormalFolder(const std::string& folder) {
  std::string normal =
      std::filesystem::absolute(folder).lexically_normal().string();
  if (!normal.ends_with('/')) normal += '/';
  return normal;
}

// The paths of a list become keys, which are paths below its source.
class KeyMaker {
 public:
  // Relative paths start from `start`, or from the source if it is empty.
  KeyMaker(const std::string& source, const std::string& start)
      : address_(SchemeOf(source).empty() || source.ends_with('/')
                     ? source
                     : source + "/"),
        source_(NormalFolder(source)),
        start_(start.empty() ? source_ : NormalFolder(start)),
        elsewhere_(start_ != source_) {}

  // nullptr if `path` lies below the source, with its key. A list by another
  // author must not reach files outside.
  const char* Make(std::string_view path, std::string& key) const {
    key = WithoutDots(path);
    if (!SchemeOf(path).empty()) {
      if (SchemeOf(address_).empty() || !path.starts_with(address_) ||
          HasDotDot(path)) {
        return "the path is an address, and not one that begins with SOURCE's";
      }
      key = path.substr(address_.size());
      return key.empty() ? "no path" : nullptr;
    }
    const bool absolute = key.starts_with('/');
    if (absolute || elsewhere_ || HasDotDot(key)) {
      const std::filesystem::path whole =
          absolute ? std::filesystem::path(key)
                   : std::filesystem::path(start_) / key;
      key = whole.lexically_normal().string();
      if (!key.starts_with(source_)) {
        return absolute ? "the path is absolute, and not below the source"
                        : "the path is not below the source";
      }
      key.erase(0, source_.size());
    }
    return key.empty() ? "no path" : nullptr;
  }

 private:
  std::string address_;  // of the source, if it has one
  std::string source_;
  std::string start_;
  bool elsewhere_;
};

// The first part of a path of several, or empty.
std::string_view ClassOf(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : key.substr(0, slash);
}

// A row that is kept until all are read, for their order.
struct KeptRow {
  std::string key;
  std::optional<std::uint64_t> id;
  std::uint64_t line = 0;  // 0: an entry of a JSON array
  bool has_labels = false;
  std::vector<Label> labels;
  std::string fields;  // AppendCells()
};

// Puts rows into a set. Labels that are names are numbers in the order in which
// they are found, until all are known.
class RowLoader {
 public:
  RowLoader(ReadableStorage& storage, const ListPlace& list,
            ClassNumbers& numbers, SourceSet& set)
      : storage_(storage),
        list_(list),
        keys_(set.roots.front(), list.root),
        numbers_(numbers),
        mapped_(!numbers.empty()),
        set_(set),
        files_(storage) {}

  Status Take(const TableSample& sample) {
    KeptRow row;
    if (const char* fault = keys_.Make(sample.path, row.key)) {
      return sample.error(fault);
    }
    row.id = sample.id;
    row.line = sample.line;
    row.has_labels = sample.has_labels;
    row.labels = sample.labels;
    if (!sample.labels.empty() && !mapped_) {
      if (has_folder_classes_) {
        return sample.error(
            "a number as its label, and rows before have the "
            "classes of their folders");
      }
      has_numbers_ = true;
    }
    for (const std::string_view name : sample.names) {
      SHARDINE_RETURN_IF_ERROR(AddName(name, row.labels, sample.error));
    }
    std::uint32_t split = 0;
    if (!sample.split.empty()) {
      SHARDINE_ASSIGN_OR_RETURN(split, SplitOf(sample));
    } else if (!split_names_.empty()) {
      return sample.error("no split, which rows before have");
    }
    types_.Add(sample.fields);
    AppendCells(sample.fields, row.fields);
    SHARDINE_RETURN_IF_ERROR(TakeFiles(sample, row.fields));
    if (sample.line > 0) return Add(row, sample.number, split);
    rows_.push_back(std::move(row));
    row_splits_.push_back(split);
    return CheckIds(sample);
  }

  Status Finish(const ListTable& table) {
    SHARDINE_RETURN_IF_ERROR(AddKept());
    SHARDINE_RETURN_IF_ERROR(types_.Finish(table.shape.columns, set_.columns));
    SHARDINE_RETURN_IF_ERROR(files_.Finish(table.shape.columns, set_));
    if (!split_names_.empty()) {
      set_.splits = split_names_;
      set_.has_list_splits = true;
    }
    IgnoreLoose();
    return NumberNames();
  }

 private:
  Status TakeFiles(const TableSample& sample, std::string& cells) {
    for (const TableCell& cell : sample.files) {
      std::string path;
      if (const char* fault = keys_.Make(cell.text, path)) {
        return sample.error(fault);
      }
      const std::string& root = set_.roots.front();
      UseSlashes(storage_, root, path);
      SHARDINE_RETURN_IF_ERROR(
          files_.Take(sample, cell, cell.column, root, path, cells));
    }
    return Status();
  }

  // The class of a name, or its place among names.
  Status AddName(std::string_view name, std::vector<Label>& labels,
                 const std::function<Status(std::string_view)>& error) {
    if (mapped_) {
      const auto number = numbers_.Find(name);
      if (!number) {
        return error("class " + EscapeBytes(name) + " is not in the label map");
      }
      labels.emplace_back(*number);
      return Status();
    }
    const auto [known, is_new] =
        names_.try_emplace(std::string(name), names_.size());
    has_names_ = true;
    labels.emplace_back(static_cast<std::int64_t>(known->second));
    return Status();
  }

  Result<std::uint32_t> SplitOf(const TableSample& sample) {
    const auto known = std::ranges::find(split_names_, sample.split);
    const auto at = static_cast<std::size_t>(known - split_names_.begin());
    if (known != split_names_.end()) return static_cast<std::uint32_t>(at);
    if (split_names_.empty() && sample.number > 0) {
      return sample.error("a split, which rows before have not");
    }
    if (!IsSplitName(sample.split) || at == kMaxTableSplits) {
      return sample.error("\"" + EscapeBytes(sample.split) +
                          "\" is no name of a split");
    }
    split_names_.emplace_back(sample.split);
    return static_cast<std::uint32_t>(at);
  }

  Status CheckIds(const TableSample& sample) const {
    if (rows_.back().id.has_value() == rows_.front().id.has_value()) {
      return Status();
    }
    return sample.error("some entries have ids, others do not");
  }

  Status AddKept() {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!rows_.empty() && !rows_.front().id) {
      // Stable, since a path may come several times with other labels.
      std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return WalkLess(rows_[a].key, rows_[b].key);
      });
    }
    const bool has_classes = std::ranges::any_of(rows_, [](const KeptRow& row) {
      return !row.has_labels && !ClassOf(row.key).empty();
    });
    std::uint64_t next_id = 0;
    for (const std::size_t i : order) {
      KeptRow& row = rows_[i];
      // As in a tree, a row without a class takes no number.
      if (has_classes && !row.has_labels && ClassOf(row.key).empty()) {
        set_.ignored.push_back({row.key, "not-in-a-class"});
        continue;
      }
      SHARDINE_RETURN_IF_ERROR(Add(row, next_id++, row_splits_[i]));
    }
    return Status();
  }

  Status Add(KeptRow& row, std::uint64_t number, std::uint32_t split) {
    bool is_loose = false;
    if (!row.has_labels) {
      const std::string_view name = ClassOf(row.key);
      is_loose = name.empty();
      if (!is_loose) {
        SHARDINE_RETURN_IF_ERROR(AddFolderClass(name, row));
      }
    }
    const std::string list(FileNameOf(list_.path));
    if (!FindFile(row.key)) {
      set_.bad.push_back({row.key, "several-images", 0, list, row.line});
      return Status();
    }
    const std::size_t index = set_.samples.size();
    AddSourceFile(
        storage_,
        {.key = row.key, .id = row.id.value_or(number), .labels = row.labels},
        set_);
    if (set_.samples.size() == index) {
      set_.bad.back().list = list;
      set_.bad.back().line = row.line;
      return Status();
    }
    // The splits of the rows are made once all are known.
    set_.samples.SetSplit(index, split);
    if (!row.fields.empty()) set_.samples.SetFields(index, row.fields);
    if (is_loose) loose_.push_back(index);
    return Status();
  }

  // A class that is a folder has no number that rows with numbers could share.
  Status AddFolderClass(std::string_view name, KeptRow& row) {
    const auto error = [&](std::string_view message) {
      const std::string place =
          row.line > 0 ? "line " + std::to_string(row.line) + ": " : "";
      return Status(Code::kInvalidArgument, place + std::string(message))
          .At({.path = list_.path, .key = row.key});
    };
    if (has_numbers_) {
      return error("no label, and other rows have numbers: it could be class " +
                   EscapeBytes(name) + " of its folder, or have none");
    }
    has_folder_classes_ = true;
    return AddName(name, row.labels, error);
  }

  // Tables such as Kaggle's have names without suffixes, tables from Windows
  // have backslashes. False: several images have the name.
  bool FindFile(std::string& key) const {
    const auto is_there = [&](const std::string& name) {
      return storage_.Stat(JoinPath(set_.roots.front(), name)).ok();
    };
    UseSlashes(storage_, set_.roots.front(), key);
    if (HasImageSuffix(key) || is_there(key)) return true;
    std::string found;
    for (const char* suffix :
         {".jpg", ".jpeg", ".png", ".JPEG", ".JPG", ".PNG"}) {
      if (!is_there(key + suffix)) continue;
      if (!found.empty()) return false;
      found = key + suffix;
    }
    if (!found.empty()) key = found;
    return true;
  }

  // Paths without a folder, where the others have the class of theirs.
  void IgnoreLoose() {
    if (names_.empty() || loose_.empty()) return;
    std::vector<bool> keep(set_.samples.size(), true);
    for (const std::size_t index : loose_) {
      keep[index] = false;
      set_.ignored.push_back(
          {std::string(set_.samples.key(index)), "not-in-a-class"});
    }
    set_.samples.Keep(keep);
  }

  Status NumberNames() {
    if (!has_names_) return Status();
    std::vector<std::string> names(names_.size());
    for (const auto& [name, place] : names_) names[place] = name;
    SHARDINE_ASSIGN_OR_RETURN(numbers_, numbers_.WithNames(names));
    std::vector<std::int64_t> label_of;
    for (const std::string& name : names) {
      label_of.push_back(*numbers_.Find(name));
    }
    std::vector<Label> labels;
    for (std::size_t i = 0; i < set_.samples.size(); ++i) {
      set_.samples.GetLabels(i, labels);
      for (Label& label : labels) {
        label = Label(label_of[static_cast<std::size_t>(label.integer())]);
      }
      set_.samples.SetLabels(i, labels);
    }
    return Status();
  }

  static constexpr std::size_t kMaxTableSplits = 1024;

  ReadableStorage& storage_;
  const ListPlace& list_;
  const KeyMaker keys_;
  ClassNumbers& numbers_;
  const bool mapped_;  // names have numbers already
  SourceSet& set_;
  std::unordered_map<std::string, std::size_t> names_;
  bool has_names_ = false;
  bool has_numbers_ = false;         // as labels, without a label map
  bool has_folder_classes_ = false;  // of rows without labels
  std::vector<std::string> split_names_;
  std::vector<KeptRow> rows_;  // of a JSON array
  std::vector<std::uint32_t> row_splits_;
  std::vector<std::size_t> loose_;
  ColumnTypes types_;
  OtherFiles files_;
};

}  // namespace

Status LoadListedFiles(ReadableStorage& storage, const ListPlace& list,
                       ClassNumbers& numbers, SourceSet& set) {
  RowLoader loader(storage, list, numbers, set);
  SHARDINE_ASSIGN_OR_RETURN(
      const ListTable table,
      ReadListTable(storage, list.path, [&](const TableSample& sample) {
        return loader.Take(sample);
      }));
  SHARDINE_RETURN_IF_ERROR(loader.Finish(table).At({.path = list.path}));
  if (table.list_form == ListForm::kPathLabel) {
    set.notes.push_back(EscapeBytes(list.path) +
                        " has lines of a path and a label: ids are the order "
                        "of its lines");
  }
  // A JSON array of paths, labels and ids names its own columns.
  if (table.shape.form != TableForm::kList &&
      (table.shape.form != TableForm::kJsonArray || !set.columns.empty())) {
    set.remarks.push_back(EscapeBytes(list.path) + ": " + table.Columns());
  }
  return Status();
}

}  // namespace shardine
