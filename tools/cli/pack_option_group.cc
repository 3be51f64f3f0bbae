#include "cli/pack_option_group.h"

#include <utility>

#include "cli/entry_point_option.h"
#include "cli/lossy_label_option.h"
#include "cli/source_options.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"
#include "shardine/variant_text.h"

namespace shardine {

void PackOptionGroup::Declare(Options& options) {
  DeclareSourceOptions(options, pack_.source);
  options.BeginGroup("Shards");
  options.Text("format", "NAME", pack_.format,
               "format and layout of the shards, like tfrecord or lmdb/datum "
               "(default: "
               "recordio)");
  options.Number("shards", pack_.shards, {1}, "shards of each split");
  options.ShardSize(pack_.shard_bytes,
                    "image bytes of a shard, like 64M or 1G: powers of 1024 "
                    "(default: 256M)");
  options.Number("seed", pack_.seed, {},
                 "of the shuffle, --split and --hold-out (default: 0)");
  options.Flag("no-shuffle", no_shuffle_, "keep the order of the ids");
  options.Flag("no-suffix", pack_.no_suffix,
               "shards are train-00000-of-00008, without .rec and the like");
  DeclareLossyLabels(options, pack_.lossy_labels);
  DeclareImages(options);
  DeclareVariants(options);
}

void PackOptionGroup::DeclareImages(Options& options) {
  options.BeginGroup("Images");
  options.Choice("on-bad", pack_.on_bad,
                 "what to do with a bad image (default: fail); quarantine "
                 "copies it to OUT/quarantine");
  options.Choice("check", pack_.check,
                 "how to find bad images (default: header); decode takes "
                 "warnings for damage, too, and is what is done where sizes "
                 "are made");
  DeclareEntryPoints(options, pack_.entry_points);
}

void PackOptionGroup::DeclareVariants(Options& options) {
  options.BeginGroup("Variants");
  options.Parsed(
      "variants", "LIST",
      [this](const std::string& text) {
        return ParseVariants(text, pack_.variants);
      },
      "what to make, like original,sz/160,sz/320 (default: original); the "
      "options below are about the sizes");
  image_.Declare(options);
}

Status PackOptionGroup::TakeVariants(const Options& options) {
  const std::string given = image_.FirstGiven(options);
  // An option of sizes without sizes would do nothing, and the user would look
  // for its effect in the originals.
  if (!given.empty() && pack_.variants.short_sides.empty()) {
    return Status(Code::kInvalidArgument,
                  given + " is about sizes, and --variants asks for none");
  }
  auto image = image_.Make(options);
  if (!image.ok()) return std::move(image).status();
  pack_.variants.image = *image;
  return Status();
}

Status PackOptionGroup::Take(const std::vector<std::string>& operands,
                             const Options& options) {
  if (options.given("shards") && options.given("shard-size")) {
    return Status(Code::kInvalidArgument,
                  "--shards and --shard-size exclude each other");
  }
  auto folders = ParseSourceArguments({operands.begin(), operands.end() - 1});
  if (!folders.ok()) return std::move(folders).status();
  pack_.source.folders = *std::move(folders);
  const Status sizes = TakeVariants(options);
  if (!sizes.ok()) return sizes;
  // One option for both: shuffle and split are reproduced by one number.
  pack_.source.seed = pack_.seed;
  pack_.output = operands.back();
  pack_.shuffle = !no_shuffle_;
  return Status();
}

std::string ScanningText(const std::vector<std::string>& operands) {
  std::string text;
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    text += (i > 0 ? ", " : "") + EscapeBytes(operands[i]);
  }
  return "scanning " + text + " ...";
}

}  // namespace shardine
