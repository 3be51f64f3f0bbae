#include <string>
#include <vector>

#include "cli/convert_operands.h"
#include "cli/dataset_job.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kConvertExamples[] =
    "shardine convert out tars --format webdataset\n"
    "shardine convert out small --where 'class = \"hounds\"' --shards 1\n";

constexpr char kConvertText[] =
    "Makes the dataset OUT of the dataset IN, in another format or other\n"
    "shards. Payload bytes, ids, labels, keys, fields and order are kept, and\n"
    "the new shards are read back and compared by content digest to prove it.\n"
    "In place of IN may stand shard files of other programs, FILE... or\n"
    "train=FILE val=FILE as for shardine index: they are scanned first, about\n"
    "100 bytes a sample in memory, and nothing is written beside them. The\n"
    "same command goes on where an interrupted one ended.\n";

constexpr char kSplitExamples[] =
    "shardine split out cut --split train=0.5,val=0.5\n"
    "shardine split out even --split train=0.5,val=0.5 --stratify\n";

constexpr char kSplitText[] =
    "Makes the dataset OUT of the dataset IN, or of shard files, with its\n"
    "samples cut into splits at random: --split train=0.9,val=0.1 by shares, "
    "or\n"
    "--hold-out N so many of each class. It is shardine convert, and takes "
    "its\n"
    "options.\n";

constexpr char kShuffleExamples[] =
    "shardine shuffle out mixed\n"
    "shardine shuffle out mixed-again --reshuffle 7\n";

constexpr char kShuffleText[] =
    "Makes the dataset OUT of the samples of IN, or of shard files, in a new\n"
    "random order. It is shardine convert --reshuffle 0, and takes its "
    "options;\n"
    "--reshuffle SEED gives another order.\n";

class ConvertVerb : public Verb {
 public:
  Usage usage() const override {
    return {"[NAME=]IN... OUT", 2, 100'000, kConvertText, kConvertExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override { return DescribeOptions(convert_); }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const Status taken = TakeInputsAndOutput(operands, convert_);
    if (!taken.ok()) return taken;
    const Status completed = Complete(convert_);
    if (!completed.ok()) return completed;
    return job_.Run(
        {ReadingText(convert_), "converting", "converted"},
        [&](const Job& job) { return Convert(convert_, job); }, output,
        convert_.dry_run);
  }

  std::string AdviceOn(const Status& status) const override {
    std::string advice = DatasetJob::ReplaceAdvice(status);
    if (advice.empty()) {
      advice = DatasetJob::DamageAdvice(status, convert_.on_bad);
    }
    return advice.empty() ? ConvertAdvice(status) : advice;
  }

 protected:
  // Completes the options that the verb's name implies.
  virtual Status Complete(ConvertOptions& /*convert*/) const { return {}; }

 private:
  ConvertOptions convert_;
  DatasetJob job_;
};

class SplitVerb : public ConvertVerb {
 public:
  Usage usage() const override {
    return {"[NAME=]IN... OUT", 2, 100'000, kSplitText, kSplitExamples};
  }

 protected:
  Status Complete(ConvertOptions& convert) const override {
    if (!convert.split_shares.empty() || convert.hold_out > 0) return {};
    return Status(Code::kInvalidArgument,
                  "into which splits? --split train=0.9,val=0.1 says shares, "
                  "--hold-out N samples of each class");
  }
};

class ShuffleVerb : public ConvertVerb {
 public:
  Usage usage() const override {
    return {"[NAME=]IN... OUT", 2, 100'000, kShuffleText, kShuffleExamples};
  }

 protected:
  Status Complete(ConvertOptions& convert) const override {
    if (!convert.reshuffle) convert.reshuffle = 0;
    return {};
  }
};

}  // namespace

std::unique_ptr<Verb> MakeConvertVerb() {
  return std::make_unique<ConvertVerb>();
}

std::unique_ptr<Verb> MakeSplitVerb() { return std::make_unique<SplitVerb>(); }

std::unique_ptr<Verb> MakeShuffleVerb() {
  return std::make_unique<ShuffleVerb>();
}

}  // namespace shardine
