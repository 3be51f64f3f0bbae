#include <string>
#include <vector>

#include "cli/convert_option_group.h"
#include "cli/dataset_job.h"
#include "shardine/convert.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kConvertText[] =
    "Makes the dataset OUT of the dataset IN, in another format or other\n"
    "shards. Payload bytes, ids, labels, keys, fields and order are kept, and\n"
    "the new shards are read back and compared by content digest to prove it.\n"
    "In place of IN may stand shard files of other programs, FILE... or\n"
    "train=FILE val=FILE as for shardine index: they are scanned first, about\n"
    "100 bytes a sample in memory, and nothing is written beside them. The\n"
    "same command goes on where an interrupted one ended.\n";

constexpr char kSplitText[] =
    "Makes the dataset OUT of the dataset IN, or of shard files, with its\n"
    "samples cut into splits at random: --split train=0.9,val=0.1 by shares, "
    "or\n"
    "--hold-out N so many of each class. It is shardine convert, and takes "
    "its\n"
    "options.\n";

constexpr char kShuffleText[] =
    "Makes the dataset OUT of the samples of IN, or of shard files, in a new\n"
    "random order. It is shardine convert --reshuffle 0, and takes its "
    "options;\n"
    "--reshuffle SEED gives another order.\n";

class ConvertVerb : public Verb {
 public:
  Usage usage() const override {
    return {"[NAME=]IN... OUT", 2, 100'000, kConvertText};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  bool IsList(const std::string& path) const override {
    return group_.IsList(path);
  }

  void Declare(Options& options) override {
    group_.Declare(options);
    options.BeginGroup("Shard files");
    group_.DeclareShardFiles(options);
    job_.Declare(options);
    job_.DeclareSpaceCheck(options);
    job_.DeclareReplace(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    const Status taken = group_.Take(operands, options);
    if (!taken.ok()) return taken;
    ConvertOptions& convert = group_.convert();
    const Status completed = Complete(convert);
    if (!completed.ok()) return completed;
    convert.threads = job_.threads();
    convert.check_space = job_.check_space();
    convert.replace = job_.replace();
    convert.dry_run = job_.dry_run();
    return job_.Run(
        {group_.first(), "converting", "converted"},
        [&](const Job& job) { return Convert(convert, job); }, output);
  }

  std::string AdviceOn(const Status& status) const override {
    const std::string advice = DatasetJob::ReplaceAdvice(status);
    return advice.empty() ? ConvertOptionGroup::AdviceOn(status) : advice;
  }

 protected:
  // What the verb's name says of the options.
  virtual Status Complete(ConvertOptions& /*convert*/) const { return {}; }

 private:
  ConvertOptionGroup group_;
  DatasetJob job_;
};

class SplitVerb : public ConvertVerb {
 public:
  Usage usage() const override {
    return {"[NAME=]IN... OUT", 2, 100'000, kSplitText};
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
    return {"[NAME=]IN... OUT", 2, 100'000, kShuffleText};
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
