#include <algorithm>
#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/number_text.h"
#include "cli/shard_arguments.h"
#include "shardine/describe.h"
#include "shardine/index.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kIndexExamples[] =
    "shardine index 'shards/train-*.tar' indexed\n"
    "shardine index train='shards/train-*.tar' val=shards/val.tar both\n";

constexpr char kIndexText[] =
    "Makes a dataset of the shard files FILE, which stay where they are and\n"
    "are not written to: the folder OUT gets the manifest and the sidecars.\n"
    "train=FILE val=FILE OUT makes one of several splits; a name may come "
    "more\n"
    "than once, and its FILE be a pattern: val='shards/val-*.tar'.\n";

class IndexVerb : public Verb {
 public:
  Usage usage() const override {
    return {"[NAME=]FILE... OUT", 2, 100'000, kIndexText, kIndexExamples};
  }

  OptionList described() override { return DescribeOptions(index_); }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    auto files = ParseShardArguments({operands.begin(), operands.end() - 1});
    if (!files.ok()) return files.status();
    index_.files = std::move(files->files);
    index_.splits = std::move(files->splits);
    index_.output = operands.back();
    return job_.Run(
        {"scanning " + FormatCount(index_.files.size(), "file") + " ...",
         "indexing",
         "indexed",
         {},
         true},
        [&](const Job& job) { return IndexShards(index_, job); }, output);
  }

  // A list beside a FILE is one, too.
  bool IsList(const std::string& path) const override {
    return path.ends_with(".lst");
  }

  std::string AdviceOn(const Status& status) const override {
    const bool of_file = std::ranges::find(index_.files, status.where().path) !=
                         index_.files.end();
    if (status.message().find("split") == std::string::npos || !of_file ||
        !index_.split.empty() || !index_.splits.empty()) {
      return {};
    }
    return "--split NAME says which split a file is, or is to be read for";
  }

 private:
  IndexOptions index_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeIndexVerb() { return std::make_unique<IndexVerb>(); }

}  // namespace shardine
