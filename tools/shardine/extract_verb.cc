#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/number.h"
#include "shardine/escape.h"
#include "shardine/inspect.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kText[] =
    "Writes every image of DATASET to DIR/KEY, or DIR/SPLIT/KEY when there "
    "are\n"
    "several splits. No name leaves DIR and no file is overwritten.\n";

// Nothing is left out in silence.
std::string Left(const ExtractResult& result) {
  if (result.fields_left == 0) return "";
  return "  " + FormatCount(result.fields_left, "field") +
         " not written: only encoded images are; shardine convert --format "
         "webdataset gives files of all\n";
}

class ExtractVerb : public Verb {
 public:
  Usage usage() const override { return {"DATASET DIR", 2, 2, kText}; }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print the result as one JSON object");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const auto result = ExtractDataset(operands[0], operands[1]);
    if (!result.ok()) return result.status();
    const Status written = output.Write(
        json_ ? JsonLine({{"directory", JsonText(operands[1])},
                          {"files", result->files},
                          {"bytes", result->bytes},
                          {"fields_left", result->fields_left}})
              : "extracted " + FormatCount(result->files, "image") + ", " +
                    FormatBytes(result->bytes) + ": " +
                    EscapeBytes(operands[1]) + "\n" + Left(*result));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeExtractVerb() {
  return std::make_unique<ExtractVerb>();
}

}  // namespace shardine
