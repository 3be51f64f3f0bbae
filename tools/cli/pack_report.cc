#include "cli/pack_report.h"

#include <cmath>

#include "cli/entry_point_counts.h"
#include "cli/number_text.h"
#include "shardine/escape.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

// A run with nothing to do may take no time that the clock can tell.
double Rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

// A list has no classes.
std::string SamplesText(std::uint64_t samples, std::uint64_t classes) {
  const std::string text = FormatCount(samples, "sample");
  return classes == 0 ? text : text + " of " + FormatCount(classes, "class");
}

std::string RateText(const PackResult& result, double seconds) {
  return "  " + FormatBytes(result.bytes) + " of images in " +
         FormatFixed(seconds, 2) +
         " s: " + FormatFixed(Rate(result.samples, seconds), 0) + " img/s, " +
         FormatFixed(Rate(result.bytes, seconds) / 1e6, 1) + " MB/s\n";
}

// "  sz/160: 1.2 MB of images, 3 scaled up; content digest ..."
std::string SizesText(const PackResult& result) {
  std::string text;
  for (const SizeResult& size : result.sizes) {
    text += "  " + EscapeBytes(size.path) + ": ";
    // A run that only looked has read no shard, and knows no sum of image
    // bytes.
    if (!result.nothing_to_do) text += FormatBytes(size.bytes) + " of images, ";
    if (size.upscaled > 0) {
      text += std::to_string(size.upscaled) + " scaled up, ";
    }
    if (size.kept > 0) {
      text +=
          std::to_string(size.kept) + " small enough and left as they are, ";
    }
    const std::string points = EntryPointText(size.entry_points);
    if (!points.empty()) text += points + ", ";
    text += "content digest " + size.content_digest.ToHex() + "\n";
  }
  return text;
}

Json SizesJson(const std::vector<SizeResult>& sizes) {
  Json json = Json::array();
  for (const SizeResult& size : sizes) {
    json.push_back({{"path", JsonText(size.path)},
                    {"bytes", size.bytes},
                    {"upscaled", size.upscaled},
                    {"kept", size.kept},
                    {"entry_points", EntryPointJson(size.entry_points)},
                    {"content_digest", size.content_digest.ToHex()}});
  }
  return json;
}

Json ListsJson(const std::vector<UsedList>& lists) {
  Json json = Json::array();
  for (const UsedList& list : lists) {
    json.push_back({{"path", JsonText(list.path)},
                    {"shard", JsonText(list.shard)},
                    {"by", list.by},
                    {"records", list.records},
                    {"matched", list.matched},
                    {"labelled", list.labelled}});
  }
  return json;
}

// An estimated size may turn out smaller.
std::string SpaceText(const PackPlan& plan) {
  // Images as they are take just so many bytes, whatever the estimate of the
  // rest is worth.
  if (plan.disk_known > plan.disk_free) return ": not enough";
  return plan.disk_needed > plan.disk_free ? ": perhaps not enough" : "";
}

std::string CountText(const RejectedCount& entry) {
  return std::to_string(entry.count) + " " + EscapeBytes(entry.reason);
}

}  // namespace

Json PathsJson(const std::vector<std::string>& paths) {
  Json json = Json::array();
  for (const std::string& path : paths) json.push_back(JsonText(path));
  return json;
}

std::string CopiesText(const std::vector<SplitCopies>& all) {
  std::string text;
  for (const SplitCopies& copies : all) {
    if (copies.copies == 0) text += "  " + EscapeBytes(ToString(copies)) + "\n";
  }
  return text;
}

Json CopiesJson(const std::vector<SplitCopies>& all) {
  Json json = Json::array();
  for (const SplitCopies& copies : all) {
    json.push_back({{"split", JsonText(copies.split)},
                    {"other", JsonText(copies.other)},
                    {"samples", copies.samples},
                    {"copies", copies.copies},
                    {"conflicts", copies.conflicts}});
  }
  return json;
}

std::string FieldsText(const std::vector<FieldLeft>& fields) {
  std::string text;
  for (const FieldLeft& field : fields) {
    text += "  left out: field \"" + EscapeBytes(field.name) + "\" of " +
            FormatCount(field.samples, "sample") + "\n";
  }
  return text;
}

Json FieldsJson(const std::vector<FieldLeft>& fields) {
  Json json = Json::array();
  for (const FieldLeft& field : fields) {
    json.push_back(
        {{"name", JsonText(field.name)}, {"samples", field.samples}});
  }
  return json;
}

std::string ListsText(const PackResult& result) {
  std::string text;
  for (const UsedList& list : result.lists) {
    text += "list " + EscapeBytes(list.path) + ": has " +
            std::to_string(list.matched) + " of the " +
            FormatCount(list.records, "record") + " of " +
            EscapeBytes(list.shard) + ", by " + list.by;
    if (list.labelled > 0) {
      text += "; " + FormatCount(list.labelled, "label") + " from it";
    }
    text += "\n";
  }
  return text;
}

std::string ContentsLine(const DatasetContents& contents) {
  return contents.samples == 0 ? "" : "  " + ToString(contents) + "\n";
}

Json ContentsJson(const DatasetContents& contents) {
  Json fields = Json::object();
  for (const auto& [name, samples] : contents.fields) {
    fields[JsonText(name).get<std::string>()] = samples;
  }
  return {{"samples", contents.samples},
          {"labelled", contents.labelled},
          {"deep", contents.deep},
          {"fields", std::move(fields)},
          {"text", ToString(contents)}};
}

std::string RejectedText(const std::vector<RejectedCount>& counts) {
  std::string text;
  for (const RejectedCount& entry : counts) {
    text += "  rejected: " + CountText(entry);
    if (!entry.action.empty()) text += " (" + EscapeBytes(entry.action) + ")";
    text += "\n";
  }
  return text;
}

std::string IgnoredText(const std::vector<RejectedCount>& counts) {
  std::string text;
  for (const RejectedCount& entry : counts) {
    text += "  ignored: " + CountText(entry) + "\n";
  }
  return text;
}

std::string WarningText(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) {
    text += "  warning: " + MessageLine(warning) + "\n";
  }
  return text;
}

Json RejectedJson(const std::vector<RejectedCount>& counts) {
  Json json = Json::array();
  for (const RejectedCount& entry : counts) {
    Json row = {{"reason", JsonText(entry.reason)}, {"count", entry.count}};
    // Some counts have no action: a list only names the unreadable files.
    if (!entry.action.empty()) row["action"] = JsonText(entry.action);
    json.push_back(std::move(row));
  }
  return json;
}

std::string ReplacedText(const std::vector<std::string>& files) {
  if (files.empty()) return "nothing\n";
  std::string text = FormatCount(files.size(), "file") + " of a dataset\n";
  for (const std::string& file : files) text += "  " + EscapeBytes(file) + "\n";
  return text;
}

Json DryRunJson(const PackResult& result) {
  return {{"dry_run", true},
          {"output", JsonText(result.output)},
          {"replaced", PathsJson(result.replaced)}};
}

std::string ResultText(const std::string& did, const PackResult& result,
                       double seconds) {
  const std::string what = SamplesText(result.samples, result.classes) +
                           " in " + FormatCount(result.shards, "shard") + " (" +
                           EscapeBytes(result.format) + ")";
  const std::string output = EscapeBytes(result.output);
  std::string text;
  if (result.nothing_to_do) {
    text = "nothing to do: " + output + " is complete with " + what + "\n";
  } else {
    text = did + " " + what + ": " + output + "\n" + RateText(result, seconds);
  }
  if (!result.replaced.empty()) {
    text += "  a dataset of " + FormatCount(result.replaced.size(), "file") +
            " gave way\n";
  }
  if (result.shards_reused > 0) {
    text += "  " + FormatCount(result.shards_reused, "shard") +
            " of an earlier run kept\n";
  }
  text += "  content digest " + result.content_digest.ToHex() + "\n";
  const std::string points = EntryPointText(result.entry_points);
  if (!points.empty()) text += "  " + points + "\n";
  text += SizesText(result);
  for (const UsedList& list : result.lists) {
    text += "  list " + EscapeBytes(list.path) + ": " +
            std::to_string(list.matched) + " records of " +
            EscapeBytes(list.shard) + " by " + list.by + "\n";
  }
  if (result.contents.lacks()) text += ContentsLine(result.contents);
  text += FieldsText(result.fields_left);
  text += CopiesText(result.copies);
  text += RejectedText(result.rejected);
  for (const RejectedCount& entry : result.rejected_before) {
    text += "  rejected before, in the input: " + CountText(entry) + " (" +
            EscapeBytes(entry.action) + ")\n";
  }
  text += IgnoredText(result.ignored);
  if (!result.ignored_list.empty()) {
    text += "  each ignored one is in " + result.ignored_list + "\n";
  }
  return text + WarningText(result.warnings);
}

Json ResultJson(const PackResult& result, double seconds) {
  Json json = {{"output", JsonText(result.output)},
               {"format", result.format},
               {"samples", result.samples},
               {"classes", result.classes},
               {"shards", result.shards},
               {"shards_reused", result.shards_reused},
               {"bytes", result.bytes},
               {"nothing_to_do", result.nothing_to_do},
               {"content_digest", result.content_digest.ToHex()},
               {"entry_points", EntryPointJson(result.entry_points)},
               {"sizes", SizesJson(result.sizes)},
               {"seconds", seconds},
               {"samples_per_second", Rate(result.samples, seconds)},
               {"bytes_per_second", Rate(result.bytes, seconds)},
               {"contents", ContentsJson(result.contents)},
               {"rejected", RejectedJson(result.rejected)},
               {"rejected_before", RejectedJson(result.rejected_before)},
               {"ignored", RejectedJson(result.ignored)},
               {"warnings", result.warnings}};
  // Only index has lists: the objects of other verbs have no empty member for
  // them.
  if (!result.lists.empty()) json["lists"] = ListsJson(result.lists);
  if (!result.copies.empty()) json["copies"] = CopiesJson(result.copies);
  if (!result.replaced.empty()) json["replaced"] = PathsJson(result.replaced);
  if (!result.fields_left.empty()) {
    json["fields_left"] = FieldsJson(result.fields_left);
  }
  return json;
}

// A sample of the images gives no more accuracy than whole minutes.
std::string TimeText(const PackPlan& plan) {
  if (plan.estimate_images == 0) return {};
  const auto minutes =
      static_cast<std::uint64_t>(std::llround(plan.estimated_seconds / 60));
  const std::string time = minutes == 0 ? "less than a minute"
                           : minutes < 120
                               ? "about " + FormatCount(minutes, "minute")
                               : "about " + FormatCount(minutes / 60, "hour");
  return "  reading and checking takes " + time + ": an estimate from " +
         FormatCount(plan.estimate_images, "image") + "\n";
}

std::string PlanText(const PackPlan& plan) {
  std::string text = "would pack " + SamplesText(plan.samples, plan.classes) +
                     ", " + FormatBytes(plan.bytes) + ", as " +
                     EscapeBytes(plan.format) + "\n";
  for (const PackPlanSplit& split : plan.splits) {
    text += "  split " + EscapeBytes(split.name) + ": " +
            FormatCount(split.samples, "sample") + ", " +
            FormatBytes(split.bytes) + ", " +
            FormatCount(split.shards, "shard") + "\n";
  }
  if (!plan.image_options.empty()) {
    std::string variants;
    for (const std::string& variant : plan.variants) {
      variants += (variants.empty() ? "" : ", ") + EscapeBytes(variant);
    }
    text += "  variants " + variants + ": " + plan.image_options + "\n";
  }
  text += "  disk needed " + FormatBytes(plan.disk_needed) + ", free " +
          FormatBytes(plan.disk_free) + SpaceText(plan) + "\n" + TimeText(plan);
  text += "  plan digest " + plan.plan_digest.ToHex() + "\n";
  if (!plan.replaced.empty()) {
    text += "  would replace " + ReplacedText(plan.replaced);
  }
  return text + IgnoredText(plan.ignored) + WarningText(plan.warnings);
}

Json PlanJson(const PackPlan& plan) {
  Json splits = Json::array();
  for (const PackPlanSplit& split : plan.splits) {
    splits.push_back({{"name", JsonText(split.name)},
                      {"samples", split.samples},
                      {"bytes", split.bytes},
                      {"shards", split.shards}});
  }
  return {{"dry_run", true},
          {"format", plan.format},
          {"samples", plan.samples},
          {"variants", plan.variants},
          {"image_options", plan.image_options},
          {"classes", plan.classes},
          {"bytes", plan.bytes},
          {"disk_needed", plan.disk_needed},
          {"disk_known", plan.disk_known},
          {"disk_free", plan.disk_free},
          {"estimated_seconds", plan.estimated_seconds},
          {"estimate_images", plan.estimate_images},
          {"plan_digest", plan.plan_digest.ToHex()},
          {"splits", std::move(splits)},
          {"ignored", RejectedJson(plan.ignored)},
          {"replaced", PathsJson(plan.replaced)},
          {"warnings", plan.warnings}};
}

}  // namespace shardine
