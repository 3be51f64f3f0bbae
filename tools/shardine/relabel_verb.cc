#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "cli/entry_point_option.h"
#include "cli/lossy_label_option.h"
#include "shardine/convert.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kRelabelText[] =
    "Makes the dataset OUT of the dataset IN with the labels of LIST, a .lst\n"
    "(id, labels, key; tabs between) or JSON. Samples that are not in the "
    "list\n"
    "keep theirs; a row of no sample is an error. The same command goes on\n"
    "where an interrupted one ended.\n";

class RelabelVerb : public Verb {
 public:
  Usage usage() const override { return {"IN OUT LIST", 3, 3, kRelabelText}; }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  bool IsList(const std::string& path) const override {
    return path == relabel_.list;
  }

  void Declare(Options& options) override {
    options.BeginGroup("Samples");
    options.Choice(
        "by", relabel_.by,
        "what of a row says whose labels they are: key, or the id of "
        "a sample that has none (default); id, whatever the key; or "
        "position: the id as a number from 0");
    DeclareLossyLabels(options, relabel_.lossy_labels);
    DeclareEntryPoints(options, relabel_.entry_points);
    job_.Declare(options);
    job_.DeclareSpaceCheck(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    relabel_.input = operands[0];
    relabel_.output = operands[1];
    relabel_.list = operands[2];
    relabel_.threads = job_.threads();
    relabel_.check_space = job_.check_space();
    return job_.Run(
        {"reading the index of " + EscapeBytes(relabel_.input) + " ...",
         "relabelling", "relabelled"},
        [&](const Job& job) { return Relabel(relabel_, job); }, output);
  }

 private:
  RelabelOptions relabel_;
  DatasetJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakeRelabelVerb() {
  return std::make_unique<RelabelVerb>();
}

}  // namespace shardine
