#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "binding/option_reader.h"
#include "binding/verb_options.h"
#include "binding/verb_results.h"
#include "binding/verb_run.h"
#include "shardine/image_words.h"
#include "shardine/pack.h"
#include "shardine/pack_words.h"
#include "shardine/resize.h"
#include "shardine/variant_text.h"

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

void ReadShares(OptionReader& given, SourceOptions& source) {
  std::string text;
  given.Shares("split", text);
  if (text.empty()) return;
  auto shares = ParseSplitShares(text);
  if (!shares.ok()) RefuseOption("split", shares.status());
  source.split_shares = *std::move(shares);
}

void ReadSource(OptionReader& given, SourceOptions& source) {
  given.Path("list", source.list);
  given.Path("list_root", source.list_root);
  given.Path("label_map", source.label_map);
  given.Number("label_offset", source.label_offset,
               std::numeric_limits<std::int64_t>::min());
  given.Path("blacklist", source.blacklist);
  given.Path("val_labels", source.val_labels);
  given.Flag("unlabelled", source.unlabelled);
  given.Path("class_text", source.class_text);
  given.Path("bounding_boxes", source.bounding_boxes);
  given.Number("min_per_class", source.min_per_class);
  given.Word("empty_classes", source.empty_classes);
  given.Flag("unite_classes", source.unite_classes);
  given.Flag("numbered_classes", source.numbered_classes);
  given.Number("hold_out", source.hold_out);
  ReadShares(given, source);
}

constexpr const char* kImageOptions[] = {
    "encoding",    "quality", "subsampling", "optimize", "png_level", "filter",
    "center_crop", "color",   "upscale",     "exif",     "keep_icc"};

// An option that would do nothing is refused: whoever gave it expects
// something.
void RefuseGiven(const OptionReader& given, const char* name,
                 const std::string& why) {
  if (!given.has(name)) return;
  throw nb::value_error((std::string(name) + ": " + why).c_str());
}

void ReadImage(OptionReader& given, ImageOptions& image) {
  given.Word("encoding", image.encoding);
  given.Number("quality", image.quality, 1u, 100u);
  given.Word("subsampling", image.subsampling);
  given.Flag("optimize", image.optimize);
  given.Number("png_level", image.png_level, 1u, 9u);
  given.Word("filter", image.filter);
  given.Flag("center_crop", image.center_crop);
  given.Word("color", image.color);
  given.Flag("upscale", image.upscale);
  Exif exif = Exif::kIgnore;
  given.Word("exif", exif);
  image.apply_exif = exif == Exif::kApply;
  given.Flag("keep_icc", image.keep_icc);
  if (image.encoding == Encoding::kPng) {
    for (const char* name : {"quality", "subsampling", "optimize"}) {
      RefuseGiven(given, name, "is for encoding=\"jpeg\"");
    }
  } else {
    RefuseGiven(given, "png_level", "is for encoding=\"png\"");
  }
}

PackOptions ReadPack(OptionReader& given) {
  PackOptions pack;
  ReadFolders(given, pack.source);
  ReadSource(given, pack.source);
  given.Path("out", pack.output);
  given.Text("format", pack.format);
  ReadShardSizes(given, pack.shards, pack.shard_bytes);
  given.Number("seed", pack.seed);
  // One option for both: shuffle and split are reproduced by one number.
  pack.source.seed = pack.seed;
  given.Flag("shuffle", pack.shuffle);
  bool suffix = true;
  given.Flag("suffix", suffix);
  pack.no_suffix = !suffix;
  given.Flag("lossy_labels", pack.lossy_labels);
  given.Word("on_bad", pack.on_bad);
  given.Word("check", pack.check);
  given.Word("entry_points", pack.entry_points);
  std::string variants;
  given.Joined("variants", variants);
  if (!variants.empty()) {
    RefuseOption("variants", ParseVariants(variants, pack.variants));
  }
  if (pack.variants.short_sides.empty()) {
    for (const char* name : kImageOptions) {
      RefuseGiven(given, name, "is about sizes, and variants asks for none");
    }
  }
  ReadImage(given, pack.variants.image);
  ReadRun(given, pack.threads);
  given.Flag("space_check", pack.check_space);
  given.Flag("replace", pack.replace);
  given.Finish();
  return pack;
}

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
      "plan_digest"_a = DigestText(plan.plan_digest),
      "splits"_a = TupleOf(plan.splits, split),
      "ignored"_a = RejectedTuple(plan.ignored),
      "replaced"_a = TupleOf(plan.replaced, &NameText),
      "warnings"_a = MessageTuple(plan.warnings));
}

nb::object RunPack(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  const PackOptions pack = ReadPack(given);
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return Pack(pack, job); }));
}

nb::object RunPlanPack(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  const PackOptions pack = ReadPack(given);
  return PlanObject(
      RunVerb(tell, [&](const Job& job) { return PlanPack(pack, job); }));
}

// What a tree, which has no classes, splits or shards, can do nothing with.
constexpr const char* kShardsOnly[] = {
    "label_map",  "label_offset",   "val_labels",    "unlabelled",
    "class_text", "bounding_boxes", "empty_classes", "min_per_class",
    "hold_out",   "split",          "format",        "shards",
    "shard_size", "seed",           "shuffle",       "entry_points",
    "replace",    "unite_classes",  "lossy_labels",  "numbered_classes"};

// What both forms of resize have.
struct ResizeCommon {
  SourceOptions source;
  bool is_named = false;
  std::string output;
  std::vector<std::uint32_t> short_sides;
  bool is_imagenet18 = false;
  ImageOptions image;
  OnBad on_bad = OnBad::kFail;
  unsigned threads = 0;
};

// What imagenet18's resize_images.py does with Pillow, which makes gray images
// RGB and saves at 75, 4:2:0, unless told.
void FollowImagenet18(ResizeCommon& common) {
  common.image.quality = 75;
  common.image.color = ColorMode::kColor;
  if (common.short_sides.empty()) common.short_sides = {160, 320};
}

void ReadShortSides(OptionReader& given, ResizeCommon& common) {
  std::string text;
  given.Joined("short_side", text);
  if (text.empty()) {
    if (common.is_imagenet18) return;
    throw nb::type_error("resize: short_side is needed, such as 160");
  }
  auto sides = ParseShortSides(text);
  if (!sides.ok()) RefuseOption("short_side", sides.status());
  common.short_sides = *std::move(sides);
}

ResizeCommon ReadResize(OptionReader& given) {
  ResizeCommon common;
  common.is_named = ReadFolders(given, common.source);
  ReadSource(given, common.source);
  given.Path("out", common.output);
  ResizePreset preset = ResizePreset::kImagenet18;
  given.Word("preset", preset);
  common.is_imagenet18 = given.has("preset");
  ReadShortSides(given, common);
  ReadImage(given, common.image);
  if (common.is_imagenet18) {
    for (const char* name : kImageOptions) {
      RefuseGiven(given, name, "is what preset decides");
    }
    FollowImagenet18(common);
  }
  given.Word("on_bad", common.on_bad);
  ReadRun(given, common.threads);
  return common;
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
  OptionReader given(options);
  const ResizeCommon common = ReadResize(given);
  for (const char* name : kShardsOnly) {
    RefuseGiven(given, name, "is for to=\"shards\"");
  }
  given.Finish();
  const ResizeOptions resize{.source = common.source,
                             .named = common.is_named,
                             .output = common.output,
                             .short_sides = common.short_sides,
                             .bare_sizes = common.is_imagenet18,
                             .image = common.image,
                             .on_bad = common.on_bad,
                             .threads = common.threads};
  return ResizeObject(
      RunVerb(tell, [&](const Job& job) { return ResizeTree(resize, job); }));
}

nb::object RunResizeShards(const nb::dict& options, const nb::object& tell) {
  OptionReader given(options);
  const ResizeCommon common = ReadResize(given);
  RefuseGiven(given, "preset", "is for to=\"tree\"");
  ResizeShardsOptions resize;
  resize.source = common.source;
  resize.output = common.output;
  resize.short_sides = common.short_sides;
  resize.image = common.image;
  resize.on_bad = common.on_bad;
  resize.threads = common.threads;
  given.Text("format", resize.format);
  ReadShardSizes(given, resize.shards, resize.shard_bytes);
  given.Number("seed", resize.seed);
  resize.source.seed = resize.seed;
  given.Flag("shuffle", resize.shuffle);
  given.Flag("lossy_labels", resize.lossy_labels);
  given.Word("entry_points", resize.entry_points);
  given.Flag("replace", resize.replace);
  given.Finish();
  return PackResultObject(
      RunVerb(tell, [&](const Job& job) { return ResizeShards(resize, job); }));
}

}  // namespace

void RegisterPackVerbs(nb::module_& module) {
  module.def("resize_tree", &RunResizeTree, "options"_a, "tell"_a.none());
  module.def("resize_shards", &RunResizeShards, "options"_a, "tell"_a.none());
  module.def("pack", &RunPack, "options"_a, "tell"_a.none());
  module.def("plan_pack", &RunPlanPack, "options"_a, "tell"_a.none());
}

}  // namespace shardine::binding
