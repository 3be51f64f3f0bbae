#include "source/listed_source.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/json_list.h"
#include "source/list_file.h"
#include "source/name_order.h"
#include "source/source_file.h"

namespace shardine {
namespace {

std::string_view WithoutDots(std::string_view path) {
  while (path.starts_with("./")) {
    path.remove_prefix(2);
    // What begins with "./" is relative, however many slashes it has there.
    while (path.starts_with('/')) path.remove_prefix(1);
  }
  return path;
}

bool HasDotDot(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

// Absolute, without dots, with a slash at its end.
std::string NormalFolder(const std::string& folder) {
  std::string normal =
      std::filesystem::absolute(folder).lexically_normal().string();
  if (!normal.ends_with('/')) normal += '/';
  return normal;
}

// What paths of a list become: keys, which are paths below its source.
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

  // nullptr if `path` lies below the source, with its key. A list that somebody
  // else wrote must not reach what lies outside.
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

Status CheckEntries(const KeyMaker& keys, std::vector<JsonEntry>& entries) {
  std::string key;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    JsonEntry& entry = entries[i];
    const char* fault = keys.Make(entry.path, key);
    if (!fault) entry.path = key;
    if (entry.id.has_value() != entries.front().id.has_value()) {
      fault = "some entries have ids, others do not";
    }
    if (fault) {
      return Status(Code::kInvalidArgument, fault)
          .At({.record = i, .key = entry.path});
    }
  }
  return Status();
}

// The classes that entries without labels lie in.
std::vector<std::string> ClassNames(const std::vector<JsonEntry>& entries) {
  std::vector<std::string> names;
  for (const JsonEntry& entry : entries) {
    const std::string_view name = ClassOf(entry.path);
    if (entry.labels || name.empty()) continue;
    // Entries in order of a tree have the files of a class together. The names
    // that still come twice are left to ClassNumbers::Dense.
    if (names.empty() || names.back() != name) names.emplace_back(name);
  }
  return names;
}

Status AddEntry(ReadableStorage& storage, const JsonEntry& entry,
                std::uint64_t id, bool has_classes, const ClassNumbers& numbers,
                SourceSet& set) {
  SourceFile file{entry.path, id, {}};
  Label label;
  if (entry.labels) {
    file.labels = *entry.labels;
  } else if (const auto name = ClassOf(entry.path); !name.empty()) {
    const std::optional<std::int64_t> number = numbers.Find(name);
    if (!number) {
      return Status(Code::kInvalidArgument,
                    "class " + EscapeBytes(name) + " is not in the label map");
    }
    label = Label(*number);
    file.labels = std::span(&label, 1);
  } else if (has_classes) {
    set.ignored.push_back({entry.path, "not-in-a-class"});
    return Status();
  }
  AddSourceFile(storage, file, set);
  return Status();
}

}  // namespace

Status LoadLstFile(ReadableStorage& storage, const ListPlace& list,
                   SourceSet& set) {
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                            storage.Open(list.path));
  const KeyMaker keys(set.roots.front(), list.root);
  ListReader reader = ListReader::OfAnyForm(*file);
  ListEntry entry;
  std::string key;
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    if (!more) break;
    if (const char* fault = keys.Make(entry.path, key)) {
      return reader.Error(entry, fault);
    }
    AddSourceFile(storage, {key, entry.id, entry.labels}, set);
  }
  if (reader.form() == ListForm::kPathLabel) {
    set.notes.push_back(EscapeBytes(list.path) +
                        " has lines of a path and a label: ids are the order "
                        "of its lines");
  }
  return Status();
}

Status LoadJsonFile(ReadableStorage& storage, const ListPlace& list,
                    ClassNumbers& numbers, SourceSet& set) {
  SHARDINE_ASSIGN_OR_RETURN(std::vector<JsonEntry> entries,
                            ReadJsonList(storage, list.path));
  const KeyMaker keys(set.roots.front(), list.root);
  if (Status status = CheckEntries(keys, entries); !status.ok()) {
    return std::move(status).At({.path = list.path});
  }
  if (!entries.empty() && !entries.front().id) {
    // Stable, since a path may come several times with other labels.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const JsonEntry& a, const JsonEntry& b) {
                       return WalkLess(a.path, b.path);
                     });
  }
  std::vector<std::string> names = ClassNames(entries);
  const bool has_classes = !names.empty();
  if (numbers.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(numbers, numbers.WithNames(std::move(names)));
  }
  std::uint64_t next_id = 0;
  for (const JsonEntry& entry : entries) {
    // As in a tree, what is in no class takes no number.
    const bool skipped =
        has_classes && !entry.labels && ClassOf(entry.path).empty();
    const std::uint64_t id = entry.id ? *entry.id : next_id;
    next_id += skipped ? 0 : 1;
    SHARDINE_RETURN_IF_ERROR(
        AddEntry(storage, entry, id, has_classes, numbers, set));
  }
  return Status();
}

}  // namespace shardine
