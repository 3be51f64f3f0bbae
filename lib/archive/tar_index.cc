#include "archive/tar_index.h"

#include <string>
#include <utility>

#include "archive/archive_part.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"

namespace shardine {
namespace {

constexpr std::string_view kTarSuffix = ".tar";

// `base` is where `tar` begins in the whole archive.
Status AddMembers(const RandomAccessFile& tar, std::uint64_t base,
                  const std::string& folder, ArchiveIndex& index) {
  TarReader reader(tar, Compression::kNone, TarReader::Members::kAll);
  for (;;) {
    if (CurrentStop().stop_requested()) {
      return Status(Code::kCancelled, "interrupted");
    }
    SHARDINE_ASSIGN_OR_RETURN(std::optional<TarMember> member, reader.Next());
    if (!member) return reader.FinishTail();
    SHARDINE_RETURN_IF_ERROR(reader.Release(member->end()));
    Status added = index.Add({.name = std::move(member->name),
                              .kind = member->kind,
                              .place = {.data = base + member->data,
                                        .size = member->size,
                                        .stored = member->size},
                              .link = std::move(member->link),
                              .header = member->header},
                             folder);
    if (!added.ok()) return std::move(added).At({.path = tar.path()});
  }
}

bool IsHidden(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != path.npos;
}

bool IsTarName(std::string_view path) {
  return path.size() > kTarSuffix.size() && path.ends_with(kTarSuffix) &&
         !path.ends_with("/.tar") && !IsHidden(path);
}

// A tar of class tars, whose own files are no samples.
bool HoldsTars(const ArchiveIndex& index, const IsWanted& is_wanted) {
  bool any = false;
  bool wanted = false;
  static_cast<void>(
      index.ForEachFile([&](std::string_view path, const MemberPlace&) {
        any = any || IsTarName(path);
        wanted = wanted || (!IsHidden(path) && is_wanted(path));
        return Status();
      }));
  return any && !wanted;
}

Result<ArchiveIndex> Opened(const RandomAccessFile& file,
                            const ArchiveIndex& outer) {
  ArchiveIndex index(outer.repeated());
  const auto add_folder = [&](std::string name) {
    return index.Add({.name = std::move(name), .kind = TarKind::kFolder});
  };
  for (std::string& folder : outer.NamedFolders()) {
    SHARDINE_RETURN_IF_ERROR(add_folder(std::move(folder)));
  }
  const auto add = [&](std::string_view path, const MemberPlace& place) {
    std::string name(path);
    if (!IsTarName(path)) {
      return index.Add({.name = std::move(name), .place = place});
    }
    const std::string stem = name.substr(0, name.size() - kTarSuffix.size());
    SHARDINE_RETURN_IF_ERROR(add_folder(stem));
    return AddMembers(
        ArchivePart(file, place.data, place.size, JoinPath(file.path(), name)),
        place.data, stem, index);
  };
  SHARDINE_RETURN_IF_ERROR(outer.ForEachFile(add));
  return index;
}

}  // namespace

Result<ArchiveIndex> IndexTar(const RandomAccessFile& file,
                              const IsWanted& is_wanted) {
  ArchiveIndex index;
  SHARDINE_RETURN_IF_ERROR(AddMembers(file, 0, "", index));
  SHARDINE_RETURN_IF_ERROR(index.Finish().At({.path = file.path()}));
  if (!HoldsTars(index, is_wanted)) return index;
  SHARDINE_ASSIGN_OR_RETURN(ArchiveIndex opened, Opened(file, index));
  SHARDINE_RETURN_IF_ERROR(opened.Finish().At({.path = file.path()}));
  return opened;
}

}  // namespace shardine
