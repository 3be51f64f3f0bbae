// LabelChange: other class numbers for the samples of a dataset, as a text file
// says them.
#ifndef SHARDINE_PACK_LABEL_CHANGE_H_
#define SHARDINE_PACK_LABEL_CHANGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/label.h"
#include "shardine/status.h"
#include "source/class_map.h"
#include "source/name_file.h"

namespace shardine {

// Lines of "OLD NEW" or "OLD NEW NAME", with tabs between, or else blanks. OLD:
// a label, or the name of a class, or `*` for all that no line names. NEW: the
// label that its samples get, or `-`: those of no other label are left out.
// NAME: the name of the new class; else it keeps the name of its old class, and
// a class that several became has to be named. Where the dataset has no classes
// there are some afterwards if all lines name theirs.
//
// Thread-compatible.
class LabelChange {
 public:
  // `classes` are those of the dataset. kCorrupt, with the line: it is not like
  // that, an OLD comes twice, or a NAME for two labels or the other way round.
  // kInvalidArgument: an OLD is no class, or the name of one class and the
  // label of another; a new class has no name.
  static Result<LabelChange> Read(ReadableStorage& storage,
                                  const std::string& path,
                                  const ClassMap& classes);

  // Each of several labels by itself: one that becomes `-` goes, two that
  // become one are one. False: no label is left, and the sample is left out.
  // Samples without labels stay without. kInvalidArgument: a label that is no
  // whole number, or that no line is about.
  Result<bool> Change(std::vector<Label>& labels) const;

  // By ascending label, counts zero: of all NEW.
  const ClassMap& classes() const { return classes_; }

 private:
  using Target = std::optional<std::int64_t>;  // nullopt: left out

  Status Take(const std::string& line, const ClassMap& before,
              const LineError& error);
  Status TakeName(std::int64_t label, const std::string& name,
                  const LineError& error);
  Result<std::int64_t> OldLabel(const std::string& text,
                                const ClassMap& before) const;
  Status NameClasses(const ClassMap& before);
  // nullptr: no line is about it.
  const Target* Find(std::int64_t label) const;

  std::map<std::int64_t, Target> targets_;
  std::optional<Target> others_;               // `*`
  std::map<std::int64_t, std::string> names_;  // that lines give, by new label
  ClassMap classes_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_LABEL_CHANGE_H_
