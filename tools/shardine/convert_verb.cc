#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/entry_point_option.h"
#include "shardine/convert.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Makes the dataset OUT of the dataset IN, in another format or other\n"
    "shards. Payload bytes, ids, labels, keys, fields and order are kept, and\n"
    "the new shards are read back and compared by content digest to prove it.\n"
    "Files of other programs are made a dataset by shardine index first. The\n"
    "same command goes on where an interrupted one ended.\n";

class ConvertVerb : public Verb {
 public:
  Usage usage() const override { return {"IN OUT", 2, 2, kText}; }

  void Declare(Options& options) override {
    options.BeginGroup("Shards");
    options.Text("format", "NAME", convert_.format,
                 "format and layout of OUT (default: those of IN)");
    options.Number("shards", convert_.shards, {1},
                   "shards of each split (default: the shards of IN)");
    options.ByteSize(
        "shard-size", convert_.shard_bytes,
        "payload bytes of a shard, like 64M or 1G: powers of 1024");
    options.Number("reshuffle", seed_, {},
                   "a new order, by this seed (default: the order of IN)");
    options.Flag("no-suffix", convert_.no_suffix,
                 "shards are train-00000-of-00008, without .rec and the like");
    options.Flag("strict", convert_.strict,
                 "refuse what records of the format cannot hold (ids, keys, "
                 "exact labels), instead of leaving it to the sidecar index");
    DeclareImages(options);
    job_.Declare(options);
    job_.DeclareSpaceCheck(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    // Of the two one would be passed over in silence.
    if (options.given("shards") && options.given("shard-size")) {
      return Status(Code::kInvalidArgument,
                    "--shards and --shard-size exclude each other");
    }
    convert_.input = operands[0];
    convert_.output = operands[1];
    // 0 is a seed like any other, so that only the option itself tells whether
    // an order was asked for.
    if (options.given("reshuffle")) convert_.reshuffle = seed_;
    if (options.given("pixels")) convert_.pixels = pixels_;
    convert_.threads = job_.threads();
    convert_.check_space = job_.check_space();
    return job_.Run(
        {"reading the index of " + EscapeBytes(convert_.input) + " ...",
         "converting", "converted"},
        [&](const Job& job) { return Convert(convert_, job); }, output);
  }

  std::string AdviceOn(const Status& status) const override {
    // The library's code is the same for all refusals; which way out there is
    // shows in its sentence alone.
    const std::string& message = status.message();
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

 private:
  void DeclareImages(Options& options) {
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

  ConvertOptions convert_;
  PixelOrder pixels_ = PixelOrder::kRgb;
  std::uint64_t seed_ = 0;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeConvertVerb() {
  return std::make_unique<ConvertVerb>();
}

}  // namespace shardine
