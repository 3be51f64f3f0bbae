// Which samples the names of annotated images mean.
#ifndef SHARDINE_SOURCE_ANNOTATION_NAMES_H_
#define SHARDINE_SOURCE_ANNOTATION_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardine/status.h"
#include "source/annotation_reader.h"
#include "source/source_set.h"

namespace shardine {

// The samples of one split, or of all, by path. A name is the path of its
// image, or the end of the path after a folder, or the path is such an end of
// the name; where a path is the whole name, no other counts. The set must
// outlive it.
class AnnotationNames {
 public:
  AnnotationNames(const SourceSet& set, const std::string& split);

  struct Found {
    std::vector<std::size_t> samples;  // of one path, which a list may repeat
    bool is_known = false;  // a file that could not be read has the name
  };
  // kInvalidArgument, with both paths: two images could be meant.
  Result<Found> Find(const AnnotatedImage& image) const;

 private:
  struct Candidate {
    std::string_view path;
    std::size_t sample = 0;  // SourceList::size(): it is none
  };
  Result<Found> FindName(std::string_view name, bool is_stem) const;

  const SourceSet& set_;
  // By file name, and by file name without its suffix.
  std::unordered_map<std::string_view, std::vector<Candidate>> by_name_;
  std::unordered_map<std::string_view, std::vector<Candidate>> by_stem_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ANNOTATION_NAMES_H_
