#include <sys/stat.h>

#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/number_text.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kMergeExamples[] =
    "shardine merge out more-packed all --prefix '{name}/'\n"
    "shardine merge out more-packed tars --prefix '{n}/' --format webdataset\n";

constexpr char kMergeText[] =
    "Makes one dataset OUT of several, which are not written to. Splits and\n"
    "classes unite by name, ids are numbered anew. An IN may be a shard of\n"
    "another program, an LMDB for example: it is scanned first. The same\n"
    "command goes on where an interrupted one ended.\n";

class MergeVerb : public Verb {
 public:
  Usage usage() const override {
    return {"IN IN... OUT", 3, 1000, kMergeText, kMergeExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override {
    OptionList described = DescribeOptions(merge_);
    for (Option& option : described) {
      if (option.name != "prefix") continue;
      option.value.set = [set = option.value.set](const std::string& text) {
        const Status status = RefuseFile(text);
        return status.ok() ? set(text) : status;
      };
    }
    return described;
  }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    merge_.inputs.assign(operands.begin(), operands.end() - 1);
    merge_.output = operands.back();
    return job_.Run(
        {"reading " + FormatCount(merge_.inputs.size(), "dataset") + " ...",
         "merging", "merged"},
        [&](const Job& job) { return Merge(merge_, job); }, output,
        merge_.dry_run);
  }

  std::string AdviceOn(const Status& status) const override {
    const std::string advice = DatasetJob::ReplaceAdvice(status);
    return advice.empty() ? DatasetJob::DamageAdvice(status, merge_.on_bad)
                          : advice;
  }

 private:
  // It had no value once: "--prefix a b OUT" was a merge of a and b.
  static Status RefuseFile(const std::string& text) {
    struct stat info {};
    if (stat(text.c_str(), &info) != 0) return Status();
    return Status(Code::kInvalidArgument,
                  "\"" + EscapeBytes(text) +
                      "\" is a file or folder; a text is wanted, like "
                      "'{name}/'");
  }

  MergeOptions merge_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeMergeVerb() { return std::make_unique<MergeVerb>(); }

}  // namespace shardine
