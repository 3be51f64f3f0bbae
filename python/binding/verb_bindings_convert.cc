#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/index.h"
#include "shardine/native_index.h"
#include "shardine/pack_words.h"
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

void ReadFields(OptionReader& given, ConvertOptions& convert) {
  std::vector<std::string> fields;
  given.Texts("fields", fields);
  if (!given.has("fields")) return;
  if (fields == std::vector<std::string>{"none"}) fields.clear();
  convert.fields = fields;
}

void ReadSplits(OptionReader& given, ConvertOptions& convert) {
  given.Splits("split", convert.splits);
  given.Number("hold_out", convert.hold_out);
  given.Number("seed", convert.seed);
  if (convert.splits.empty() ||
      convert.splits[0].find('=') == std::string::npos)
    return;
  auto shares = ParseSplitShares(convert.splits[0]);
  if (!shares.ok()) RefuseOption("split", shares.status());
  convert.split_shares = *std::move(shares);
  convert.splits.clear();
}

ConvertOptions ReadConvert(OptionReader& given) {
  ConvertOptions convert;
  ReadInputs(given, convert);
  given.Path("out", convert.output);
  ReadSplits(given, convert);
  given.Text("where", convert.where);
  given.Path("label_map", convert.label_map);
  given.Number("limit", convert.limit, std::uint64_t{1});
  given.Text("prefix", convert.key_prefix);
  ReadFields(given, convert);
  given.Path("class_names", convert.class_names);
  given.Text("format", convert.format);
  ReadShardSizes(given, convert.shards, convert.shard_bytes);
  // 0 is a seed like any other: only the option itself says that a new order is
  // asked for.
  std::uint64_t seed = 0;
  given.Number("reshuffle", seed);
  if (given.has("reshuffle")) convert.reshuffle = seed;
  bool suffix = true;
  given.Flag("suffix", suffix);
  convert.no_suffix = !suffix;
  given.Flag("strict", convert.strict);
  given.Flag("lossy_labels", convert.lossy_labels);
  PixelOrder pixels = PixelOrder::kRgb;
  given.Word("pixels", pixels);
  if (given.has("pixels")) convert.pixels = pixels;
  given.Word("on_bad", convert.on_bad);
  given.Word("entry_points", convert.entry_points);
  ReadRun(given, convert.threads);
  given.Flag("space_check", convert.check_space);
  given.Flag("replace", convert.replace);
  given.Finish();
  return convert;
}

nb::object RunConvert(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  const ConvertOptions convert = ReadConvert(given);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return Convert(convert, job); }));
}

nb::object RunIndex(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  IndexOptions index;
  ReadShards(given, "files", index.files, index.splits);
  given.Path("out", index.output);
  given.Text("split", index.split);
  given.Path("class_names", index.class_names);
  given.Path("list", index.list);
  given.Word("list_by", index.list_by);
  given.Text("format", index.format);
  ReadRun(given, index.threads);
  given.Finish();
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return IndexShards(index, job); }));
}

nb::object RunMerge(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  MergeOptions merge;
  given.Paths("sources", merge.inputs);
  given.Path("out", merge.output);
  given.Text("format", merge.format);
  given.Text("prefix", merge.key_prefix);
  given.Flag("lossy_labels", merge.lossy_labels);
  given.Word("entry_points", merge.entry_points);
  ReadRun(given, merge.threads);
  given.Flag("space_check", merge.check_space);
  given.Flag("replace", merge.replace);
  given.Finish();
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
  given.Word("by", relabel.by);
  given.Flag("lossy_labels", relabel.lossy_labels);
  given.Word("entry_points", relabel.entry_points);
  ReadRun(given, relabel.threads);
  given.Flag("space_check", relabel.check_space);
  given.Finish();
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
  given.Word("entry_points", reindex.entry_points);
  ReadRun(given, reindex.threads);
  given.Finish();
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
