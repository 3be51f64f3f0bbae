#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/describe.h"
#include "shardine/pack.h"
#include "shardine/resize.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

// Also says whether they were given with the names of splits.
bool ReadFolders(OptionReader& given, SourceOptions& source) {
  std::vector<NamedPath> paths;
  given.NamedPaths("source", paths);
  if (paths.size() == 1 && paths[0].name.empty()) {
    source.folders = {{"train", paths[0].path}};
    return false;
  }
  std::vector<std::string> arguments;
  for (const NamedPath& each : paths) {
    if (each.name.empty()) {
      throw nb::value_error(
          "source: several folders are given as {\"train\": DIR, \"val\": "
          "DIR}");
    }
    arguments.push_back(each.name + "=" + each.path);
  }
  auto folders = ParseSourceArguments(arguments);
  if (!folders.ok()) RefuseOption("source", folders.status());
  source.folders = *std::move(folders);
  return true;
}

}  // namespace

PackOptions ReadPack(const nb::dict& options) {
  OptionReader given(options);
  PackOptions pack;
  ReadFolders(given, pack.source);
  given.Path("out", pack.output);
  given.Read(DescribeOptions(pack));
  given.Check(DescribeOptions(pack));
  given.Finish();
  return pack;
}

namespace {

nb::object PlanObject(const PackPlan& plan) {
  const auto split = [](const PackPlanSplit& each) {
    return MakeResult("PlannedSplit", "name"_a = NameText(each.name),
                      "samples"_a = each.samples, "bytes"_a = each.bytes,
                      "shards"_a = each.shards);
  };
  return MakeResult(
      "PackPlan", "format"_a = MessageText(plan.format),
      "samples"_a = plan.samples, "variants"_a = MessageTuple(plan.variants),
      "image_options"_a = MessageText(plan.image_options),
      "classes"_a = plan.classes, "bytes"_a = plan.bytes,
      "disk_needed"_a = plan.disk_needed, "disk_known"_a = plan.disk_known,
      "disk_free"_a = plan.disk_free,
      "estimated_seconds"_a = plan.estimated_seconds,
      "estimate_images"_a = plan.estimate_images,
      "plan_digest"_a = DigestText(plan.plan_digest),
      "splits"_a = TupleOf(plan.splits, split),
      "ignored"_a = RejectedTuple(plan.ignored),
      "replaced"_a = TupleOf(plan.replaced, &NameText),
      "warnings"_a = MessageTuple(plan.warnings));
}

nb::object RunPack(const nb::dict& options, const nb::object& tell) {
  const PackOptions pack = ReadPack(options);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return Pack(pack, job); }));
}

nb::object RunPlanPack(const nb::dict& options, const nb::object& tell) {
  const PackOptions pack = ReadPack(options);
  return PlanObject(
      RunVerb(tell, [&](const Job& job) { return PlanPack(pack, job); }));
}

ResizeRequest ReadResize(const nb::dict& options, ResizeTarget target) {
  OptionReader given(options);
  ResizeRequest request;
  request.named = ReadFolders(given, request.resize.source);
  given.Path("out", request.resize.output);
  given.Read(DescribeOptions(request));
  request.to = target;
  given.Check(DescribeOptions(request));
  given.Finish();
  return request;
}

nb::object ResizeObject(const ResizeResult& result) {
  return MakeResult("ResizeResult", "output"_a = NameText(result.output),
                    "samples"_a = result.samples,
                    "files"_a = result.made + result.reused,
                    "files_reused"_a = result.reused, "bytes"_a = result.bytes,
                    "upscaled"_a = result.upscaled, "kept"_a = result.kept,
                    "nothing_to_do"_a = result.nothing_to_do,
                    "rejected"_a = RejectedTuple(result.rejected),
                    "ignored"_a = RejectedTuple(result.ignored),
                    "warnings"_a = MessageTuple(result.warnings));
}

nb::object RunResizeTree(const nb::dict& options, const nb::object& tell) {
  const ResizeOptions resize =
      TreeOptions(ReadResize(options, ResizeTarget::kTree));
  return ResizeObject(
      RunVerb(tell, [&](const Job& job) { return ResizeTree(resize, job); }));
}

nb::object RunResizeShards(const nb::dict& options, const nb::object& tell) {
  const ResizeRequest request = ReadResize(options, ResizeTarget::kShards);
  return PackResultObject(RunVerb(
      tell, [&](const Job& job) { return ResizeShards(request.resize, job); }));
}

}  // namespace

void RegisterPackVerbs(nb::module_& module) {
  module.def("resize_tree", &RunResizeTree, "options"_a, "tell"_a.none());
  module.def("resize_shards", &RunResizeShards, "options"_a, "tell"_a.none());
  module.def("pack", &RunPack, "options"_a, "tell"_a.none());
  module.def("plan_pack", &RunPlanPack, "options"_a, "tell"_a.none());
}

}  // namespace shardine::binding
