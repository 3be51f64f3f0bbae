#include "dataset/rejects.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/checksum.h"
#include "base/json_tree.h"
#include "base/status_macros.h"
#include "dataset/manifest_check.h"
#include "io/atomic_file.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

using nlohmann::json;

// Millions of bad images fit. The file lies in a folder that others may write
// to, and is loaded whole.
constexpr std::uint64_t kMaxRejectsFile = std::uint64_t{1} << 30;

// The escaped key has no control bytes; without its slashes and with a
// character in front it can be neither "..", nor a path, nor hidden.
std::string FlatName(const std::string& key) {
  std::string name = EscapeBytes(key);
  std::replace(name.begin(), name.end(), '/', '_');
  return "_" + name;
}

// False: the member is there and is no number.
bool TakeNumber(const json& line, const char* name,
                std::optional<std::uint64_t>& value) {
  const auto found = line.find(name);
  if (found == line.end()) return true;
  if (!found->is_number_unsigned()) return false;
  value = found->get<std::uint64_t>();
  return true;
}

// False: a text is no text, or one that every line has is missing.
bool TakeReject(const json& line, Reject& reject) {
  const std::pair<const char*, std::string*> members[] = {
      {"split", &reject.split},   {"key", &reject.key},
      {"reason", &reject.reason}, {"action", &reject.action},
      {"detail", &reject.detail}, {"file", &reject.file}};
  for (const auto& [name, value] : members) {
    const auto found = line.find(name);
    if (found == line.end() && value == &reject.file) continue;
    if (found == line.end() || !found->is_string()) return false;
    auto text = UnescapeBytes(found->get_ref<const std::string&>());
    if (!text) return false;
    *value = *std::move(text);
  }
  return TakeNumber(line, "record", reject.record) &&
         TakeNumber(line, "byte", reject.byte);
}

}  // namespace

std::string RejectLine(const Reject& reject) {
  json line = {{"split", reject.split},
               {"key", EscapeBytes(reject.key)},
               {"reason", reject.reason},
               {"action", reject.action},
               {"detail", EscapeBytes(reject.detail)}};
  if (!reject.file.empty()) line["file"] = EscapeBytes(reject.file);
  if (reject.record) line["record"] = *reject.record;
  if (reject.byte) line["byte"] = *reject.byte;
  return line.dump() + "\n";
}

Digest128 DigestOfRejects(const std::vector<Reject>& rejects) {
  std::string lines;
  for (const Reject& reject : rejects) lines += RejectLine(reject);
  return Xxh3_128(AsBytes(lines));
}

Result<std::vector<Reject>> ParseRejectLines(std::string_view lines) {
  std::vector<Reject> rejects;
  const Status corrupt(Code::kCorrupt, "not a list of rejected samples");
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    // A list is written whole. One whose last line has no end was cut, and the
    // lines that are missing cannot be told.
    if (end == std::string_view::npos) return corrupt;
    if (!JsonTreeFits(lines.substr(0, end))) return corrupt;
    const json line = json::parse(lines.substr(0, end), nullptr, false);
    lines.remove_prefix(end + 1);
    if (!line.is_object()) return corrupt;
    Reject reject;
    if (!TakeReject(line, reject)) return corrupt;
    rejects.push_back(std::move(reject));
  }
  return rejects;
}

Result<std::vector<Reject>> ReadRejects(ReadableStorage& storage,
                                        const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string lines,
                            ReadFile(storage, path, kMaxRejectsFile));
  auto rejects = ParseRejectLines(lines);
  if (rejects.ok()) return rejects;
  return std::move(rejects).status().At({.path = path});
}

std::string ShardRejectsPath(const OutputFolder& output,
                             const std::string& shard) {
  return output.WorkPath(shard + ".rejected");
}

Status SaveShardRejects(const OutputFolder& output, const std::string& shard,
                        const std::vector<Reject>& rejects) {
  const std::string path = ShardRejectsPath(output, shard);
  if (rejects.empty()) {
    // An interrupted run may have left some that no longer are.
    return output.Remove(path);
  }
  std::string lines;
  for (const Reject& reject : rejects) lines += RejectLine(reject);
  return WriteFileAtomically(output.storage(), path, AsBytes(lines));
}

std::vector<Reject> RejectsOfScan(const std::vector<SourceProblem>& bad,
                                  OnBad on_bad) {
  std::vector<Reject> rejects;
  // There are no bytes that could be kept or copied aside.
  const OnBad done = on_bad == OnBad::kFail ? OnBad::kFail : OnBad::kSkip;
  for (const SourceProblem& problem : bad) {
    rejects.push_back({"", problem.key, problem.reason, WordOf(done), ""});
  }
  return rejects;
}

Result<std::vector<Reject>> CollectRejects(const OutputFolder& output,
                                           const ShardPlan& plan,
                                           OnBad on_bad) {
  std::vector<Reject> all = RejectsOfScan(plan.source().bad, on_bad);
  for (const PlannedShard& shard : plan.shards()) {
    const std::string path = ShardRejectsPath(output, shard.name);
    auto rejects = ReadRejects(output.storage(), path);
    if (!rejects.ok()) {
      // A shard without rejects has no file.
      if (rejects.status().code() == Code::kNotFound) continue;
      return std::move(rejects).status();
    }
    std::move(rejects->begin(), rejects->end(), std::back_inserter(all));
  }
  return all;
}

void DropJudgedAgain(std::vector<Reject>& rejects) {
  const auto kept = [](const Reject& reject) {
    return reject.action == WordOf(OnBad::kKeep);
  };
  if (std::ranges::none_of(rejects, kept)) return;
  std::set<std::pair<std::string, std::string>> later;
  std::vector<bool> outdated(rejects.size(), false);
  for (std::size_t i = rejects.size(); i > 0; --i) {
    const Reject& reject = rejects[i - 1];
    const bool is_first = later.emplace(reject.split, reject.key).second;
    outdated[i - 1] = !is_first && kept(reject);
  }
  std::size_t i = 0;
  std::erase_if(rejects, [&](const Reject&) { return outdated[i++]; });
}

std::vector<ManifestRejected> CountRejects(const std::vector<Reject>& rejects) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
  for (const Reject& reject : rejects) {
    ++counts[{reject.reason, reject.action}];
  }
  std::vector<ManifestRejected> list;
  for (const auto& [key, count] : counts) {
    list.push_back({key.first, key.second, count});
  }
  return list;
}

Status Quarantine(const OutputFolder& output, const std::string& split,
                  const std::string& key, ByteView contents) {
  Storage& storage = output.storage();
  const std::string folder = JoinPath(output.PathOf(kQuarantineFolder), split);
  const bool stays_inside = IsManifestPath(key) && !key.starts_with("../");
  const std::string path = JoinPath(folder, stays_inside ? key : FlatName(key));
  SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(DirectoryOf(path)));
  // A file of this name is an earlier run's, or somebody else's.
  const auto there = ReadFile(storage, path, contents.size());
  if (there.ok() && *there == AsText(contents)) return Status();
  // A longer file cannot be read with this bound, and is refused with those of
  // other contents.
  if (there.ok() || there.status().code() == Code::kUnsupported) {
    return Status(Code::kAlreadyExists,
                  "is there with other contents than the rejected file; remove "
                  "it, or choose another folder")
        .At({.path = path});
  }
  if (there.status().code() != Code::kNotFound) return there.status();
  return WriteFileAtomically(storage, path, contents);
}

}  // namespace shardine
