#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/entry_point_option.h"
#include "cli/number.h"
#include "shardine/convert.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Makes one dataset OUT of several, which are not written to. Splits and\n"
    "classes unite by name, ids are numbered anew. The same command goes on\n"
    "where an interrupted one ended.\n";

class MergeVerb : public Verb {
 public:
  Usage usage() const override { return {"IN IN... OUT", 3, 1000, kText}; }

  void Declare(Options& options) override {
    options.BeginGroup("Samples");
    options.Flag("prefix", merge_.prefix,
                 "put the name of its IN and a / in front of each key");
    options.BeginGroup("Shards");
    options.Text("format", "NAME", merge_.format,
                 "format and layout of OUT (default: those of the first IN)");
    DeclareEntryPoints(options, merge_.entry_points);
    job_.Declare(options);
    job_.DeclareSpaceCheck(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    merge_.inputs.assign(operands.begin(), operands.end() - 1);
    merge_.output = operands.back();
    merge_.threads = job_.threads();
    merge_.check_space = job_.check_space();
    return job_.Run(
        {"reading " + FormatCount(merge_.inputs.size(), "dataset") + " ...",
         "merging", "merged"},
        [&](const Job& job) { return Merge(merge_, job); }, output);
  }

  std::string AdviceOn(const Status& status) const override {
    const bool twice =
        status.code() == Code::kInvalidArgument && status.where().key;
    return twice && !merge_.prefix ? "--prefix does so" : "";
  }

 private:
  MergeOptions merge_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeMergeVerb() { return std::make_unique<MergeVerb>(); }

}  // namespace shardine
