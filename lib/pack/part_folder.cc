#include "pack/part_folder.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/status_macros.h"
#include "dataset/unfinished.h"
#include "io/atomic_file.h"

namespace shardine {
namespace {

constexpr char kPartFile[] = "samples";
constexpr char kJoinedMark[] = "joined";
constexpr std::size_t kDigits = 5;
constexpr std::string_view kOf = "-of-";

struct PartName {
  std::uint32_t part = 0;
  std::uint32_t parts = 0;
};

std::string NameOf(const PartName& name) {
  char text[32];
  std::snprintf(text, sizeof(text), "%05u-of-%05u", name.part, name.parts);
  return text;
}

std::optional<PartName> ParseName(std::string_view text) {
  if (text.size() != 2 * kDigits + kOf.size()) return std::nullopt;
  PartName name;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const char part = text[i];
    const char parts = text[kDigits + kOf.size() + i];
    if (part < '0' || part > '9' || parts < '0' || parts > '9') {
      return std::nullopt;
    }
    name.part = name.part * 10 + static_cast<std::uint32_t>(part - '0');
    name.parts = name.parts * 10 + static_cast<std::uint32_t>(parts - '0');
  }
  if (text != NameOf(name) || name.part >= name.parts) return std::nullopt;
  return name;
}

std::string PartsPath(const OutputFolder& output) {
  return output.PathOf(kPartsFolder);
}

std::string MarkPath(const OutputFolder& output) {
  return JoinPath(PartsPath(output), kJoinedMark);
}

Status CheckCount(const OutputFolder& output, std::uint32_t parts) {
  SHARDINE_ASSIGN_OR_RETURN(const FoundParts found, FindParts(output));
  if (found.parts == 0 || found.parts == parts) return Status();
  return Status(Code::kInvalidArgument,
                "holds parts of " + std::to_string(found.parts) +
                    ", and this is one of " + std::to_string(parts))
      .At({.path = PartsPath(output)});
}

}  // namespace

OutputFolder PartFolder(const OutputFolder& output, std::uint32_t part,
                        std::uint32_t parts) {
  return output.Below(kPartsFolder).Below(NameOf({part, parts}));
}

std::string PartFilePath(const OutputFolder& part) {
  return part.PathOf(kPartFile);
}

Result<FoundParts> FindParts(const OutputFolder& output) {
  FoundParts found;
  const auto entries = output.storage().List(PartsPath(output));
  if (entries.status().code() == Code::kNotFound) return found;
  if (!entries.ok()) return entries.status();
  for (const DirEntry& entry : *entries) {
    const auto name = ParseName(entry.name);
    if (!name) continue;
    const std::string path = JoinPath(PartsPath(output), entry.name);
    if (entry.kind != FileKind::kDirectory) {
      return Status(Code::kInvalidArgument,
                    "has the name of a part and is no folder")
          .At({.path = path});
    }
    if (found.parts != 0 && name->parts != found.parts) {
      return Status(Code::kInvalidArgument,
                    "holds parts of " +
                        std::to_string(std::min(found.parts, name->parts)) +
                        " and of " +
                        std::to_string(std::max(found.parts, name->parts)) +
                        "; remove the folders of those that are not wanted")
          .At({.path = PartsPath(output)});
    }
    found.parts = name->parts;
    found.folders.push_back(name->part);
  }
  std::ranges::sort(found.folders);
  return found;
}

Status CheckPartsFolder(const OutputFolder& output, std::uint32_t parts) {
  Storage& storage = output.storage();
  const auto info = storage.Stat(output.path());
  if (info.status().code() == Code::kNotFound) return Status();
  if (!info.ok()) return info.status();
  if (info->kind != FileKind::kDirectory) {
    return Status(Code::kInvalidArgument, "is there and is not a folder")
        .At({.path = output.path()});
  }
  const auto listed = storage.List(output.path());
  // A writer that gave up its part, the only one so far, took the folder away.
  if (listed.status().code() == Code::kNotFound) return Status();
  if (!listed.ok()) return listed.status();
  const std::vector<DirEntry>& entries = *listed;
  const auto has = [&](const std::string& name) {
    return std::ranges::find(entries, name, &DirEntry::name) != entries.end();
  };
  const auto refuse = [&](const char* why) {
    return Status(Code::kAlreadyExists, why).At({.path = output.path()});
  };
  if (has(kManifestName)) {
    return refuse(
        "already holds a dataset; write into another folder, or remove it");
  }
  const bool has_parts = has(kPartsFolder);
  const bool has_work = has(kWorkFolder);
  // Beside parts, the work folder was left by a killed join.
  if (has_work && !has_parts) {
    return refuse("another run is at work on this folder, or was interrupted");
  }
  if (entries.size() > (has_parts ? 1U : 0U) + (has_work ? 1U : 0U)) {
    return refuse(
        "holds files already; parts are written into a folder that is new or "
        "empty, or holds others of them");
  }
  return CheckCount(output, parts);
}

Status RemovePart(const OutputFolder& part) {
  SHARDINE_RETURN_IF_ERROR(part.Remove(PartFilePath(part)));
  const Status swept = part.RemoveTemporaries();
  if (!swept.ok() && swept.code() != Code::kNotFound) return swept;
  // A writer that is killed after its file has its name leaves these.
  SHARDINE_RETURN_IF_ERROR(part.Remove(part.WorkPath("lock")));
  SHARDINE_RETURN_IF_ERROR(part.Remove(part.PathOf(kWorkFolder)));
  return part.Remove(part.path());
}

Status RemoveParts(const OutputFolder& output, const Digest128& content) {
  SHARDINE_RETURN_IF_ERROR(WriteFileAtomically(
      output.storage(), MarkPath(output), AsBytes(content.ToHex())));
  SHARDINE_ASSIGN_OR_RETURN(const FoundParts found, FindParts(output));
  for (const std::uint32_t part : found.folders) {
    SHARDINE_RETURN_IF_ERROR(RemovePart(PartFolder(output, part, found.parts)));
  }
  // Before the mark: without it they would be parts of another dataset again.
  SHARDINE_RETURN_IF_ERROR(output.storage().SyncDirectory(PartsPath(output)));
  SHARDINE_RETURN_IF_ERROR(output.Remove(MarkPath(output)));
  SHARDINE_RETURN_IF_ERROR(output.Remove(PartsPath(output)));
  return output.storage().SyncDirectory(output.path());
}

bool AreJoined(const OutputFolder& output, const Digest128& content) {
  const std::string expected = content.ToHex();
  const auto mark =
      ReadFile(output.storage(), MarkPath(output), expected.size());
  return mark.ok() && *mark == expected;
}

}  // namespace shardine
