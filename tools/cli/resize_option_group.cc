#include "cli/resize_option_group.h"

#include <utility>

#include "cli/entry_point_option.h"
#include "cli/lossy_label_option.h"
#include "cli/source_options.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"
#include "shardine/variant_text.h"

namespace shardine {

void ResizeOptionGroup::DeclareSource(Options& options) {
  DeclareSourceOptions(options, resize_.source);
}

void ResizeOptionGroup::DeclareSizes(Options& options,
                                     const std::string& needed) {
  options.Parsed(
      "short-side", "160,320",
      [this](const std::string& text) {
        auto sides = ParseShortSides(text);
        if (!sides.ok()) return sides.status();
        resize_.short_sides = *std::move(sides);
        return Status();
      },
      "sizes to make: pixels of the shorter side; needed" + needed);
}

void ResizeOptionGroup::DeclareImages(Options& options) {
  image_.Declare(options);
  options.Choice("on-bad", resize_.on_bad,
                 "what to do with a bad image (default: fail); quarantine "
                 "copies it to OUT/quarantine, keep makes what can be made "
                 "of it");
}

void ResizeOptionGroup::DeclareShards(Options& options) {
  options.Text("format", "NAME", resize_.format,
               "format and layout of the shards (default: recordio, or that "
               "of the dataset)");
  options.Number("shards", resize_.shards, {1}, "shards of each split");
  options.ShardSize(resize_.shard_bytes,
                    "source bytes of a shard, like 64M or 1G: powers of 1024 "
                    "(default: 256M)");
  options.Number("seed", resize_.seed, {},
                 "of the shuffle, --split and --hold-out (default: 0)");
  options.Flag("no-shuffle", no_shuffle_, "keep the order of the ids");
  DeclareLossyLabels(options, resize_.lossy_labels);
  DeclareEntryPoints(options, resize_.entry_points);
}

Status ResizeOptionGroup::Take(const std::vector<std::string>& operands,
                               const Options& options) {
  if (options.given("shards") && options.given("shard-size")) {
    return Status(Code::kInvalidArgument,
                  "--shards and --shard-size exclude each other");
  }
  auto folders = ParseSourceArguments({operands.begin(), operands.end() - 1});
  if (!folders.ok()) return std::move(folders).status();
  auto image = image_.Make(options);
  if (!image.ok()) return std::move(image).status();
  resize_.image = *image;
  resize_.source.folders = *std::move(folders);
  // A source that was written as NAME=DIR is not its own path.
  named_ = resize_.source.folders[0].path != operands[0];
  // One option for both: shuffle and split are reproduced by one number.
  resize_.source.seed = resize_.seed;
  resize_.shuffle = !no_shuffle_;
  resize_.output = operands.back();
  return Status();
}

std::string ResizeScanText(const std::vector<std::string>& operands) {
  std::string text = "scanning";
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    text += " " + EscapeBytes(operands[i]);
  }
  return text + " ...";
}

}  // namespace shardine
