#include "pack/option_parts.h"

#include <span>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "shardine/describe.h"
#include "shardine/image_words.h"
#include "shardine/pack_words.h"

namespace shardine {

OptionRule Needs(bool holds, const char* option, const char* value) {
  return {.holds = holds, .option = option, .value = value};
}

OptionRule NotBeside(const char* option, bool is_given) {
  return {
      .kind = OptionRule::Kind::kBeside, .holds = !is_given, .option = option};
}

std::string SharesText(const std::vector<SourceOptions::SplitShare>& shares) {
  std::string text;
  for (const SourceOptions::SplitShare& share : shares) {
    text +=
        (text.empty() ? "" : ",") + share.name + "=" + NumberText(share.share);
  }
  return text;
}

OptionValue SharesValue(std::vector<SourceOptions::SplitShare>& shares) {
  return ParsedValue(OptionKind::kShares, shares, &ParseSplitShares,
                     &SharesText);
}

OptionValue SeedValue(std::uint64_t& seed, SourceOptions& source) {
  OptionValue value = NumberValue(seed);
  value.set = [set = value.set, &seed, &source](const std::string& text) {
    Status status = set(text);
    source.seed = seed;
    return status;
  };
  return value;
}

void AddSource(SourceOptions& source, const OptionRules& rules,
               OptionList& to) {
  const auto add = [&](const char* name, const char* meta, OptionValue value,
                       const char* help) -> Option& {
    return to.emplace_back(Option{.group = kSourceGroup,
                                  .name = name,
                                  .meta = meta,
                                  .value = std::move(value),
                                  .help = help,
                                  .rules = rules});
  };
  const OptionList::size_type begin = to.size();
  add("list", "FILE", PathValue(source.list),
      "take the samples from this .lst, CSV, TSV, JSON or JSON lines file, not "
      "from a walk; - is standard input");
  add("list-root", "DIR", PathValue(source.list_root),
      "where the relative paths of the list start (default: SOURCE)");
  add("metadata-file", "NAME", TextValue(source.metadata_file),
      "tables beside or above the images, whose column file_name starts from "
      "their folder; other columns become labels and fields (default: auto, "
      "metadata.csv and metadata.jsonl; none: no file)");
  to.back().rules.push_back(NotBeside("list", !source.list.empty()));
  add("label-map", "FILE", PathValue(source.label_map),
      "class numbers: lines \"name number\", names in order, JSON, or a table "
      "with columns name and label");
  add("label-offset", "N", IntegerValue(source.label_offset),
      "add N to every class number");
  add("blacklist", "FILE", PathValue(source.blacklist),
      "leave out these keys, file names, or numbers of ImageNet's validation "
      "images, one a line, or the column path of a table; - is standard "
      "input");
  add("val-labels", "FILE", PathValue(source.val_labels),
      "labels of the images in a folder without class folders: lines \"file "
      "label\", a table with these columns, or one label a line in the order "
      "of the files' names");
  add("unlabelled", "", FlagValue(source.unlabelled),
      "take images that have no label without one");
  add("class-text", "FILE", PathValue(source.class_text),
      "what classes are called for people: lines \"name, tab, text\", or a "
      "table with columns name and text");
  add("bounding-boxes", "FILE", PathValue(source.bounding_boxes),
      "boxes, which become fields: lines \"file,xmin,ymin,xmax,ymax\", each of "
      "0 to 1; with a header in any order");
  add("annotations", "[SPLIT=]KIND:PATH[,...]",
      ParsedValue(OptionKind::kText, source.annotations, &ParseAnnotations,
                  &AnnotationsText),
      "boxes, polygons, masks, points and captions, which become fields: "
      "coco:FILE.json, voc:DIR, yolo:data.yaml; of one split alone with its "
      "name in front");
  add("bad-annotations", "", WordValue(source.bad_annotations),
      "annotations that cannot be, such as boxes without a size: an error, or "
      "left out and listed")
      .rules.push_back(Needs(!source.annotations.empty(), "annotations"));
  add("fields", "NAME=SUFFIX[,...]",
      ParsedValue(OptionKind::kFiles, source.stem_fields, &ParseStemFields,
                  &StemFieldsText),
      "files beside an image that are fields of its sample, by what follows "
      "the image's name without its suffix: caption=.txt,mask=_mask.png; auto: "
      "each other suffix by its own name");
  add("pair", "NAME=PATTERN[,...]",
      ParsedValue(OptionKind::kFiles, source.pairs, &ParsePairs, &PairsText),
      "files of another tree that are fields: mask=masks/{stem}.png below "
      "SOURCE, or a whole path; {stem-_rgb}: without _rgb at its end, {class}: "
      "the first folder of the image's path, {dir}: all of them");
  add("min-per-class", "N", NumberValue(source.min_per_class),
      "leave out classes of fewer samples, in a split that has some, and "
      "number the rest densely");
  add("empty-classes", "", WordValue(source.empty_classes),
      "class folders without images: an error, numbered as others, or no "
      "classes");
  add("unite-classes", "", FlagValue(source.unite_classes),
      "class names that differ in their Unicode form alone (NFC, NFD) are one "
      "class");
  add("numbered-classes", "", FlagValue(source.numbered_classes),
      "class folders are whole numbers, and those are the labels (default: "
      "numbered in the order of names as text: 0, 1, 10, 2)");
  add("hold-out", "N", NumberValue(source.hold_out),
      "put N samples of each class into split val");
  add("split", "train=0.9,val=0.1", SharesValue(source.split_shares),
      "cut the samples at random into splits of these shares");
  AddSplitRule(source.split_rule, source.split_shares, kSourceGroup, rules, to);
  // Files of a tree have paths, and no labels.
  for (Option& option : std::span(to).subspan(begin)) {
    if (option.name == "list" || option.name == "list-root" ||
        option.name == "blacklist") {
      option.rules.clear();
    }
  }
}

void AddSplitRule(SplitRule& rule,
                  const std::vector<SourceOptions::SplitShare>& shares,
                  const char* group, const OptionRules& rules, OptionList& to) {
  const auto add = [&](const char* name, const char* meta, OptionValue value,
                       const char* help) -> Option& {
    Option& option = to.emplace_back(Option{.group = group,
                                            .name = name,
                                            .meta = meta,
                                            .value = std::move(value),
                                            .help = help,
                                            .rules = rules});
    option.rules.push_back(Needs(!shares.empty(), "split"));
    return option;
  };
  add("stratify", "", FlagValue(rule.stratify),
      "cut each class into the shares: counts are off by at most one");
  add("small-classes", "", WordValue(rule.small_classes),
      "classes that are too small for a split: an error, or in train alone")
      .rules.push_back(Needs(rule.stratify, "stratify"));
  add("group-by", "RULE", TextValue(rule.group_by),
      "keep the samples of a group in one split: the one capture of a regular "
      "expression (RE2) in the key; folder:N, the name of its N-th folder; or "
      "column:NAME of the list (default: its column group, if any)");
  add("dedup-groups", "", FlagValue(rule.dedup_groups),
      "keep images of the same bytes in one split: those of equal size, or "
      "checksum in a dataset, are read first");
  add("near-groups", "", FlagValue(rule.near_groups),
      "keep images that look alike in one split, too: all are decoded first, "
      "some 700 photos a second and thread");
}

void AddImages(ImageOptions& image, const char* group, const OptionRules& rules,
               OptionList& to) {
  const bool is_jpeg = image.encoding == Encoding::kJpeg;
  const auto add = [&](const char* name, OptionValue value, const char* help,
                       bool is_always_recorded = false) -> Option& {
    const bool is_number = value.kind == OptionKind::kNumber;
    return to.emplace_back(Option{.group = group,
                                  .name = name,
                                  .meta = is_number ? "N" : "",
                                  .value = std::move(value),
                                  .help = help,
                                  .is_always_recorded = is_always_recorded,
                                  .rules = rules});
  };
  const auto of = [&](const char* encoding, Option& option) {
    const bool holds = is_jpeg == (std::string_view(encoding) == "jpeg");
    option.rules.push_back(Needs(holds, "encoding", encoding));
  };
  add("encoding", WordValue(image.encoding), "of the images made");
  of("jpeg", add("quality", NumberValue(image.quality, {1, 100}),
                 "of JPEG, on libjpeg's scale", true));
  of("jpeg", add("subsampling", WordValue(image.subsampling),
                 "of JPEG: color at half or full resolution"));
  of("jpeg", add("optimize", FlagValue(image.optimize),
                 "JPEG with Huffman tables of each image's own: a few percent "
                 "smaller, slower to write"));
  of("png", add("png-level", NumberValue(image.png_level, {1, 9}),
                "of PNG: smaller or sooner", true));
  add("filter", WordValue(image.filter),
      "Pillow's filter of that name, pixel for pixel");
  add("pass-order", WordValue(image.order),
      "which pass of the filter is first: the cheaper one, as in Pillow 13, or "
      "always the horizontal one, as before; the last bit of a pixel shows it");
  add("center-crop", FlagValue(image.center_crop),
      "cut images to the square in their middle first");
  add("color", WordValue(image.color),
      "keep: gray images stay gray, all others become RGB");
  add("no-upscale", FlagValue(image.upscale, false),
      "leave images that are smaller as they are");
  add("exif",
      ChoiceValue<bool>({{"ignore", false}, {"apply", true}}, image.apply_exif),
      "whether to turn images as their EXIF orientation says");
  add("keep-icc", FlagValue(image.keep_icc),
      "keep color profiles; no other metadata is");
}

void AddRecode(RecodeOptions& recode, bool encodes, const OptionRules& rules,
               OptionList& to) {
  to.push_back({.group = kImageGroup,
                .name = "recode",
                .value = WordValue(recode.recode),
                .help = "images that are neither JPEG nor PNG are decoded and "
                        "encoded again, with a count (default: all images "
                        "stay as they are)",
                .rules = rules});
  to.push_back({.group = kImageGroup,
                .name = "to-8-bits",
                .value = FlagValue(recode.to_8_bits),
                .help = "scale channels of 16 bits to 8, value / 257 rounded, "
                        "of PNGs as well (default: png keeps 16 bits, jpeg "
                        "refuses such images)",
                .rules = rules});
  to.back().rules.push_back(
      Needs(recode.recode.has_value() || encodes, "recode"));
}

void AddShardSizes(std::uint64_t& shards, std::uint64_t& bytes,
                   const char* group, const ShardSizeHelp& help,
                   const OptionRules& rules, OptionList& to) {
  to.push_back({.group = group,
                .name = "shards",
                .meta = "N",
                .value = NumberValue(shards, {.low = 1}),
                .help = help.shards,
                .rules = rules});
  to.push_back({.group = group,
                .name = "shard-size",
                .meta = "SIZE",
                .value = ShardSizeValue(bytes),
                .help = help.size,
                .is_always_recorded = true,
                .rules = rules});
  to.back().rules.push_back(NotBeside("shards", shards > 0));
}

Option FormatOption(std::string& format, const char* group, const char* help) {
  return {.group = group,
          .name = "format",
          .meta = "NAME",
          .value = TextValue(format),
          .help = help,
          .is_always_recorded = true};
}

Option NoSuffix(bool& value) {
  return {.group = kShardGroup,
          .name = "no-suffix",
          .value = FlagValue(value),
          .help = "shards are train-00000-of-00008, without .rec and the like"};
}

Option LossyLabels(bool& value, const char* group) {
  return {.group = group,
          .name = "lossy-labels",
          .value = FlagValue(value),
          .help =
              "records may hold changed labels, where the format has no "
              "exact ones: integers for fractions, clipped ones, the first "
              "of several (default: refused)"};
}

Option EntryPointOption(EntryPoints& value, const char* group) {
  return {.group = group,
          .name = "entry-points",
          .value = WordValue(value),
          .help =
              "where decoding can begin inside a JPEG, in a file beside "
              "each shard: crops decode several times faster for 1 to 2 % "
              "more bytes",
          .is_always_recorded = true};
}

Option OnBadOption(OnBad& value, const char* help) {
  return {.group = kImageGroup,
          .name = "on-bad",
          .value = WordValue(value),
          .help = help,
          .decides_bytes = false};
}

Option DropKeysOption(std::string& path) {
  return {.group = kSampleGroup,
          .name = "drop-keys",
          .meta = "FILE",
          .value = PathValue(path),
          .help =
              "leave out the samples of these keys, one a line, or of a "
              "table; each is listed in OUT/ignored.jsonl"};
}

void AddSpaceCheck(bool& value, OptionList& to) {
  to.push_back({.group = kRunGroup,
                .name = "no-space-check",
                .value = FlagValue(value, false),
                .help = "begin even where the disk is too small for what is to "
                        "come",
                .decides_bytes = false});
}

void AddReplace(bool& value, const OptionRules& rules, OptionList& to) {
  to.push_back({.group = kRunGroup,
                .name = "replace",
                .value = FlagValue(value),
                .help = "a complete dataset in OUT gives way when the new one "
                        "is made, with the files that its manifests list and "
                        "no others",
                .decides_bytes = false,
                .rules = rules});
}

void AddDryRun(bool& value, bool replaces, const OptionRules& rules,
               OptionList& to) {
  to.push_back({.group = kRunGroup,
                .name = "dry-run",
                .value = FlagValue(value),
                .help = "with `replace`: print the files that would go, change "
                        "nothing",
                .decides_bytes = false,
                .rules = rules});
  to.back().rules.push_back(Needs(replaces, "replace"));
}

}  // namespace shardine
