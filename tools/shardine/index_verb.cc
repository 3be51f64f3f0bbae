#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/number.h"
#include "shardine/index.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Makes a dataset of the shard files FILE, which stay where they are and\n"
    "are not written to: the folder OUT gets the manifest and the sidecars.\n";

class IndexVerb : public Verb {
 public:
  Usage usage() const override { return {"FILE... OUT", 2, 100'000, kText}; }

  void Declare(Options& options) override {
    options.BeginGroup("Samples");
    options.Text("split", "NAME", index_.split,
                 "the split that they are (default: train)");
    options.Text(
        "list", "FILE", index_.list,
        ".lst with labels and names of records, found by key or, where "
        "they have none, by id (default: the one next to each FILE, if "
        "any)");
    options.Text("format", "NAME", index_.format,
                 "format and layout, where the files' contents do not tell: "
                 "tfrecord/imagenet:label_offset=1");
    job_.Declare(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    index_.files.assign(operands.begin(), operands.end() - 1);
    index_.output = operands.back();
    index_.threads = job_.threads();
    return job_.Run(
        {"scanning " + FormatCount(index_.files.size(), "file") + " ...",
         "indexing", "indexed"},
        [&](const Job& job) { return IndexShards(index_, job); }, output);
  }

 private:
  IndexOptions index_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeIndexVerb() { return std::make_unique<IndexVerb>(); }

}  // namespace shardine
