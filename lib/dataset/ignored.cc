#include "dataset/ignored.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/line_reader.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

std::string IgnoredLine(const SourceSet& source, const SourceProblem& problem) {
  // Folders are split names in their order; later splits have no folder.
  json line = {
      {"key", EscapeBytes(problem.key)},
      {"reason", problem.reason},
      {"split",
       problem.root < source.splits.size() ? source.splits[problem.root] : ""}};
  if (problem.line > 0) {
    line["line"] = problem.line;
    line["list"] = EscapeBytes(problem.list);
  }
  return line.dump() + "\n";
}

Status ForIgnoredLines(const SourceSet& source,
                       const std::function<Status(std::string_view)>& take) {
  std::string piece;
  for (const SourceProblem& problem : source.ignored) {
    piece += IgnoredLine(source, problem);
    if (piece.size() < kPieceBytes) continue;
    SHARDINE_RETURN_IF_ERROR(take(piece));
    piece.clear();
  }
  return piece.empty() ? Status() : take(piece);
}

std::vector<ManifestIgnored> CountIgnored(const SourceSet& source) {
  std::map<std::string, std::uint64_t> counts;
  for (const SourceProblem& problem : source.ignored) ++counts[problem.reason];
  std::vector<ManifestIgnored> list;
  for (const auto& [reason, count] : counts) list.push_back({reason, count});
  return list;
}

std::vector<RejectedCount> IgnoredCounts(
    const std::vector<ManifestIgnored>& ignored) {
  std::vector<RejectedCount> counts;
  for (const auto& [reason, count] : ignored) {
    counts.push_back({reason, "ignore", count});
  }
  return counts;
}

Status ForIgnoredKeys(ReadableStorage& storage, const std::string& path,
                      const std::function<void(const std::string&)>& visit) {
  const auto file = storage.Open(path);
  if (file.status().code() == Code::kNotFound) return Status();
  if (!file.ok()) return file.status();
  LineReader lines(**file);
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const auto line, lines.Next());
    if (!line) return Status();
    const json object = json::parse(line->text, nullptr, false);
    const auto key = object.is_object() ? object.find("key") : object.end();
    const bool has_key =
        object.is_object() && key != object.end() && key->is_string();
    const auto text = has_key
                          ? UnescapeBytes(key->get_ref<const std::string&>())
                          : std::nullopt;
    if (!text) return lines.Error(*line, "not a line of ignored files");
    visit(*text);
  }
}

}  // namespace shardine
