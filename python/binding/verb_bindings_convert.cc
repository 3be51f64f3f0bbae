#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/describe.h"
#include "shardine/index.h"
#include "shardine/native_index.h"
#include "shardine/reindex.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

// One dataset, or shard files.
void ReadInputs(OptionReader& given, ConvertOptions& convert) {
  ReadShards(given, "source", convert.files, convert.file_splits);
  if (convert.files.size() != 1 || !convert.file_splits.empty()) return;
  convert.input = std::move(convert.files.front());
  convert.files.clear();
}

// The options beside the operands, which `given` has been asked for.
template <typename Asked>
void ReadDescribed(OptionReader& given, Asked& asked) {
  given.Read(DescribeOptions(asked));
  given.Check(DescribeOptions(asked));
  given.Finish();
}

nb::object RunConvert(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  ConvertOptions convert;
  ReadInputs(given, convert);
  given.Path("out", convert.output);
  ReadDescribed(given, convert);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return Convert(convert, job); }));
}

nb::object RunIndex(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  IndexOptions index;
  ReadShards(given, "files", index.files, index.splits);
  given.Path("out", index.output);
  ReadDescribed(given, index);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return IndexShards(index, job); }));
}

nb::object RunMerge(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  MergeOptions merge;
  given.Paths("sources", merge.inputs);
  given.Path("out", merge.output);
  ReadDescribed(given, merge);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return Merge(merge, job); }));
}

nb::object RunJoin(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  JoinOptions join;
  given.Path("out", join.output);
  ReadRun(given, join.threads);
  given.Finish();
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return JoinParts(join, job); }));
}

nb::object RunRelabel(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  RelabelOptions relabel;
  given.Path("source", relabel.input);
  given.Path("out", relabel.output);
  given.Path("list", relabel.list);
  ReadDescribed(given, relabel);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return Relabel(relabel, job); }));
}

nb::object ReindexedObject(const ReindexedDataset& dataset) {
  return MakeResult("ReindexedDataset", "path"_a = NameText(dataset.path),
                    "samples"_a = dataset.samples,
                    "entry_points"_a = EntryPointResult(dataset.entry_points),
                    "entry_point_bytes"_a = dataset.entry_point_bytes,
                    "shard_bytes"_a = dataset.shard_bytes,
                    "files_written"_a = dataset.files_written,
                    "files_removed"_a = dataset.files_removed);
}

nb::object RunReindex(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  ReindexOptions reindex;
  given.Path("dataset", reindex.dataset);
  ReadDescribed(given, reindex);
  const ReindexResult result =
      RunVerb(tell, [&](const Job& job) { return Reindex(reindex, job); });
  return MakeResult("ReindexResult",
                    "datasets"_a = TupleOf(result.datasets, &ReindexedObject),
                    "warnings"_a = MessageTuple(result.warnings));
}

nb::object RunNativeIndex(const nb::dict& options) {
  OptionReader given(options);
  NativeIndexOptions native;
  given.Paths("files", native.files);
  given.Flag("replace", native.replace);
  given.Finish();
  const auto indexes = RunVerb(nb::none(), [&](const Job& job) {
    return WriteNativeIndexes(native, job);
  });
  return TupleOf(indexes, [](const NativeIndex& index) {
    return MakeResult("NativeIndex", "file"_a = NameText(index.file),
                      "index"_a = NameText(index.path), "bytes"_a = index.bytes,
                      "written"_a = index.written);
  });
}

}  // namespace

void RegisterConvertVerbs(nb::module_& module) {
  module.def("merge", &RunMerge, "options"_a, "tell"_a.none());
  module.def("join", &RunJoin, "options"_a, "tell"_a.none());
  module.def("relabel", &RunRelabel, "options"_a, "tell"_a.none());
  module.def("reindex", &RunReindex, "options"_a, "tell"_a.none());
  module.def("native_index", &RunNativeIndex, "options"_a);
  module.def("convert", &RunConvert, "options"_a, "tell"_a.none());
  module.def("index", &RunIndex, "options"_a, "tell"_a.none());
}

}  // namespace shardine::binding
