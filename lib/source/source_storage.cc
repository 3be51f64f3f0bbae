#include "source/source_storage.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "archive/archive_storage.h"
#include "base/ascii.h"
#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "shardine/escape.h"
#include "source/source_file.h"
#include "source/source_set.h"

namespace shardine {
namespace {

constexpr std::string_view kReadSuffixes[] = {".tar",     ".tar.gz", ".tgz",
                                              ".tar.zst", ".tzst",   ".zip"};
constexpr std::string_view kOtherSuffixes[] = {
    ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.lz4", ".7z", ".rar"};

template <std::size_t N>
bool HasSuffix(std::string_view path, const std::string_view (&suffixes)[N]) {
  const std::string lower = LowerAscii(path);
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) {
    return lower.ends_with(suffix);
  });
}

Status RefuseOnServer(ReadableStorage& below, const std::string& path) {
  if (!HasSuffix(path, kReadSuffixes)) return Status();
  const auto info = below.Stat(path);
  if (!info.ok() || info->kind != FileKind::kRegular) return Status();
  return Status(Code::kUnsupported,
                "an archive on a server is not read as a folder; copy it to a "
                "disk of this machine")
      .At({.path = path});
}

// The archive that `path` is or leads into; empty: none.
Result<std::string> ArchiveOf(ReadableStorage& below, const std::string& path) {
  if (!SchemeOf(path).empty()) {
    SHARDINE_RETURN_IF_ERROR(RefuseOnServer(below, path));
    return std::string();
  }
  std::string file = path;
  auto info = below.Stat(file);
  while (!info.ok() && info.status().system_error() == ENOTDIR) {
    file = DirectoryOf(file);
    info = below.Stat(file);
  }
  if (!info.ok() || info->kind != FileKind::kRegular) return std::string();
  const bool is_other = HasSuffix(file, kOtherSuffixes);
  if (!is_other && !HasSuffix(file, kReadSuffixes)) {
    SHARDINE_ASSIGN_OR_RETURN(const auto opened, below.Open(file));
    SHARDINE_ASSIGN_OR_RETURN(const auto kind, KindOfArchive(*opened));
    if (!kind) return std::string();
  }
  return file;
}

void Say(const std::string& path, const ArchiveStorage::Added& added,
         const SayFunction& say) {
  if (!say) return;
  const std::string name = EscapeBytes(path) + ": ";
  if (added.in_memory > 0) {
    say(name + "the archive is compressed as a whole; memory holds its " +
        std::to_string(added.in_memory) + " bytes");
  }
  if (added.repeated > 0) {
    say(name + "members that a later one of the same name replaces: " +
        std::to_string(added.repeated));
  }
  if (added.left_out > 0) {
    say(name + "files of macOS in __MACOSX/ that are left out: " +
        std::to_string(added.left_out));
  }
}

// A tree of one folder is mostly one that was packed with its name.
Status RefuseOneFolder(ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(auto entries, storage.List(path));
  std::erase_if(entries, [](const DirEntry& entry) {
    return entry.name.starts_with('.');
  });
  if (entries.size() != 1 || entries[0].kind != FileKind::kDirectory) {
    return Status();
  }
  const std::string inside = JoinPath(path, entries[0].name);
  return Status(Code::kInvalidArgument,
                "all of the archive lies in one folder; write " +
                    EscapeBytes(inside) + " if its folders are the classes, " +
                    EscapeBytes(JoinPath(path, ".")) + " if it is one class")
      .At({.path = path});
}

}  // namespace

std::vector<std::string> PathsOf(
    const std::vector<SourceOptions::Folder>& folders) {
  std::vector<std::string> paths;
  for (const SourceOptions::Folder& folder : folders) {
    paths.push_back(folder.path);
  }
  return paths;
}

Result<std::shared_ptr<ReadableStorage>> OpenSources(
    ReadableStorage& below, const std::vector<std::string>& paths,
    const SayFunction& say) {
  std::vector<std::string> archives;
  for (const std::string& path : paths) {
    SHARDINE_ASSIGN_OR_RETURN(std::string archive, ArchiveOf(below, path));
    if (!archive.empty()) archives.push_back(std::move(archive));
  }
  if (archives.empty()) {
    return std::shared_ptr<ReadableStorage>(std::shared_ptr<void>(), &below);
  }
  std::ranges::sort(archives);
  archives.erase(std::unique(archives.begin(), archives.end()), archives.end());
  auto storage = std::make_shared<ArchiveStorage>(below);
  for (const std::string& archive : archives) {
    SHARDINE_ASSIGN_OR_RETURN(const ArchiveStorage::Added added,
                              storage->Add(archive, HasImageSuffix));
    Say(archive, added, say);
  }
  return std::shared_ptr<ReadableStorage>(std::move(storage));
}

Result<std::shared_ptr<ReadableStorage>> OpenSources(
    ReadableStorage& below, const SourceOptions& source,
    const SayFunction& say) {
  const std::vector<std::string> paths = PathsOf(source.folders);
  SHARDINE_ASSIGN_OR_RETURN(auto storage, OpenSources(below, paths, say));
  if (storage.get() == &below || !source.list.empty()) return storage;
  for (std::string path : paths) {
    while (path.ends_with('/')) path.pop_back();
    const auto file = below.Stat(path);
    if (!file.ok() || file->kind != FileKind::kRegular) continue;
    SHARDINE_RETURN_IF_ERROR(RefuseOneFolder(*storage, path));
  }
  return storage;
}

Result<std::shared_ptr<ReadableStorage>> OpenSources(
    const Job& job, const SourceOptions& source) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const below,
                            StorageFor(job, FirstPath(source)));
  return OpenSources(*below, source, job.say);
}

}  // namespace shardine
