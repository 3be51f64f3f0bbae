#include "pack/making_of.h"

#include <charconv>
#include <cstdint>
#include <iterator>

#include "pack/pixel_array.h"
#include "shardine/image_words.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

// "256M": the largest unit that divides it.
// One text for one number: whoever compares two manifests, or a plan with a
// manifest, compares texts.
std::string ByteSizeText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"", "K", "M", "G", "T"};
  std::size_t unit = 0;
  while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + kUnits[unit];
}

// The shortest digits that give the number back, in any locale.
std::string NumberText(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, std::end(digits), number).ptr;
  return std::string(digits, end);
}

void AddIfNotZero(const char* name, std::int64_t value,
                  MakingOptions& options) {
  if (value != 0) options[name] = std::to_string(value);
}

void AddFlag(const char* name, bool given, MakingOptions& options) {
  if (given) options[name] = "";
}

void AddShards(std::uint64_t shards, std::uint64_t shard_bytes,
               MakingOptions& options) {
  if (shards > 0) {
    options["shards"] = std::to_string(shards);
  } else if (shard_bytes > 0) {
    const bool small =
        shard_bytes < kLeastSizeWithoutUnit && shard_bytes % 1024 != 0;
    options["shard-size"] = ByteSizeText(shard_bytes) + (small ? "B" : "");
  }
}

void AddEntryPoints(EntryPoints entry_points, MakingOptions& options) {
  options["entry-points"] = WordOf(entry_points);
}

std::string SharesText(const std::vector<SourceOptions::SplitShare>& shares) {
  std::string text;
  for (const SourceOptions::SplitShare& share : shares) {
    text +=
        (text.empty() ? "" : ",") + share.name + "=" + NumberText(share.share);
  }
  return text;
}

void AddCut(const SplitCut& cut, MakingOptions& options) {
  AddIfNotZero("hold-out", static_cast<std::int64_t>(cut.hold_out), options);
  AddIfGiven("split", SharesText(cut.shares), options);
}

void AddSourceOptions(const SourceOptions& source, MakingOptions& options) {
  AddIfGiven("list", source.list, options);
  AddIfGiven("list-root", source.list_root, options);
  AddIfGiven("label-map", source.label_map, options);
  AddIfNotZero("label-offset", source.label_offset, options);
  AddIfGiven("blacklist", source.blacklist, options);
  AddIfGiven("val-labels", source.val_labels, options);
  AddFlag("unlabelled", source.unlabelled, options);
  AddIfGiven("class-text", source.class_text, options);
  AddIfGiven("bounding-boxes", source.bounding_boxes, options);
  if (source.empty_classes != EmptyClasses::kRefuse) {
    options["empty-classes"] = WordOf(source.empty_classes);
  }
  AddFlag("numbered-classes", source.numbered_classes, options);
  AddFlag("unite-classes", source.unite_classes, options);
  AddIfNotZero("min-per-class", static_cast<std::int64_t>(source.min_per_class),
               options);
  AddCut({source.split_shares, source.hold_out, source.seed}, options);
}

// "photos", or "train=a", as the operand was.
std::vector<std::string> SourceTexts(const SourceOptions& source) {
  std::vector<std::string> texts;
  for (const SourceOptions::Folder& folder : source.folders) {
    // "train" is the split's name where none was given, so it cannot be told
    // from one that was.
    const bool unnamed = source.folders.size() == 1 && folder.split == "train";
    texts.push_back(unnamed ? folder.path : folder.split + "=" + folder.path);
  }
  return texts;
}

void AddImageOptions(const ImageOptions& image, MakingOptions& options) {
  // Only what is not the default is written. An option that a later version
  // adds then leaves the text of earlier commands as it was.
  const ImageOptions plain;
  if (image.filter != plain.filter) options["filter"] = WordOf(image.filter);
  if (image.order != plain.order) options["pass-order"] = WordOf(image.order);
  if (image.color != plain.color) {
    options["color"] = WordOf(image.color);
  }
  AddFlag("center-crop", image.center_crop, options);
  AddFlag("no-upscale", !image.upscale, options);
  AddFlag("keep-icc", image.keep_icc, options);
  if (image.apply_exif) options["exif"] = "apply";
  if (image.encoding == Encoding::kPng) {
    options["encoding"] = WordOf(image.encoding);
    options["png-level"] = std::to_string(image.png_level);
    return;
  }
  options["quality"] = std::to_string(image.quality);
  if (image.subsampling != plain.subsampling) {
    options["subsampling"] = WordOf(image.subsampling);
  }
  AddFlag("optimize", image.optimize, options);
}

void AddVariantOptions(const VariantOptions& variants, MakingOptions& options) {
  if (variants.short_sides.empty()) return;
  std::string list = variants.original ? "original" : "";
  for (const std::uint32_t short_side : variants.short_sides) {
    list += (list.empty() ? "sz/" : ",sz/") + std::to_string(short_side);
  }
  options["variants"] = list;
  AddImageOptions(variants.image, options);
}

}  // namespace

void AddIfGiven(const char* name, const std::string& value,
                MakingOptions& options) {
  if (!value.empty()) options[name] = value;
}

void AddSizeOptions(const VariantOptions& variants, MakingOptions& options) {
  std::string list;
  for (const std::uint32_t short_side : variants.short_sides) {
    list += (list.empty() ? "" : ",") + std::to_string(short_side);
  }
  options["to"] = "shards";
  options["short-side"] = list;
  AddImageOptions(variants.image, options);
}

Making MakingOf(const PackOptions& options, const FormatAndLayout& format) {
  Making made{.command = "pack",
              .sources = SourceTexts(options.source),
              .options = {{"format", format.Name()},
                          {"seed", std::to_string(options.seed)}}};
  AddSourceOptions(options.source, made.options);
  AddShards(options.shards, options.shard_bytes, made.options);
  AddFlag("no-shuffle", !options.shuffle, made.options);
  AddFlag("no-suffix", options.no_suffix, made.options);
  AddFlag("lossy-labels", options.lossy_labels, made.options);
  AddVariantOptions(options.variants, made.options);
  AddEntryPoints(options.entry_points, made.options);
  return made;
}

Making MakingOf(const ConvertSpec& spec, const std::string& format,
                const std::optional<PixelOrder>& pixels) {
  Making made = spec.made;
  made.sources = spec.inputs;
  made.options["format"] = format;
  AddShards(spec.shards, spec.shard_bytes, made.options);
  if (spec.cut.is_made()) {
    AddCut(spec.cut, made.options);
    made.options["seed"] = std::to_string(spec.cut.seed);
  }
  AddFlag("no-suffix", spec.no_suffix, made.options);
  AddFlag("lossy-labels", spec.lossy_labels, made.options);
  // A seed without a reshuffle has no part in the bytes.
  if (spec.reshuffle) {
    made.options["reshuffle"] = std::to_string(*spec.reshuffle);
  }
  if (pixels) made.options["pixels"] = WordOf(*pixels);
  AddEntryPoints(spec.entry_points, made.options);
  return made;
}

Making MakingOf(const IndexOptions& options, const FormatAndLayout& format) {
  Making made{.command = "index",
              .sources = options.files,
              .options = {{"format", format.Name()}}};
  for (std::size_t i = 0; i < options.splits.size(); ++i) {
    made.sources[i] = options.splits[i] + "=" + options.files[i];
  }
  AddIfGiven("split", options.split, made.options);
  AddIfGiven("list", options.list, made.options);
  if (options.list_by != MatchBy::kKey) {
    made.options["list-by"] = WordOf(options.list_by);
  }
  AddIfGiven("class-names", options.class_names, made.options);
  return made;
}

Making MakingOf(const DatasetWriterOptions& options,
                const FormatAndLayout& format) {
  Making made{.command = kWriteCommand,
              .sources = {},
              .options = {{"format", format.Name()}}};
  AddShards(0, options.shard_bytes, made.options);
  AddIfNotZero("shard-samples",
               static_cast<std::int64_t>(options.shard_samples), made.options);
  AddEntryPoints(options.entry_points, made.options);
  return made;
}

}  // namespace shardine
