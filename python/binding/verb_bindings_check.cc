#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/status_words.h"
#include "shardine/verify.h"
#include "shardine/verify_words.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

nb::object NumberOrNone(const std::optional<std::uint64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::object(nb::none());
}

nb::object FindingObject(const Status& finding) {
  const Where& where = finding.where();
  std::string code = WordOf(finding.code());
  std::ranges::replace(code, '-', '_');  // as shardine.errors has it
  return MakeResult(
      "Finding", "code"_a = code, "path"_a = NameText(where.path),
      "record"_a = NumberOrNone(where.record),
      "key"_a = where.key ? NameText(*where.key) : nb::object(nb::none()),
      "byte"_a = NumberOrNone(where.offset),
      "message"_a = MessageText(finding.message()));
}

nb::object RunVerify(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  VerifyOptions verify;
  given.Path("target", verify.target);
  given.Word("level", verify.level);
  std::vector<NamedPath> against;
  given.NamedPaths("against", against);
  for (const NamedPath& each : against) {
    verify.against += verify.against.empty() ? "" : ",";
    if (!each.name.empty()) verify.against += each.name + "=";
    verify.against += each.path;
  }
  ReadRun(given, verify.threads);
  given.Finish();
  const VerifyResult result =
      RunVerb(tell, [&](const Job& job) { return Verify(verify, job); });
  return MakeResult("VerifyResult", "target"_a = NameText(verify.target),
                    "shards"_a = result.shards, "samples"_a = result.samples,
                    "bytes"_a = result.bytes,
                    "findings"_a = TupleOf(result.findings, &FindingObject),
                    "notes"_a = MessageTuple(result.notes));
}

}  // namespace

void RegisterCheckVerbs(nb::module_& module) {
  module.def("verify", &RunVerify, "options"_a, "tell"_a.none());
}

}  // namespace shardine::binding
