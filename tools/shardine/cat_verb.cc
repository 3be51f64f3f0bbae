#include <string>
#include <string_view>
#include <vector>

#include "shardine/inspect.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kCatExamples[] =
    "shardine cat out hounds/whippet.JPEG -o whippet.jpg\n"
    "shardine cat out terriers/cairn.JPEG hounds/redbone.JPEG | wc -c\n";

constexpr char kCatText[] =
    "Writes the image of the sample KEY to standard output, checksum "
    "verified;\n"
    "of several, one after the other. KEY is the sample's path in its source, "
    "raw\n"
    "or as `shardine ls` prints it.\n";

class CatVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET KEY...", 2, 1'000'000, kCatText, kCatExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  void Declare(Options& options) override {
    options.BeginGroup("Sample");
    options.Text("split", "NAME", split_,
                 "needed when several splits have that key");
    options.BeginGroup("Output");
    options.Text("output,o", "FILE", file_,
                 "write into this file, not to standard output");
    options.Flag("overwrite", overwrite_, "with --output: also over a file");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const ImageKeys wanted{.dataset = operands[0],
                           .keys = {operands.begin() + 1, operands.end()},
                           .split = split_,
                           .escaped = true};
    if (overwrite_ && file_.empty()) {
      return Status(Code::kInvalidArgument,
                    "--overwrite has no effect without --output");
    }
    if (!file_.empty()) {
      if (Status saved = SaveImages(wanted, file_, overwrite_); !saved.ok()) {
        return saved;
      }
      return ExitCode::kDone;
    }
    const Status status = ReadImages(wanted, [&](std::string_view image) {
      return output.WriteBytes(image);
    });
    if (!status.ok()) return status;
    return ExitCode::kDone;
  }

  std::string AdviceOn(const Status& status) const override {
    return status.code() == Code::kAlreadyExists ? "--overwrite replaces it"
                                                 : "";
  }

 private:
  std::string split_;
  std::string file_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeCatVerb() { return std::make_unique<CatVerb>(); }

}  // namespace shardine
