#include <optional>
#include <string>
#include <vector>

#include "shardine/escape.h"
#include "shardine/inspect.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kCatText[] =
    "Writes the image of the sample KEY to standard output, checksum "
    "verified.\n"
    "KEY is the sample's path in its source, raw or as `shardine ls` prints "
    "it.\n";

class CatVerb : public Verb {
 public:
  Usage usage() const override { return {"DATASET KEY", 2, 2, kCatText}; }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  void Declare(Options& options) override {
    options.BeginGroup("Sample");
    options.Text("split", "NAME", split_,
                 "needed when several splits have that key");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const auto image = Find(operands[0], operands[1]);
    if (!image.ok()) return image.status();
    if (const Status status = output.WriteBytes(*image); !status.ok())
      return status;
    return ExitCode::kDone;
  }

 private:
  // A raw key may look escaped, so what the user wrote comes first.
  Result<std::string> Find(const std::string& dataset,
                           const std::string& key) const {
    auto image = ReadImage(dataset, key, split_);
    if (image.ok() || image.status().code() != Code::kNotFound) return image;
    const std::optional<std::string> raw = UnescapeBytes(key);
    if (!raw || *raw == key) return image;
    auto unescaped = ReadImage(dataset, *raw, split_);
    const bool found =
        unescaped.ok() || unescaped.status().code() != Code::kNotFound;
    return found ? std::move(unescaped) : std::move(image);
  }

  std::string split_;
};

}  // namespace

std::unique_ptr<Verb> MakeCatVerb() { return std::make_unique<CatVerb>(); }

}  // namespace shardine
