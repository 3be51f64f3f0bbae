#include <algorithm>
#include <string>
#include <vector>

#include "cli/entry_point_counts.h"
#include "cli/json_text.h"
#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "shardine/escape.h"
#include "shardine/inspect.h"
#include "shardine/sample.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kInfoExamples[] =
    "shardine info out\n"
    "shardine info out --counts --json\n";

constexpr char kInfoText[] =
    "Prints what the manifest of DATASET says. Opens no shard. The counts of\n"
    "fields and classes by split are read from its indexes.\n";

Json FieldsJson(const DatasetSplitInfo& split) {
  Json fields = Json::array();
  for (const DatasetFieldInfo& field : split.fields) {
    fields.push_back({{"name", JsonText(field.name)},
                      {"samples", field.samples},
                      {"dtype", JsonText(field.dtype)},
                      {"shape", field.shape}});
  }
  return fields;
}

Json SplitJson(const DatasetSplitInfo& split) {
  Json shards = Json::array();
  for (const DatasetShardInfo& shard : split.shards) {
    shards.push_back({{"path", JsonText(shard.path)},
                      {"samples", shard.samples},
                      {"bytes", shard.bytes}});
  }
  Json lacking = Json::object();
  for (const auto& [name, samples] : split.lacking) {
    lacking[JsonText(name).get<std::string>()] = samples;
  }
  Json unsupported = Json::object();
  for (const auto& [kind, count] : split.unsupported) {
    unsupported[JsonText(kind).get<std::string>()] = count;
  }
  return {{"name", JsonText(split.name)},
          {"samples", split.samples},
          {"unlabelled", split.unlabelled},
          {"deep", split.deep},
          {"lacking", std::move(lacking)},
          {"unsupported", std::move(unsupported)},
          {"content_digest", split.content_digest.ToHex()},
          {"names_digest", split.names_digest.ToHex()},
          {"order_digest", split.order_digest.ToHex()},
          {"binding_digest", split.binding_digest.ToHex()},
          {"shards", std::move(shards)},
          {"fields", FieldsJson(split)},
          {"class_counts", split.class_counts}};
}

Json MadeJson(const Provenance& made) {
  Json sources = Json::array();
  for (const std::string& source : made.sources) {
    sources.push_back(JsonText(source));
  }
  Json options = Json::object();
  for (const auto& [name, value] : made.options) {
    // A manifest's texts can be any bytes, and an output that is not UTF-8 is
    // no JSON.
    options[JsonText(name).get<std::string>()] = JsonText(value);
  }
  return {{"command", JsonText(made.command)},
          {"sources", std::move(sources)},
          {"options", std::move(options)}};
}

Json InfoJson(const DatasetInfo& info) {
  Json classes = Json::array();
  for (const DatasetClassInfo& entry : info.classes) {
    classes.push_back({{"name", JsonText(entry.name)},
                       {"label", entry.label},
                       {"count", entry.count}});
  }
  Json splits = Json::array();
  std::uint64_t shards = 0;
  for (const DatasetSplitInfo& split : info.splits) {
    splits.push_back(SplitJson(split));
    shards += split.shards.size();
  }
  Json variants = Json::array();
  for (const std::string& variant : info.variants) {
    variants.push_back(JsonText(variant));
  }
  Json texts = Json::array();
  for (const std::string& name : info.text_fields) {
    texts.push_back(JsonText(name));
  }
  Json categories = Json::array();
  for (const DatasetCategoryInfo& category : info.categories) {
    categories.push_back({{"label", category.label},
                          {"id", JsonText(category.id)},
                          {"name", JsonText(category.name)}});
  }
  // Every member is there for every dataset, zero or empty where it says
  // nothing, so that scripts need not ask.
  return {{"format", JsonText(info.format)},
          {"variant", JsonText(info.variant)},
          {"images", JsonText(info.images)},
          {"upscaled", info.upscaled},
          {"kept", info.kept},
          {"parent_digest", info.parent_digest.ToHex()},
          {"samples", info.samples},
          {"bytes", info.bytes},
          {"contents", ContentsJson(info.contents)},
          {"entry_points", EntryPointJson(info.entry_points)},
          {"entry_point_bytes", info.entry_point_bytes},
          {"shards", shards},
          {"rejected", info.rejected},
          {"ignored", info.ignored},
          {"text_fields", std::move(texts)},
          {"content_digest", info.content_digest.ToHex()},
          {"names_digest", info.names_digest.ToHex()},
          {"order_digest", info.order_digest.ToHex()},
          {"binding_digest", info.binding_digest.ToHex()},
          {"plan_digest", info.plan_digest.ToHex()},
          {"tool_version", JsonText(info.tool_version)},
          {"schema", info.schema},
          {"made", MadeJson(info.made)},
          {"classes", std::move(classes)},
          {"categories", std::move(categories)},
          {"splits", std::move(splits)},
          {"variants", std::move(variants)}};
}

std::string Row(const std::string& name, const std::string& value) {
  // The longest name has 14 letters.
  return name + std::string(16 - name.size(), ' ') + value + "\n";
}

// How the images of a size were made; nothing for an original.
std::string ImageRows(const DatasetInfo& info) {
  // People read the text: rows that say nothing about this dataset are left
  // out.
  if (info.images.empty()) return {};
  return Row("images", EscapeBytes(info.images)) +
         Row("scaled up", std::to_string(info.upscaled)) +
         Row("left as is", std::to_string(info.kept)) +
         Row("made from", info.parent_digest.ToHex());
}

// "6 images, 1.2 kB (2.0 %)"; nothing if there are none.
std::string EntryPointRows(const DatasetInfo& info) {
  if (info.entry_points == EntryPointCounts()) return {};
  std::string text = FormatCount(info.entry_points.images, "image") + ", " +
                     FormatBytes(info.entry_point_bytes) + " (" +
                     FormatShare(info.entry_point_bytes, info.bytes) + ")";
  if (info.entry_points.damaged > 0) {
    text += ", " + FormatCount(info.entry_points.damaged, "damaged image") +
            " without";
  }
  return Row("entry points", text);
}

std::string LackRow(const DatasetInfo& info) {
  return info.contents.lacks() ? Row("contents", ToString(info.contents)) : "";
}

std::string PromiseRows(const Provenance& made) {
  const SplitPromiseTexts texts = PromiseTexts(made);
  std::string rows;
  for (const std::string& text : texts.held) rows += Row("in one split", text);
  for (const std::string& text : texts.dropped) {
    rows += Row("not promised", text + " in one split, as its input did");
  }
  return rows;
}

// Manifests of schema 1 know the version alone.
std::string MadeRows(const DatasetInfo& info) {
  const std::string made_by =
      Row("made by", "shardine " + EscapeBytes(info.tool_version));
  if (info.schema < 2) return made_by;
  return Row("binding digest", info.binding_digest.ToHex()) + made_by +
         Row("as", ToString(info.made)) + PromiseRows(info.made);
}

// "3, listed in rejected.jsonl"; "0".
std::string Listed(std::uint64_t count, const char* list) {
  std::string text = std::to_string(count);
  return count == 0 ? text : text + ", listed in " + list;
}

std::string TextRows(const DatasetInfo& info) {
  if (info.text_fields.empty()) return {};
  std::string names;
  for (const std::string& name : info.text_fields) {
    names += (names.empty() ? "" : ", ") + EscapeBytes(name);
  }
  return Row("text fields", names);
}

// "80: person, bicycle, car, ..."
std::string CategoryRows(const DatasetInfo& info) {
  constexpr std::size_t kMost = 5;
  if (info.categories.empty()) return {};
  std::string text = std::to_string(info.categories.size()) + ":";
  for (std::size_t i = 0; i < std::min(info.categories.size(), kMost); ++i) {
    text += (i == 0 ? " " : ", ") + EscapeBytes(info.categories[i].name);
  }
  if (info.categories.size() > kMost) text += ", ...";
  return Row("categories", text);
}

// ", 12 not decoded: webp (10), gif (2)".
std::string Unsupported(const DatasetSplitInfo& split) {
  std::uint64_t sum = 0;
  std::string kinds;
  for (const auto& [kind, count] : split.unsupported) {
    sum += count;
    kinds += (kinds.empty() ? "" : ", ") + EscapeBytes(kind) + " (" +
             std::to_string(count) + ")";
  }
  return sum == 0 ? "" : ", " + std::to_string(sum) + " not decoded: " + kinds;
}

// ", no labels": a set without them looks like any other in numbers.
std::string Unlabelled(const DatasetSplitInfo& split) {
  if (split.unlabelled == 0) return {};
  if (split.unlabelled == split.samples) return ", no labels";
  return ", " + std::to_string(split.unlabelled) + " without labels";
}

std::string FieldText(const DatasetFieldInfo& field,
                      const DatasetSplitInfo& split) {
  std::string text = EscapeBytes(field.name) + " (";
  if (field.dtype.empty()) {
    text += "several types";
  } else if (field.dtype == kBytesDtype) {
    text += "bytes";
  } else {
    text += EscapeBytes(field.dtype);
  }
  for (const std::uint64_t side : field.shape) {
    text += " x " + (side == 0 ? "any" : std::to_string(side));
  }
  return text + (field.samples == split.samples
                     ? ")"
                     : ", " + std::to_string(field.samples) + ")");
}

// Two lines on the contents of a split; empty where they were not counted.
std::string CountRows(const DatasetSplitInfo& split) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(split.fields.size(), kMost); ++i) {
    text += (i == 0 ? "  fields: " : ", ") + FieldText(split.fields[i], split);
  }
  if (split.fields.size() > kMost) {
    text += " and " + std::to_string(split.fields.size() - kMost) + " more";
  }
  if (!text.empty()) text += "\n";
  std::uint64_t held = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  for (const std::uint64_t count : split.class_counts) {
    if (count == 0) continue;
    least = ++held == 1 ? count : std::min(least, count);
    most = std::max(most, count);
  }
  if (split.class_counts.empty()) return text;
  return text + "  classes: " + std::to_string(held) + " of " +
         std::to_string(split.class_counts.size()) + ", " +
         std::to_string(least) + " to " + FormatCount(most, "sample") +
         " each\n";
}

std::string InfoText(const DatasetInfo& info) {
  std::string text =
      Row("format", EscapeBytes(info.format)) +
      Row("variant", EscapeBytes(info.variant)) + ImageRows(info) +
      Row("samples", std::to_string(info.samples)) + LackRow(info) +
      Row("classes", std::to_string(info.classes.size())) +
      Row("bytes", std::to_string(info.bytes)) + EntryPointRows(info) +
      Row("rejected", Listed(info.rejected, "rejected.jsonl")) +
      (info.ignored == 0
           ? ""
           : Row("ignored", Listed(info.ignored, "ignored.jsonl"))) +
      TextRows(info) + CategoryRows(info) +
      Row("content digest", info.content_digest.ToHex()) +
      Row("names digest", info.names_digest.ToHex()) +
      Row("order digest", info.order_digest.ToHex()) + MadeRows(info);
  for (const std::string& variant : info.variants) {
    text += Row("has variant", EscapeBytes(variant));
  }
  for (const DatasetSplitInfo& split : info.splits) {
    text += "\nsplit " + EscapeBytes(split.name) + ": " +
            FormatCount(split.samples, "sample") + " in " +
            FormatCount(split.shards.size(), "shard") + Unlabelled(split) +
            Unsupported(split) + "\n" + CountRows(split);
    for (const DatasetShardInfo& shard : split.shards) {
      text += "  " + EscapeBytes(shard.path) + "  " +
              FormatCount(shard.samples, "sample") + ", " +
              FormatBytes(shard.bytes) + "\n";
    }
  }
  return text;
}

class InfoVerb : public Verb {
 public:
  Usage usage() const override {
    return {"DATASET", 1, 1, kInfoText, kInfoExamples};
  }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_,
                 "print all of it, classes too, as one JSON object");
    options.Flag("counts", counts_,
                 "read the indexes, too: fields, and samples of each class by "
                 "split");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const auto info = ReadDatasetInfo(operands[0], {}, counts_);
    if (!info.ok()) return info.status();
    const Status written =
        output.Write(json_ ? JsonLine(InfoJson(*info)) : InfoText(*info));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
  bool counts_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeInfoVerb() { return std::make_unique<InfoVerb>(); }

}  // namespace shardine
