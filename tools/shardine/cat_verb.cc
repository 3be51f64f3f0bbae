#include <string>
#include <string_view>
#include <vector>

#include "shardine/inspect.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kCatText[] =
    "Writes the image of the sample KEY to standard output, checksum "
    "verified;\n"
    "of several, one after the other. KEY is the sample's path in its source, "
    "raw\n"
    "or as `shardine ls` prints it.\n";

class CatVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET KEY...", 2, 1'000'000, kCatText};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  void Declare(Options& options) override {
    options.BeginGroup("Sample");
    options.Text("split", "NAME", split_,
                 "needed when several splits have that key");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const Status status = ReadImages(
        {.dataset = operands[0],
         .keys = {operands.begin() + 1, operands.end()},
         .split = split_,
         .escaped = true},
        [&](std::string_view image) { return output.WriteBytes(image); });
    if (!status.ok()) return status;
    return ExitCode::kDone;
  }

 private:
  std::string split_;
};

}  // namespace

std::unique_ptr<Verb> MakeCatVerb() { return std::make_unique<CatVerb>(); }

}  // namespace shardine
