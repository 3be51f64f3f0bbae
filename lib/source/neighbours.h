// Neighbours: files that belong to images by their names, and are fields of
// their samples.
#ifndef SHARDINE_SOURCE_NEIGHBOURS_H_
#define SHARDINE_SOURCE_NEIGHBOURS_H_

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/pair_pattern.h"
#include "source/place_index.h"
#include "source/source_set.h"

namespace shardine {

// Which files of a tree are no images, since they are fields or have fields.
// Immutable once made, so thread-safe.
class NeighbourNames {
 public:
  // kInvalidArgument: PairPattern::Parse(), or a suffix that is none.
  static Result<NeighbourNames> Of(const SourceOptions& options);

  // Whether any file is a field.
  bool has_fields() const {
    return is_auto_ || !suffixes_.empty() || !pairs_.empty();
  }
  // A metadata file (source/tree_tables.h), by its name.
  bool IsTable(std::string_view name) const;

  // Makes files fields that metadata files name. Folders at the top of their
  // root which hold no other file of `set` are no classes.
  void AddFiles(const std::vector<PlaceInTree>& files, const SourceSet& set);
  bool IsFile(const std::string& root, const std::string& path) const {
    return files_.contains({root, path});
  }
  bool IsFileFolder(const std::string& root, const std::string& name) const {
    return file_folders_.contains({root, name});
  }
  // By its name, whether or not there is an image that it belongs to.
  bool IsByStem(std::string_view name) const;
  // By its path below the source.
  bool IsOfPair(std::string_view path) const;
  // A folder at the top of the source that has files of pairs alone.
  bool IsPairFolder(std::string_view name) const;
  // The reason of SourceSet::ignored for a file that is by its stem, and has no
  // image.
  const char* ReasonAlone(std::string_view name) const;

  bool is_auto() const { return is_auto_; }
  // In lower case, as SourceOptions::stem_fields has them.
  const std::vector<std::string>& suffixes() const { return suffixes_; }
  const std::vector<PairPattern>& pairs() const { return pairs_; }

 private:
  bool is_auto_ = false;
  std::vector<std::string> suffixes_;
  std::vector<PairPattern> pairs_;
  std::vector<std::string> tables_;
  // By the folder that is the root, and the path below it.
  std::set<std::pair<std::string, std::string>> files_;
  std::set<std::pair<std::string, std::string>> file_folders_;
};

// Finds the files of all samples of `set`, and adds the fields that they are.
// A sample without one of those asked for is listed in set.ignored
// ("field-missing", by the path of the file that is not there), and counted in
// set.notes. In trees a neighbour in the folder of samples that has none is
// listed, too ("neighbour-without-image").
//
// kInvalidArgument: a field without any file; a file that could be of two
// images, or two files that could be one field of an image; two fields of one
// name.
Status AddNeighbours(ReadableStorage& storage, const SourceOptions& options,
                     const NeighbourNames& names, SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_NEIGHBOURS_H_
