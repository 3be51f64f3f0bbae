#include "cli/convert_option_group.h"

#include "cli/entry_point_option.h"
#include "cli/lossy_label_option.h"
#include "cli/name_list.h"
#include "cli/number.h"
#include "cli/shard_arguments.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

constexpr char kWhereHelp[] =
    "the samples that meet a condition: 'label < 10 and key ~ \"raw/*\"'. "
    "Names: id, label, labels (how many), bytes, width, height, key, split, "
    "class; = != < <= > >=, ~ and !~ (patterns with * and ?), in (A, B), and, "
    "or, not, parentheses";

Status TakeNames(const std::string& text, std::vector<std::string>& names) {
  auto parsed = ParseNameList(text);
  if (!parsed.ok()) return std::move(parsed).status();
  names = *std::move(parsed);
  return Status();
}

}  // namespace

void ConvertOptionGroup::Declare(Options& options) {
  DeclareSamples(options);
  options.BeginGroup("Shards");
  options.Text("format", "NAME", convert_.format,
               "format and layout of OUT (default: those of IN)");
  options.Number("shards", convert_.shards, {1},
                 "shards of each split (default: the shards of IN)");
  options.ShardSize(convert_.shard_bytes,
                    "payload bytes of a shard, like 64M or 1G: powers of 1024");
  options.Number("reshuffle", seed_, {},
                 "a new order, by this seed (default: the order of IN)");
  options.Flag("no-suffix", convert_.no_suffix,
               "shards are train-00000-of-00008, without .rec and the like");
  options.Flag("strict", convert_.strict,
               "refuse what records of the format cannot hold (ids, keys, "
               "exact labels), instead of leaving it to the sidecar index");
  DeclareLossyLabels(options, convert_.lossy_labels);
  DeclareImages(options);
}

Status ConvertOptionGroup::Take(const std::vector<std::string>& operands,
                                const Options& options) {
  // Of the two one would be passed over in silence.
  if (options.given("shards") && options.given("shard-size")) {
    return Status(Code::kInvalidArgument,
                  "--shards and --shard-size exclude each other");
  }
  const Status inputs = TakeInputs({operands.begin(), operands.end() - 1});
  if (!inputs.ok()) return inputs;
  convert_.output = operands.back();
  // 0 is a seed like any other, so that only the option itself tells whether
  // an order was asked for.
  if (options.given("reshuffle")) convert_.reshuffle = seed_;
  if (options.given("pixels")) convert_.pixels = pixels_;
  return Status();
}

std::string ConvertOptionGroup::AdviceOn(const Status& status) {
  // The library's code is the same for all refusals; which way out there is
  // shows in its sentence alone.
  const std::string& message = status.message();
  if (message.ends_with("; the sample has no label besides")) {
    return "if that field is the label, shardine index --list FILE gives "
           "labels; --fields none leaves all fields out";
  }
  if (message.find("\" beside the image; ") != message.npos) {
    return "--fields none leaves all such fields out, --fields NAME those "
           "others than NAME";
  }
  if (message.find(", and a shard is of one: ") != message.npos) {
    return "--split NAME reads one";
  }
  if (message.starts_with("strict: ")) {
    return "without --strict the sidecar index keeps what is lost";
  }
  if (message.ends_with("convert them in that order first")) {
    return "that is shardine convert without --reshuffle";
  }
  if (!message.ends_with("arrays are of one size")) return {};
  return "shardine resize IN SIZES --short-side S --center-crop --to shards "
         "makes images of one size";
}

// Names have no "=" in them.
Status ConvertOptionGroup::TakeSplits(const std::string& text) {
  if (text.find('=') == text.npos) return TakeNames(text, convert_.splits);
  auto shares = ParseSplitShares(text);
  if (!shares.ok()) return std::move(shares).status();
  convert_.split_shares = *std::move(shares);
  return Status();
}

// One dataset, or shard files.
Status ConvertOptionGroup::TakeInputs(const std::vector<std::string>& inputs) {
  auto files = ParseShardArguments(inputs);
  if (!files.ok()) return std::move(files).status();
  first_ = "reading " + FormatCount(files->files.size(), "file") + " ...";
  if (files->files.size() == 1 && files->splits.empty()) {
    convert_.input = files->files[0];
    first_ = "reading the index of " + EscapeBytes(convert_.input) + " ...";
    return Status();
  }
  convert_.files = std::move(files->files);
  convert_.file_splits = std::move(files->splits);
  return Status();
}

void ConvertOptionGroup::DeclareSamples(Options& options) {
  options.BeginGroup("Samples");
  options.Parsed(
      "split", "NAME[,...]",
      [this](const std::string& text) { return TakeSplits(text); },
      "the samples of these splits (default: of all); of files that name "
      "several splits the one to read; train=0.9,val=0.1: cut the samples of "
      "one split at random into splits of these shares");
  options.Number("hold-out", convert_.hold_out, {},
                 "put N samples of each class of train into split val");
  options.Number("seed", convert_.seed, {},
                 "of the shares and --hold-out (default: 0)");
  options.Text("where", "EXPR", convert_.where, kWhereHelp);
  options.Text("label-map", "FILE", convert_.label_map,
               "other labels: \"OLD NEW\" or \"OLD NEW NAME\" lines, OLD a "
               "label, a class or * (all others), NEW - leaves them out");
  options.Number("limit", convert_.limit, {1},
                 "the first so many samples of each split");
  options.Text("prefix", "TEXT", convert_.key_prefix,
               "what stands in front of each key; {shard} in it is the name of "
               "its shard in IN, {id} its id: '{shard}/'");
  options.Parsed(
      "fields", "none|NAME[,...]",
      [this](const std::string& text) {
        convert_.fields.emplace();
        return text == "none" ? Status() : TakeNames(text, *convert_.fields);
      },
      "the fields that are kept beside the image (default: all); how many "
      "are left out is said");
}

void ConvertOptionGroup::DeclareImages(Options& options) {
  options.BeginGroup("Images");
  options.Choice(
      "pixels", pixels_,
      "decode the images, all of one size, to arrays of channels x height x "
      "width (default: rgb for hdf5/array and hdf5/caffe, else as they are)");
  options.Choice("on-bad", convert_.on_bad,
                 "what to do with an image that does not decode well "
                 "(default: fail)");
  DeclareEntryPoints(options, convert_.entry_points);
}

void ConvertOptionGroup::DeclareShardFiles(Options& options) {
  options.Text("class-names", "FILE", convert_.class_names,
               "of shard files: names of the classes by label, as for "
               "shardine index");
}

}  // namespace shardine
