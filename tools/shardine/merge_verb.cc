#include <sys/stat.h>

#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/entry_point_option.h"
#include "cli/lossy_label_option.h"
#include "cli/number.h"
#include "shardine/convert.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kMergeText[] =
    "Makes one dataset OUT of several, which are not written to. Splits and\n"
    "classes unite by name, ids are numbered anew. An IN may be a shard of\n"
    "another program, an LMDB for example: it is scanned first. The same\n"
    "command goes on where an interrupted one ended.\n";

class MergeVerb : public Verb {
 public:
  Usage usage() const override { return {"IN IN... OUT", 3, 1000, kMergeText}; }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  void Declare(Options& options) override {
    options.BeginGroup("Samples");
    options.Parsed(
        "prefix", "TEXT",
        [this](const std::string& text) { return TakePrefix(text); },
        "what stands in front of each key; {name} in it is the name of its "
        "IN, {n} the number, from 0 on, {shard} the name of its shard there, "
        "{id} its id there: '{name}/'");
    options.BeginGroup("Shards");
    options.Text("format", "NAME", merge_.format,
                 "format and layout of OUT (default: those of the first IN)");
    DeclareLossyLabels(options, merge_.lossy_labels);
    DeclareEntryPoints(options, merge_.entry_points);
    job_.Declare(options);
    job_.DeclareSpaceCheck(options);
    job_.DeclareReplace(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    merge_.inputs.assign(operands.begin(), operands.end() - 1);
    merge_.output = operands.back();
    merge_.threads = job_.threads();
    merge_.check_space = job_.check_space();
    merge_.replace = job_.replace();
    merge_.dry_run = job_.dry_run();
    return job_.Run(
        {"reading " + FormatCount(merge_.inputs.size(), "dataset") + " ...",
         "merging", "merged"},
        [&](const Job& job) { return Merge(merge_, job); }, output);
  }

  std::string AdviceOn(const Status& status) const override {
    return DatasetJob::ReplaceAdvice(status);
  }

 private:
  // It had no value once: "--prefix a b OUT" was a merge of a and b.
  Status TakePrefix(const std::string& text) {
    struct stat info {};
    if (stat(text.c_str(), &info) == 0) {
      return Status(Code::kInvalidArgument,
                    "\"" + EscapeBytes(text) +
                        "\" is a file or folder; a text is wanted, like "
                        "'{name}/'");
    }
    merge_.key_prefix = text;
    return Status();
  }

  MergeOptions merge_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeMergeVerb() { return std::make_unique<MergeVerb>(); }

}  // namespace shardine
