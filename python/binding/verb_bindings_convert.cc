#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack_words.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

// One dataset, or shard files.
void ReadInputs(OptionReader& given, ConvertOptions& convert) {
  std::vector<NamedPath> paths;
  given.NamedPaths("source", paths);
  if (paths.size() == 1 && paths[0].name.empty()) {
    convert.input = paths[0].path;
  } else {
    SplitNames(paths, convert.files, convert.file_splits);
  }
}

void ReadFields(OptionReader& given, ConvertOptions& convert) {
  std::vector<std::string> fields;
  given.Texts("fields", fields);
  if (!given.has("fields")) return;
  if (fields == std::vector<std::string>{"none"}) fields.clear();
  convert.fields = fields;
}

ConvertOptions ReadConvert(OptionReader& given) {
  ConvertOptions convert;
  ReadInputs(given, convert);
  given.Path("out", convert.output);
  given.Texts("split", convert.splits);
  given.Text("where", convert.where);
  given.Path("label_map", convert.label_map);
  given.Number("limit", convert.limit, std::uint64_t{1});
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
  PixelOrder pixels = PixelOrder::kRgb;
  given.Word("pixels", pixels);
  if (given.has("pixels")) convert.pixels = pixels;
  given.Word("on_bad", convert.on_bad);
  given.Word("entry_points", convert.entry_points);
  ReadRun(given, convert.threads);
  given.Flag("space_check", convert.check_space);
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
  std::vector<NamedPath> paths;
  given.NamedPaths("files", paths);
  SplitNames(paths, index.files, index.splits);
  given.Path("out", index.output);
  given.Text("split", index.split);
  given.Path("class_names", index.class_names);
  given.Path("list", index.list);
  given.Text("format", index.format);
  ReadRun(given, index.threads);
  given.Finish();
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return IndexShards(index, job); }));
}

}  // namespace

void RegisterConvertVerbs(nb::module_& module) {
  module.def("convert", &RunConvert, "options"_a, "tell"_a.none());
  module.def("index", &RunIndex, "options"_a, "tell"_a.none());
}

}  // namespace shardine::binding
