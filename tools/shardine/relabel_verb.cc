#include <string>
#include <vector>

#include "cli/dataset_job.h"
#include "shardine/convert.h"
#include "shardine/describe.h"
#include "shardine/escape.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kRelabelExamples[] =
    "shardine relabel out fixed labels.lst\n"
    "shardine relabel out fixed-by-id labels.lst --by id\n";

constexpr char kRelabelText[] =
    "Makes the dataset OUT of the dataset IN with the labels of LIST, a .lst\n"
    "(id, labels, key; tabs between), CSV, TSV, JSON or JSON lines. Samples\n"
    "that are not in the list keep theirs; a row of no sample is an error. "
    "The\n"
    "same command goes on where an interrupted one ended.\n";

class RelabelVerb : public Verb {
 public:
  Usage usage() const override {
    return {"IN OUT LIST", 3, 3, kRelabelText, kRelabelExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  bool IsList(const std::string& path) const override {
    return path == relabel_.list;
  }

  OptionList described() override { return DescribeOptions(relabel_); }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    relabel_.input = operands[0];
    relabel_.output = operands[1];
    relabel_.list = operands[2];
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
