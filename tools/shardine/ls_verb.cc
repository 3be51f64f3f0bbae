#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "shardine/escape.h"
#include "shardine/inspect.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kLsExamples[] =
    "shardine ls out --class hounds --limit 5\n"
    "shardine ls out --split train --json\n";

constexpr char kLsText[] =
    "Prints one line per sample of DATASET, by split, shard and record:\n"
    "id, split, label, key, bytes, shard, record, separated by tabs. Several\n"
    "labels have commas between them; in keys and paths control bytes, \\ and\n"
    "bytes outside UTF-8 are written \\xHH, which `shardine cat` "
    "understands.\n";

std::string TextLine(const ListedSample& sample) {
  std::string labels;
  for (const Label& label : sample.labels) {
    labels += (labels.empty() ? "" : ",") + label.ToString();
  }
  return std::to_string(sample.id) + "\t" + EscapeBytes(sample.split) + "\t" +
         labels + "\t" + EscapeBytes(sample.key) + "\t" +
         std::to_string(sample.bytes) + "\t" + EscapeBytes(sample.shard) +
         "\t" + std::to_string(sample.record) + "\n";
}

std::string SampleJsonLine(const ListedSample& sample) {
  Json labels = Json::array();
  for (const Label& label : sample.labels) labels.push_back(JsonLabel(label));
  Json extents = Json::array();
  for (const auto& [offset, length] : sample.extents) {
    extents.push_back(Json::array({offset, length}));
  }
  Json fields = Json::array();
  for (const ListedField& field : sample.fields) {
    fields.push_back({{"name", JsonText(field.name)},
                      {"dtype", JsonText(field.dtype)},
                      {"shape", field.shape},
                      {"bytes", field.bytes}});
  }
  Json first = labels.empty() ? Json(nullptr) : labels[0];
  return JsonLine({{"id", sample.id},
                   {"split", JsonText(sample.split)},
                   {"label", std::move(first)},
                   {"labels", std::move(labels)},
                   {"key", JsonText(sample.key)},
                   {"bytes", sample.bytes},
                   {"shard", JsonText(sample.shard)},
                   {"record", sample.record},
                   {"extents", std::move(extents)},
                   {"fields", std::move(fields)}});
}

class LsVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET", 1, 1, kLsText, kLsExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  void Declare(Options& options) override {
    options.BeginGroup("Samples");
    options.Text("split", "NAME", list_.split,
                 "of this split (default: of all)");
    options.Text("class", "NAME", list_.class_name,
                 "of this class: its name, or the number of its label");
    options.Number("limit", list_.limit,
                   {1, std::numeric_limits<std::uint64_t>::max()},
                   "the first so many");
    options.BeginGroup("Output");
    options.Flag(
        "json", json_,
        "one JSON object a line, with all labels and where the image "
        "lies in the shard: extents [[offset, length], ...], and other "
        "fields");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    list_.dataset = operands[0];
    const Status status = ListSamples(list_, [&](const ListedSample& sample) {
      return output.Write(json_ ? SampleJsonLine(sample) : TextLine(sample));
    });
    if (!status.ok()) return status;
    return ExitCode::kDone;
  }

 private:
  ListingOptions list_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeLsVerb() { return std::make_unique<LsVerb>(); }

}  // namespace shardine
