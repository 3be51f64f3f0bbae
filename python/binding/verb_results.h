// The results of verbs, as the dataclasses that are Outcomes in Python.
#ifndef SHARDINE_BINDING_VERB_RESULTS_H_
#define SHARDINE_BINDING_VERB_RESULTS_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/name_text.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/label.h"
#include "shardine/pack_result.h"

namespace shardine::binding {

// An object of the class `name` of shardine/outcome.py's KINDS; `members` are
// named: "samples"_a = 24. A member that the class lacks, or that is left out,
// is a TypeError.
template <typename... Members>
nb::object MakeResult(const char* name, Members&&... members) {
  return nb::module_::import_("shardine.outcome")
      .attr("KINDS")[name](std::forward<Members>(members)...);
}

// A message, in one line that can be printed.
nb::str MessageText(std::string_view message);
nb::str DigestText(const Digest128& digest);
nb::object LabelObject(const Label& label);
nb::tuple LabelTuple(std::span<const Label> labels);
nb::object ContentsResult(const DatasetContents& contents);
nb::object EntryPointResult(const EntryPointCounts& counts);
nb::tuple MessageTuple(const std::vector<std::string>& messages);
nb::tuple RejectedTuple(const std::vector<RejectedCount>& counts);

// A tuple of the results of `make` for each.
template <typename Values, typename Make>
nb::tuple TupleOf(const Values& values, const Make& make) {
  nb::list list;
  for (const auto& value : values) list.append(make(value));
  return nb::tuple(list);
}

nb::object SplitCopiesObject(const SplitCopies& copies);
nb::object PackResultObject(const PackResult& result);

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_VERB_RESULTS_H_
