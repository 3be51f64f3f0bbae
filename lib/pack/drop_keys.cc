#include "pack/drop_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "io/storage_for.h"
#include "shardine/escape.h"
#include "source/name_file.h"

namespace shardine {

Result<DropKeys> DropKeys::Read(ReadableStorage& storage,
                                const std::string& path) {
  DropKeys keys(path);
  SHARDINE_RETURN_IF_ERROR(ForEachName(
      storage, path, {.wanted = {FileColumn()}, .takes_input = true},
      [&](std::string key, const LineError& at) {
        keys.lines_.emplace(std::move(key), Line{at.number()});
        return Status();
      }));
  if (!keys.lines_.empty()) return keys;
  return Status(Code::kInvalidArgument, "has no keys of samples to leave out")
      .At({.path = path});
}

bool DropKeys::Drops(std::string_view input_key, std::string_view key) {
  auto found = lines_.find(input_key);
  if (found == lines_.end()) found = lines_.find(key);
  if (found == lines_.end()) return false;
  ++found->second.samples;
  dropped_.push_back(Problem(key, "dropped", found->second));
  return true;
}

SourceProblem DropKeys::Problem(std::string_view key, const char* reason,
                                const Line& line) const {
  return {.key = std::string(key),
          .reason = reason,
          .root = SourceProblem::kNoRoot,
          .list = FileNameOf(path_),
          .line = line.number};
}

Status DropKeys::End(SourceSet& source) {
  std::uint64_t strangers = 0;
  std::string several;
  std::ranges::move(dropped_, std::back_inserter(source.ignored));
  for (const auto& [key, line] : lines_) {
    if (line.samples == 0) {
      ++strangers;
      source.ignored.push_back(Problem(key, "drop-keys-unmatched", line));
    } else if (line.samples > 1 && several.empty()) {
      several = EscapeBytes(key) + " is the key of " +
                std::to_string(line.samples) + " samples";
    }
  }
  std::string note = std::to_string(strangers) + " of " +
                     std::to_string(lines_.size()) +
                     " keys to leave out are of no sample";
  if (strangers == lines_.size()) {
    return Status(Code::kInvalidArgument,
                  note + ", the first is " + EscapeBytes(lines_.begin()->first))
        .At({.path = path_});
  }
  if (strangers == 0) note.clear();
  if (!several.empty()) note += (note.empty() ? "" : "; ") + several;
  if (!note.empty()) source.notes.push_back(EscapeBytes(path_) + ": " + note);
  return Status();
}

Result<std::optional<DropKeys>> ReadDropKeys(const std::string& path,
                                             const Job& job) {
  if (path.empty()) return std::optional<DropKeys>();
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, path));
  SHARDINE_ASSIGN_OR_RETURN(DropKeys keys, DropKeys::Read(*storage, path));
  return std::optional<DropKeys>(std::move(keys));
}

}  // namespace shardine
