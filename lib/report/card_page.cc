#include "report/card_page.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/card_text.h"
#include "report/fragment.h"
#include "report/hub_names.h"
#include "shardine/format_readers.h"
#include "shardine/version.h"

namespace shardine {
namespace {

constexpr std::size_t kMostClasses = 100;  // rows
constexpr std::size_t kMostFields = 100;
constexpr std::size_t kMostShown = 20;  // columns

using Cells = std::vector<std::string>;

// A row of a table. REQUIRES: cells are Markdown.
std::string Row(const Cells& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

std::string TableHead(const Cells& cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i)
    rule += i == 0 ? "---|" : "--:|";
  return "\n" + Row(cells) + rule + "\n";
}

std::string Plural(std::uint64_t count, const std::string& one,
                   const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::size_t Columns(const Manifest& manifest) {
  return std::min(manifest.splits.size(), kMostShown);
}

Cells WithSplits(Cells cells, const Manifest& manifest) {
  for (std::size_t i = 0; i < Columns(manifest); ++i) {
    cells.push_back(MarkdownText(manifest.splits[i].name));
  }
  return cells;
}

std::string TypeText(const FieldContents& field) {
  if (field.dtype.empty()) return "several types";
  if (field.dtype == kBytesDtype) return "bytes";
  std::string text = field.dtype;
  for (const std::uint64_t size : field.shape) {
    text += " x " + (size == 0 ? "any" : std::to_string(size));
  }
  return field.has_one_rank ? text : text + ", several shapes";
}

std::string SplitTable(const CardFacts& facts) {
  const auto names = HubSplitNames(facts.manifest().splits);
  std::string text =
      "\n## Splits\n" + TableHead({"split", "samples", "shards", "bytes"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ManifestSplit& split = facts.manifest().splits[i];
    std::string name = MarkdownText(split.name);
    if (names[i] != split.name) name += ", in the head `" + names[i] + "`";
    text += Row({name, std::to_string(split.samples),
                 std::to_string(split.shards.size()),
                 std::to_string(split.shard_bytes())});
  }
  return text;
}

std::string FieldTable(const CardFacts& facts) {
  const SplitContents all = facts.contents();
  if (all.fields.empty()) return {};
  std::string text = "\n## Fields\n" +
                     TableHead(WithSplits({"field", "type"}, facts.manifest()));
  std::size_t rows = 0;
  for (const auto& [name, field] : all.fields) {
    if (rows++ == kMostFields) break;
    Cells cells = {MarkdownText(name), MarkdownText(TypeText(field))};
    for (std::size_t i = 0; i < Columns(facts.manifest()); ++i) {
      const auto own = facts.splits[i].fields.find(name);
      cells.push_back(std::to_string(
          own == facts.splits[i].fields.end() ? 0 : own->second.samples));
    }
    text += Row(cells);
  }
  return text;
}

std::string ClassTableText(const CardFacts& facts) {
  const ClassMap& classes = facts.manifest().classes;
  if (classes.empty()) return {};
  std::string text = "\n## Classes\n" + TableHead(WithSplits({"class", "label"},
                                                             facts.manifest()));
  for (std::size_t row = 0; row < std::min(classes.size(), kMostClasses);
       ++row) {
    const ClassInfo& info = classes[row];
    Cells cells = {MarkdownText(info.name), std::to_string(info.label)};
    for (std::size_t i = 0; i < Columns(facts.manifest()); ++i) {
      const auto own = facts.splits[i].labels.find(info.label);
      cells.push_back(std::to_string(
          own == facts.splits[i].labels.end() ? 0 : own->second));
    }
    text += Row(cells);
  }
  if (classes.size() > kMostClasses) {
    text += "\nThe head of this page and `croissant.json` list all " +
            std::to_string(classes.size()) + " classes.\n";
  }
  return text;
}

std::string ReadingText(const CardFacts& facts) {
  const std::string layout = facts.format.Name();
  const auto readers = FormatReaders(layout.substr(0, layout.find(':')));
  return "\n## Reading\n\n" +
         Fragment(facts.is_archive() ? "card-archive" : "card-other")
             .Html("layout", layout)
             .Html("readers", std::string(readers))
             .Fill();
}

std::string IdentityText(const CardFacts& facts) {
  const Manifest& manifest = facts.manifest();
  std::string text =
      "\n## Identity\n"
      "\nThe content digest is the same for any format, number of shards and "
      "order of these samples: `" +
      manifest.content_digest().ToHex() +
      "`. The list `manifest-sha256.txt` has the SHA-256 of each of " +
      Plural(facts.files.size(), "file", "files") +
      "; this command in the dataset's folder compares them:\n\n" +
      MarkdownFence("sha256sum -c manifest-sha256.txt\n");
  for (const ManifestChild& child : manifest.variants) {
    text += "\nThe folder " + MarkdownText(child.path) +
            " holds the same samples in another size.\n";
  }
  return text;
}

}  // namespace

std::string CardDescription(const CardFacts& facts) {
  const Manifest& manifest = facts.manifest();
  std::string text = Plural(manifest.samples(), "sample", "samples");
  if (!manifest.classes.empty()) {
    text += " of " + Plural(manifest.classes.size(), "class", "classes");
  }
  return text + " in " + Plural(manifest.splits.size(), "split", "splits") +
         ", packed in " + Plural(facts.files.size(), "file", "files") + " as " +
         facts.format.Name() + ".";
}

std::string CardPage(const CardFacts& facts) {
  std::string text = "\n# " + MarkdownText(facts.name) + "\n\n" +
                     CardDescription(facts) + " shardine " + Version() +
                     " wrote this page.\n";
  text += SplitTable(facts) + ClassTableText(facts) + FieldTable(facts) +
          ReadingText(facts) + IdentityText(facts);
  if (!facts.license.empty()) {
    text += "\n## License\n\n" + MarkdownText(facts.license) + "\n";
  }
  if (!facts.citation.empty()) {
    text += "\n## Citation\n\n" + MarkdownFence(facts.citation);
  }
  return text;
}

}  // namespace shardine
