#include "shardine/describe.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "pack/option_parts.h"
#include "shardine/array_layout_words.h"
#include "shardine/image_words.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/pack_words.h"
#include "shardine/reindex.h"
#include "shardine/resize.h"
#include "shardine/resize_words.h"
#include "shardine/role_options.h"
#include "shardine/scan.h"
#include "shardine/variant_text.h"

namespace shardine {
namespace {

constexpr char kBadRecordHelp[] =
    "what to do with a bad image, and with a record that cannot be read or "
    "does "
    "not match its checksum; such a record is left out under skip, quarantine "
    "and keep";

Option PassCheckOption(std::optional<ImageCheckLevel>& check) {
  return {.group = kImageGroup,
          .name = "check",
          .value = WordValue(check),
          .help =
              "how to find bad images; decode finds damage after the "
              "header, too (default: header; none under fail, and decode "
              "for arrays)",
          .decides_bytes = false};
}

// Names of splits to read, or shares of splits to cut; names have no "=".
OptionValue SplitsValue(ConvertOptions& convert) {
  return {.kind = OptionKind::kSplits,
          .set =
              [&convert](const std::string& text) {
                return text.find('=') == text.npos
                           ? NamesValue(convert.splits).set(text)
                           : SharesValue(convert.split_shares).set(text);
              },
          .get =
              [&convert] {
                return convert.split_shares.empty()
                           ? NamesText(convert.splits)
                           : SharesText(convert.split_shares);
              }};
}

std::string SidesText(const std::vector<std::uint32_t>& sides,
                      const std::string& before) {
  std::string text;
  for (const std::uint32_t side : sides) {
    text += (text.empty() ? "" : ",") + before + std::to_string(side);
  }
  return text;
}

OptionValue ShortSidesValue(std::vector<std::uint32_t>& sides) {
  return ParsedValue(
      OptionKind::kSizes, sides, &ParseShortSides,
      +[](const std::vector<std::uint32_t>& given) {
        return SidesText(given, "");
      });
}

OptionValue VariantsValue(VariantOptions& variants) {
  return {.kind = OptionKind::kSizes,
          .set =
              [&variants](const std::string& text) {
                return ParseVariants(text, variants);
              },
          .get =
              [&variants] {
                const std::string sizes =
                    SidesText(variants.short_sides, "sz/");
                if (!variants.original) return sizes;
                return sizes.empty() ? "original" : "original," + sizes;
              }};
}

// The options that say which samples a conversion takes, and how it cuts them.
void AddSamples(ConvertOptions& convert, OptionList& to) {
  const bool is_cut = !convert.split_shares.empty() || convert.hold_out > 0;
  const auto sample = [&](const char* name, const char* meta, OptionValue value,
                          const char* help) {
    to.push_back({.group = kSampleGroup,
                  .name = name,
                  .meta = meta,
                  .value = std::move(value),
                  .help = help});
  };
  sample("split", "NAME[,...]", SplitsValue(convert),
         "the samples of these splits (default: of all); of files that name "
         "several splits the one to read; train=0.9,val=0.1: cut the samples "
         "of one split at random into splits of these shares");
  AddSplitRule(convert.split_rule, convert.split_shares, kSampleGroup, {}, to);
  sample("hold-out", "N", NumberValue(convert.hold_out),
         "put N samples of each class of train into split val");
  sample("seed", "N", NumberValue(convert.seed),
         "of the shares and `hold-out` (default: 0)");
  to.back().decides_bytes = is_cut;
  to.back().is_always_recorded = is_cut;
  sample("where", "EXPR", TextValue(convert.where),
         "the samples that meet a condition: 'label < 10 and key ~ \"raw/*\"'. "
         "Names: id, label, labels (how many), bytes, width, height, key, "
         "split, class; = != < <= > >=, ~ and !~ (patterns with * and ?), in "
         "(A, B), and, or, not, parentheses");
  sample("label-map", "FILE", PathValue(convert.label_map),
         "other labels: \"OLD NEW\" or \"OLD NEW NAME\" lines, OLD a label, a "
         "class or * (all others), NEW - leaves them out");
  to.push_back(DropKeysOption(convert.drop_keys));
  sample("limit", "N", NumberValue(convert.limit, {.low = 1}),
         "the first so many samples of each split");
  sample("prefix", "TEXT", TextValue(convert.key_prefix),
         "what stands in front of each key; {shard} in it is the name of its "
         "shard in IN, {id} its id: '{shard}/'");
  sample("fields", "none|NAME[,...]", FieldsValue(convert.fields),
         "the fields that are kept beside the image (default: all); how many "
         "are left out is said");
}

// The options of images that a conversion encodes.
void AddEncodings(ConvertOptions& convert, OptionList& to) {
  const OptionRule no_pixels = NotBeside("pixels", convert.pixels.has_value());
  AddRecode(convert.recode, convert.encode.has_value(), {no_pixels}, to);
  to.push_back({.group = kImageGroup,
                .name = "encode",
                .value = WordValue(convert.encode),
                .help = "encode images that are arrays of pixels: bytes, bools "
                        "and 16 bits (default: they stay arrays)",
                .rules = {no_pixels}});
  to.push_back({.group = kImageGroup,
                .name = "image-layout",
                .value = WordValue(convert.image_layout),
                .help =
                    "axes of such arrays: hwc, height x width x channels; "
                    "chw, channels first; bgr and bgr-planes, the same "
                    "with blue first, as OpenCV and Caffe have them (default: "
                    "hwc, where the first axis cannot be the channels)",
                .rules = {Needs(convert.encode.has_value(), "encode")}});
  const bool has_jpegs = convert.recode.recode == Encoding::kJpeg ||
                         convert.encode == Encoding::kJpeg;
  to.push_back({.group = kImageGroup,
                .name = "quality",
                .meta = "N",
                .value = NumberValue(convert.quality, {1, 100}),
                .help = "of JPEGs that are made, on libjpeg's scale",
                .is_always_recorded = true,
                .rules = {Needs(has_jpegs, "recode", "jpeg")}});
}

}  // namespace

OptionList DescribeOptions(SourceOptions& source) {
  OptionList to;
  AddSource(source, {}, to);
  to.push_back({.group = kSourceGroup,
                .name = "seed",
                .meta = "N",
                .value = NumberValue(source.seed),
                .help = "of `split` and `hold-out` (default: 0)",
                .decides_bytes = false});
  return to;
}

OptionList DescribeOptions(PackOptions& pack) {
  OptionList to;
  AddSource(pack.source, {}, to);
  to.push_back(FormatOption(pack.format, kShardGroup,
                            "format and layout of the shards, like tfrecord or "
                            "lmdb/datum"));
  AddShardSizes(pack.shards, pack.shard_bytes, kShardGroup,
                {"shards of each split",
                 "image bytes of a shard, like 64M or 1G: powers of 1024"},
                {}, to);
  to.push_back({.group = kShardGroup,
                .name = "seed",
                .meta = "N",
                .value = SeedValue(pack.seed, pack.source),
                .help = "of the shuffle, `split` and `hold-out` (default: 0)",
                .is_always_recorded = true});
  to.push_back({.group = kShardGroup,
                .name = "no-shuffle",
                .value = FlagValue(pack.shuffle, false),
                .help = "keep the order of the ids"});
  to.push_back(NoSuffix(pack.no_suffix));
  to.push_back(LossyLabels(pack.lossy_labels, kShardGroup));
  to.push_back(OnBadOption(pack.on_bad,
                           "what to do with a bad image; quarantine copies it "
                           "to OUT/quarantine"));
  to.push_back({.group = kImageGroup,
                .name = "check",
                .value = WordValue(pack.check),
                .help = "how to find bad images; decode takes warnings for "
                        "damage, too, and is what is done where sizes are made",
                .decides_bytes = false});
  to.push_back({.group = kImageGroup,
                .name = "kinds",
                .meta = "LIST",
                .value = ParsedValue(OptionKind::kNames, pack.kinds,
                                     &ParseImageKinds, &NamesText),
                .help = "kinds of images that are good, by content (default: "
                        "jpeg,png,webp,gif,bmp,tiff, and those that a complete "
                        "dataset in OUT was made with)",
                .decides_bytes = false});
  AddRecode(pack.recode, /*encodes=*/false,
            {Needs(pack.variants.original, "variants", "original")}, to);
  to.push_back(EntryPointOption(pack.entry_points, kImageGroup));
  to.push_back({.group = "Variants",
                .name = "variants",
                .meta = "LIST",
                .value = VariantsValue(pack.variants),
                .help =
                    "what to make, like original,sz/160,sz/320; the options "
                    "below are about the sizes"});
  const bool makes_sizes = !pack.variants.short_sides.empty();
  AddImages(pack.variants.image, "Variants", {Needs(makes_sizes, "variants")},
            to);
  if (pack.recode.recode == Encoding::kJpeg) {
    std::ranges::find(to, "quality", &Option::name)->rules.clear();
  }
  to.push_back(JobsOption(pack.threads));
  AddSpaceCheck(pack.check_space, to);
  AddReplace(pack.replace, {}, to);
  return to;
}

OptionList DescribeOptions(ResizeRequest& request) {
  ResizeShardsOptions& resize = request.resize;
  const OptionRules shards = {
      Needs(request.to == ResizeTarget::kShards, "to", "shards")};
  OptionList to;
  AddSource(resize.source, shards, to);
  to.push_back({.group = kImageGroup,
                .name = "short-side",
                .meta = "160,320",
                .value = ShortSidesValue(resize.short_sides),
                .help = "sizes to make: pixels of the shorter side",
                .is_needed = !request.preset});
  to.push_back(
      {.group = kImageGroup,
       .name = "preset",
       .value = WordValue(request.preset),
       .help = "the images and folders of imagenet18's imagenet-sz: "
               "Pillow's bilinear, RGB, quality 75, in OUT/160 and "
               "OUT/320 instead of OUT/sz/SIZE; `short-side` is then 160,320 "
               "by default",
       .rules = {Needs(request.to == ResizeTarget::kTree, "to", "tree")}});
  AddImages(resize.image, kImageGroup,
            {NotBeside("preset", request.preset.has_value())}, to);
  to.push_back(OnBadOption(resize.on_bad,
                           "what to do with a bad image; quarantine copies it "
                           "to OUT/quarantine, keep makes what can be made of "
                           "it"));
  constexpr char kOutput[] = "Output";
  to.push_back({.group = kOutput,
                .name = "to",
                .value = WordValue(request.to),
                .help = "files or datasets"});
  const auto add = [&](Option option) {
    option.rules.insert(option.rules.end(), shards.begin(), shards.end());
    to.push_back(std::move(option));
  };
  add(FormatOption(
      resize.format, kOutput,
      "format and layout of the shards (default: recordio, or that of "
      "the dataset)"));
  AddShardSizes(resize.shards, resize.shard_bytes, kOutput,
                {"shards of each split",
                 "source bytes of a shard, like 64M or 1G: powers of 1024 "
                 "(default: 256M)"},
                shards, to);
  add({.group = kOutput,
       .name = "seed",
       .meta = "N",
       .value = SeedValue(resize.seed, resize.source),
       .help = "of the shuffle, `split` and `hold-out` (default: 0)"});
  add({.group = kOutput,
       .name = "no-shuffle",
       .value = FlagValue(resize.shuffle, false),
       .help = "keep the order of the ids"});
  add(LossyLabels(resize.lossy_labels, kOutput));
  add(EntryPointOption(resize.entry_points, kOutput));
  to.push_back(JobsOption(resize.threads));
  AddReplace(resize.replace, shards, to);
  AddDryRun(resize.dry_run, resize.replace, shards, to);
  return to;
}

OptionList DescribeOptions(ConvertOptions& convert) {
  OptionList to;
  AddSamples(convert, to);
  to.push_back(FormatOption(convert.format, kShardGroup,
                            "format and layout of OUT (default: those of IN)"));
  AddShardSizes(convert.shards, convert.shard_bytes, kShardGroup,
                {"shards of each split (default: the shards of IN)",
                 "payload bytes of a shard, like 64M or 1G: powers of 1024"},
                {}, to);
  to.push_back(
      {.group = kShardGroup,
       .name = "reshuffle",
       .meta = "N",
       .value = NumberValue(convert.reshuffle),
       .help = "a new order, by this seed (default: the order of IN)"});
  to.push_back(NoSuffix(convert.no_suffix));
  to.push_back({.group = kShardGroup,
                .name = "strict",
                .value = FlagValue(convert.strict),
                .help = "refuse what records of the format cannot hold (ids, "
                        "keys, exact labels), instead of leaving it to the "
                        "sidecar index",
                .decides_bytes = false});
  to.push_back(LossyLabels(convert.lossy_labels, kShardGroup));
  to.push_back({.group = kImageGroup,
                .name = "pixels",
                .value = WordValue(convert.pixels),
                .help = "decode the images, all of one size, to arrays of "
                        "channels x height x width (default: rgb for "
                        "hdf5/array and hdf5/caffe, else as they are)"});
  AddEncodings(convert, to);
  to.push_back(OnBadOption(convert.on_bad, kBadRecordHelp));
  to.push_back(PassCheckOption(convert.check));
  to.push_back(EntryPointOption(convert.entry_points, kImageGroup));
  to.push_back({.group = "Shard files",
                .name = "class-names",
                .meta = "FILE",
                .value = PathValue(convert.class_names),
                .help =
                    "of shard files: names of the classes by label, as index "
                    "takes them"});
  AddRoleOptions(convert.roles, "Shard files", /*has_fields=*/false, to);
  to.push_back(JobsOption(convert.threads));
  AddSpaceCheck(convert.check_space, to);
  AddReplace(convert.replace, {}, to);
  AddDryRun(convert.dry_run, convert.replace, {}, to);
  return to;
}

OptionList DescribeOptions(MergeOptions& merge) {
  OptionList to;
  to.push_back({.group = kSampleGroup,
                .name = "prefix",
                .meta = "TEXT",
                .value = TextValue(merge.key_prefix),
                .help = "what stands in front of each key; {name} in it is the "
                        "name of its IN, {n} the number, from 0 on, {shard} "
                        "the name of its shard there, {id} its id there: "
                        "'{name}/'"});
  to.push_back({.group = kSampleGroup,
                .name = "split",
                .meta = "train=0.9,val=0.1",
                .value = SharesValue(merge.split_shares),
                .help = "cut the samples, of one split, at random into splits "
                        "of these shares"});
  AddSplitRule(merge.split_rule, merge.split_shares, kSampleGroup, {}, to);
  const bool is_cut = !merge.split_shares.empty();
  to.push_back({.group = kSampleGroup,
                .name = "seed",
                .meta = "N",
                .value = NumberValue(merge.seed),
                .help = "of the shares (default: 0)",
                .decides_bytes = is_cut,
                .is_always_recorded = is_cut,
                .rules = {Needs(is_cut, "split")}});
  to.push_back(DropKeysOption(merge.drop_keys));
  to.push_back(FormatOption(
      merge.format, kShardGroup,
      "format and layout of OUT (default: those of the first IN)"));
  to.push_back(LossyLabels(merge.lossy_labels, kShardGroup));
  to.push_back(OnBadOption(merge.on_bad, kBadRecordHelp));
  to.push_back(PassCheckOption(merge.check));
  to.push_back(EntryPointOption(merge.entry_points, kShardGroup));
  to.push_back(JobsOption(merge.threads));
  AddSpaceCheck(merge.check_space, to);
  AddReplace(merge.replace, {}, to);
  AddDryRun(merge.dry_run, merge.replace, {}, to);
  return to;
}

OptionList DescribeOptions(RelabelOptions& relabel) {
  OptionList to;
  to.push_back({.group = kSampleGroup,
                .name = "by",
                .value = WordValue(relabel.by),
                .help = "what of a row says whose labels they are: key, or the "
                        "id of a sample that has none; id, whatever the key; "
                        "or position: the id as a number from 0",
                .is_always_recorded = true});
  to.push_back(LossyLabels(relabel.lossy_labels, kSampleGroup));
  to.push_back(OnBadOption(relabel.on_bad, kBadRecordHelp));
  to.push_back(PassCheckOption(relabel.check));
  to.push_back(EntryPointOption(relabel.entry_points, kSampleGroup));
  to.push_back(JobsOption(relabel.threads));
  AddSpaceCheck(relabel.check_space, to);
  return to;
}

OptionList DescribeOptions(IndexOptions& index) {
  OptionList to;
  to.push_back({.group = kSampleGroup,
                .name = "split",
                .meta = "NAME",
                .value = TextValue(index.split),
                .help = "the split that they are (default: what a file names, "
                        "else train); of a file with several splits the one "
                        "to take"});
  to.push_back({.group = kSampleGroup,
                .name = "class-names",
                .meta = "FILE",
                .value = PathValue(index.class_names),
                .help = "names of the classes by label: \"name label\" or "
                        "\"name\" lines, or JSON {\"0\": \"name\"} (default: "
                        "as the records name them)"});
  to.push_back({.group = kSampleGroup,
                .name = "list",
                .meta = "FILE",
                .value = PathValue(index.list),
                .help = "list with labels and names of records, as pack takes "
                        "it (default: the .lst next to each FILE, if any)"});
  to.push_back({.group = kSampleGroup,
                .name = "list-by",
                .value = WordValue(index.list_by),
                .help = "what of a row of the list says which record it is of: "
                        "key, or the id of a record that has none, or "
                        "position: the id as its number from 0"});
  to.push_back(
      FormatOption(index.format, kSampleGroup,
                   "format and layout, where the files' contents do not "
                   "tell: tfrecord/imagenet:label_offset=1"));
  AddRoleOptions(index.roles, kSampleGroup, /*has_fields=*/true, to);
  to.push_back(JobsOption(index.threads));
  return to;
}

OptionList DescribeOptions(ScanOptions& scan) {
  const OptionValue check = ChoiceValue<ImageCheckLevel>(
      {{WordOf(ImageCheckLevel::kHeader), ImageCheckLevel::kHeader},
       {WordOf(ImageCheckLevel::kDecode), ImageCheckLevel::kDecode}},
      scan.check);
  return {{.group = "Checks",
           .name = "check",
           .value = check,
           .help = "header: kind, header and end marker; decode: every row, "
                   "too"},
          JobsOption(scan.threads)};
}

OptionList DescribeOptions(ReindexOptions& reindex) {
  OptionList to;
  to.push_back(EntryPointOption(reindex.entry_points, "Beside the shards"));
  to.push_back(JobsOption(reindex.threads));
  return to;
}

}  // namespace shardine
