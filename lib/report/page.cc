#include "report/page.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "report/fragment.h"
#include "report/page_files.h"
#include "report/page_json.h"
#include "report/page_text.h"
#include "shardine/report_words.h"
#include "shardine/shell_quoted.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::size_t kWorst = 3;
constexpr std::size_t kMostMatrix = 8;   // splits
constexpr std::size_t kMostPairs = 40;   // rows of the list of pairs
constexpr std::size_t kMostListed = 20;  // options, sources, variants, splits

std::string CountText(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string ShareText(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "0 %";
  const std::uint64_t tenths = (count * 1000 + of / 2) / of;
  if (tenths == 0 && count > 0) return "below 0.1 %";
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

// A path as one word of a shell.
std::string ShellWord(const std::string& path) {
  const std::string name = PageName(path);
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string_view("/._-:=").find(c) != std::string_view::npos;
  });
  return is_plain && !name.empty() ? name : ShellQuoted(name);
}

std::string ProblemsHtml(const ReportFacts& facts, const Verdict& verdict) {
  const Manifest& manifest = facts.manifest();
  const bool was_cut = manifest.made.command == "pack" &&
                       manifest.made.options.contains("split");
  std::string html;
  for (std::size_t i = 0; i < std::min(verdict.problems.size(), kWorst); ++i) {
    const ReportProblem& problem = verdict.problems[i];
    const std::string kind = problem.kind;
    const bool cuts_again =
        was_cut && (kind == "leakage" || kind == "missing-classes");
    const std::string mend =
        Fragment("mend-" + kind + (cuts_again ? "-cut" : ""))
            .Text("dataset", ShellWord(facts.path))
            .Text("made", PageName(ToString(manifest.made), 2000))
            .Fill();
    html += Fragment("problem-" + kind)
                .Text("count", CountText(problem.count))
                .Text("of", CountText(problem.of))
                .Text("share", ShareText(problem.count, problem.of))
                .Text("split", problem.split)
                .Text("other", problem.other)
                .Html("mend", mend)
                .Fill();
  }
  return html.empty() ? Fragment("no-problem").Fill() : html;
}

std::string RowHtml(std::string_view name, std::string_view value) {
  return Fragment("identity-row")
      .Text("name", name)
      .Text("value", value)
      .Fill();
}

std::string ListText(const json& list) {
  std::string text;
  std::size_t count = 0;
  for (const json& row : list["rows"]) {
    if (++count > kMostListed) return text + ", \u2026";
    text += text.empty() ? "" : ", ";
    if (row.is_string()) {
      text += row.get<std::string>();
    } else {
      const std::string value = row[1].get<std::string>();
      text += row[0].get<std::string>() + (value.empty() ? "" : " " + value);
    }
  }
  return text.empty() ? "none" : text;
}

std::string IdentityHtml(const ReportFacts& facts, const json& report) {
  const json& identity = report["identity"];
  const auto text = [&](const char* name) {
    return identity[name].get<std::string>();
  };
  const std::string command = text("command");
  std::string html =
      RowHtml("Dataset", text("dataset")) + RowHtml("Format", text("format")) +
      RowHtml("Variant", text("variant")) +
      RowHtml("Samples", CountText(facts.manifest().samples())) +
      RowHtml("Bytes of shards", CountText(facts.manifest().shard_bytes()));
  for (const char* const name :
       {"content_digest", "names_digest", "order_digest", "binding_digest"}) {
    std::string title = name;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    std::ranges::replace(title, '_', ' ');
    html += RowHtml(title, text(name));
  }
  return html + RowHtml("Made by", command.empty() ? "unknown" : command) +
         RowHtml("Sources", ListText(identity["sources"])) +
         RowHtml("Options", ListText(identity["options"])) +
         RowHtml("Variants", ListText(identity["variants"])) +
         RowHtml("Version", text("tool_version"));
}

// The row that ends a table which does not list all.
std::string MoreHtml(std::size_t all, std::size_t listed) {
  return all <= listed ? ""
                       : Fragment("more-rows")
                             .Text("count", CountText(all - listed))
                             .Fill();
}

std::string SplitsHtml(const json& report) {
  std::string html;
  std::size_t count = 0;
  for (const json& split : report["splits"]["rows"]) {
    if (++count > kMostListed) break;
    const json& mixing = split["mixing"];
    html +=
        Fragment("split-row")
            .Text("name", split["name"].get<std::string>())
            .Text("samples", CountText(split["samples"].get<std::uint64_t>()))
            .Text("without",
                  CountText(split["without_class"].get<std::uint64_t>()))
            .Text("missing",
                  CountText(split["missing_classes"].get<std::uint64_t>()))
            .Text("imbalance", split["imbalance"].dump())
            .Text("mixing", mixing.is_null() ? "-" : mixing.dump())
            .Fill();
  }
  return html + MoreHtml(report["splits"]["rows"].size() +
                             report["splits"]["left_out"].get<std::size_t>(),
                         kMostListed);
}

std::string MatrixCell(const ReportFacts& facts, std::size_t row,
                       std::size_t column) {
  const auto& splits = facts.manifest().splits;
  if (row == column) return Fragment("matrix-none").Fill();
  for (const SplitCopies& pair : facts.audit.splits) {
    const bool is_it =
        (pair.split == splits[row].name && pair.other == splits[column].name) ||
        (pair.other == splits[row].name && pair.split == splits[column].name);
    if (!is_it) continue;
    return Fragment(pair.copies > 0 ? "matrix-leak" : "matrix-clean")
        .Text("copies", CountText(pair.copies))
        .Text("share", ShareText(pair.copies, pair.samples))
        .Fill();
  }
  return Fragment("matrix-none").Fill();
}

std::string MatrixHtml(const ReportFacts& facts) {
  const auto& splits = facts.manifest().splits;
  if (splits.size() < 2 || splits.size() > kMostMatrix) return {};
  std::string heads;
  std::string rows;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::string name = PageName(splits[i].name);
    heads += Fragment("matrix-head").Text("name", name).Fill();
    std::string cells;
    for (std::size_t j = 0; j < splits.size(); ++j) {
      cells += MatrixCell(facts, i, j);
    }
    rows +=
        Fragment("matrix-row").Text("name", name).Html("cells", cells).Fill();
  }
  return Fragment("matrix").Html("heads", heads).Html("rows", rows).Fill();
}

std::string PairsHtml(const json& report) {
  std::string rows;
  std::size_t count = 0;
  for (const json& pair : report["leakage"]["rows"]) {
    if (++count > kMostPairs) break;
    const auto number = [&](const char* name) {
      return pair[name].get<std::uint64_t>();
    };
    rows += Fragment("pair-row")
                .Text("split", pair["split"].get<std::string>())
                .Text("other", pair["other"].get<std::string>())
                .Text("samples", CountText(number("samples")))
                .Text("copies", CountText(number("copies")))
                .Text("share", ShareText(number("copies"), number("samples")))
                .Text("conflicts", CountText(number("conflicts")))
                .Fill();
  }
  rows += MoreHtml(report["leakage"]["rows"].size() +
                       report["leakage"]["left_out"].get<std::size_t>(),
                   kMostPairs);
  return rows.empty() ? Fragment("no-pairs").Fill()
                      : Fragment("pairs").Html("rows", rows).Fill();
}

std::string SecondsText(double seconds) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(seconds * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

// The JSON is filled in by itself, since it is as large as all else.
std::string PageWith(const ReportFacts& facts, const Verdict& verdict,
                     const json& report) {
  const std::string data = JsonInPage(report);
  const AuditResult& audit = facts.audit;
  return std::string(PageBeginning()) +
         Fragment("page")
             .Text("nonce", Xxh3_128(AsBytes(data)).ToHex())
             .Text("title", PageName(facts.path))
             .Html("css", std::string(PageCss()))
             .Html("js", std::string(PageJs()))
             .Html("answer",
                   Fragment("answer-" + std::string(WordOf(verdict.answer)))
                       .Fill())
             .Html("problems", ProblemsHtml(facts, verdict))
             .Html("identity", IdentityHtml(facts, report))
             .Html("splits", SplitsHtml(report))
             .Html("matrix", MatrixHtml(facts))
             .Html("pairs", PairsHtml(report))
             .Text("samples", CountText(audit.samples))
             .Text("images", CountText(audit.images))
             .Text("unproved", CountText(audit.unproved))
             .Text("bytes", CountText(audit.bytes))
             .Text("shown", CountText(facts.shown.size()))
             .Text("seed", std::to_string(facts.seed))
             .Text("seconds", SecondsText(facts.seconds))
             .Html("json", data)
             .Fill();
}

}  // namespace

std::string_view PageBeginning() {
  return "<!DOCTYPE html>\n<html lang=\"en\" data-shardine-report=\"1\">\n";
}

ReportPage MakePage(const ReportFacts& facts, const Verdict& verdict) {
  json report = ReportJson(facts, verdict);
  report["pictures"] = json::array();
  report["sampling"]["pictures"] = facts.pictures.size();
  std::size_t size = PageWith(facts, verdict, report).size();
  ReportPage page;
  json& pictures = report["pictures"];
  for (const std::string& picture : facts.pictures) {
    size += picture.size() + 3;
    if (size > kMostReportBytes) break;
    pictures.push_back(picture);
  }
  page.pictures = pictures.size();
  report["sampling"]["pictures"] = page.pictures;
  page.html = PageWith(facts, verdict, report);
  return page;
}

}  // namespace shardine
