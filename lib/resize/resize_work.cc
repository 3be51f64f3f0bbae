#include "resize/resize_work.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/manifest.h"
#include "io/atomic_file.h"

namespace shardine {
namespace {

Status InTheWay(const std::string& path) {
  return Status(Code::kChanged,
                "is in the way and no record says that this resize made it; "
                "choose another folder, or remove it")
      .At({.path = path});
}

// The file that is there, or nothing.
Result<std::optional<FileInfo>> LookAt(ReadableStorage& storage,
                                       const std::string& path) {
  auto info = storage.Stat(path);
  if (info.ok()) return std::optional(*info);
  if (info.status().code() == Code::kNotFound) return std::optional<FileInfo>();
  return std::move(info).status();
}

// A tree in a dataset would make files that no manifest knows.
Status RefuseDatasets(const OutputFolder& output,
                      const std::vector<std::string>& bases) {
  std::vector<std::string> folders = bases;
  folders.push_back(output.path());
  for (const std::string& folder : folders) {
    SHARDINE_ASSIGN_OR_RETURN(
        const auto manifest,
        LookAt(output.storage(), JoinPath(folder, kManifestName)));
    if (!manifest) continue;
    return Status(Code::kChanged,
                  "already holds a dataset; choose another folder")
        .At({.path = folder});
  }
  return Status();
}

// Looks at the files of one sample after the other.
class Finder {
 public:
  Finder(const OutputFolder& output, const ResizePlan& plan,
         const ResizeRecord& record)
      : output_(output), plan_(plan), record_(record) {}

  // Folders that are not there hold no file to look for.
  Status LookAtBases() {
    std::vector<std::string> bases;
    for (std::size_t i = 0; i < plan_.outputs(); ++i) {
      bases.push_back(output_.PathOf(plan_.SizeFolder(i)));
      SHARDINE_ASSIGN_OR_RETURN(const auto info,
                                LookAt(output_.storage(), bases.back()));
      there_.push_back(info.has_value());
    }
    return RefuseDatasets(output_, bases);
  }

  Status LookAtSample(std::size_t sample, ResizeWork& work) const {
    std::vector<bool> missing;
    bool any = !record_.knows(sample);
    for (std::size_t i = 0; i < plan_.outputs(); ++i) {
      SHARDINE_ASSIGN_OR_RETURN(const bool whole, IsWhole(sample, i));
      // Files of rejected samples have size 0 in the record: that there is none
      // is how it should be.
      const bool wanted =
          !record_.knows(sample) || record_.file(sample, i).size > 0;
      missing.push_back(wanted && !whole);
      any = any || missing.back();
      work.reused += whole ? 1 : 0;
    }
    if (!any) return Status();
    work.samples.push_back(static_cast<std::uint32_t>(sample));
    work.missing.insert(work.missing.end(), missing.begin(), missing.end());
    return Status();
  }

 private:
  Result<bool> IsWhole(std::size_t sample, std::size_t output) const {
    if (!there_[output]) return false;
    const std::string path = output_.PathOf(plan_.OutputName(sample, output));
    SHARDINE_ASSIGN_OR_RETURN(const auto info, LookAt(output_.storage(), path));
    if (!info) return false;
    const std::uint32_t size =
        record_.knows(sample) ? record_.file(sample, output).size : 0;
    // A file that no record knows is foreign, and is never replaced.
    if (size == 0 || info->kind != FileKind::kRegular) return InTheWay(path);
    // Names are given after a sync, so a file of the right size is whole unless
    // it was changed later; its bytes are not read. A file of another size is
    // foreign, unless it has no bytes.
    if (info->size != size && info->size != 0) return InTheWay(path);
    return info->size == size;
  }

  const OutputFolder& output_;
  const ResizePlan& plan_;
  const ResizeRecord& record_;
  std::vector<bool> there_;  // by output
};

// The folders of the files that are missing.
std::set<std::string> FoldersOf(const OutputFolder& output,
                                const ResizePlan& plan,
                                const ResizeWork& work) {
  std::set<std::string> folders;
  std::string last;
  for (std::size_t i = 0; i < plan.outputs(); ++i) {
    for (std::size_t s = 0; s < work.samples.size(); ++s) {
      if (!work.missing[s * plan.outputs() + i]) continue;
      std::string folder = DirectoryOf(plan.OutputName(work.samples[s], i));
      // Samples of one folder follow one another, mostly.
      if (folder == last) continue;
      last = folder;
      folders.insert(output.PathOf(folder));
    }
  }
  return folders;
}

// The links in a folder; temporary files go if `clean`.
Status LookIntoFolder(Storage& storage, const std::string& folder, bool clean,
                      std::set<std::string>& links) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage.List(folder));
  for (const DirEntry& entry : entries) {
    const std::string path = JoinPath(folder, entry.name);
    if (entry.kind == FileKind::kSymlink) links.insert(path);
    if (clean && entry.kind == FileKind::kRegular &&
        IsTemporaryName(entry.name)) {
      SHARDINE_RETURN_IF_ERROR(storage.Remove(path));
    }
  }
  return Status();
}

Status PrepareFolders(const OutputFolder& output, const ResizePlan& plan,
                      bool clean, ResizeWork& work) {
  Storage& storage = output.storage();
  std::map<std::uint64_t, std::string> devices;
  std::set<std::string> links;
  for (const std::string& folder : FoldersOf(output, plan, work)) {
    SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(folder));
    SHARDINE_RETURN_IF_ERROR(LookIntoFolder(storage, folder, clean, links));
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(folder));
    // A folder below OUT may be a mount of its own, and a sync of a file system
    // covers that one only.
    devices.emplace(info.device, folder);
  }
  // A link that leads nowhere looks like no file until it is replaced.
  for (std::size_t s = 0; !links.empty() && s < work.samples.size(); ++s) {
    for (std::size_t i = 0; i < plan.outputs(); ++i) {
      const std::string path =
          output.PathOf(plan.OutputName(work.samples[s], i));
      if (links.contains(path)) return InTheWay(path);
    }
  }
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(output.path()));
  devices.emplace(info.device, output.path());
  for (auto& [device, folder] : devices) {
    work.folders.push_back(std::move(folder));
  }
  return Status();
}

// Whether the file may go: it is empty, or has the bytes that were written.
Result<bool> IsOurs(ReadableStorage& storage, const std::string& path,
                    const ResizedFile& made) {
  const auto file = storage.Open(path);
  if (file.status().code() == Code::kNotFound) return true;
  if (!file.ok()) return file.status();
  if ((*file)->size() == 0) return true;
  if (made.hash == 0 || (*file)->size() != made.size) return false;
  ByteBuffer bytes;
  bytes.Resize(made.size);
  SHARDINE_RETURN_IF_ERROR((*file)->ReadExactly(0, bytes.span()));
  return Xxh3_64(bytes.view()) == made.hash;
}

// Removes files made of an earlier state of a sample. They go before the record
// is written again, which then no longer lists them. All are compared with the
// bytes that were written before the first goes.
Status RemoveStale(const OutputFolder& output, const ResizePlan& plan,
                   const ResizeRecord& record) {
  Storage& storage = output.storage();
  std::vector<std::string> paths;
  for (const std::uint32_t sample : record.stale()) {
    for (std::size_t i = 0; i < plan.outputs(); ++i) {
      const ResizedFile made = record.file(sample, i);
      if (made.size == 0) continue;
      paths.push_back(output.PathOf(plan.OutputName(sample, i)));
      SHARDINE_ASSIGN_OR_RETURN(const bool ours,
                                IsOurs(storage, paths.back(), made));
      if (!ours) return InTheWay(paths.back());
    }
  }
  for (const std::string& path : paths) {
    const Status removed = storage.Remove(path);
    if (removed.code() == Code::kNotFound) continue;
    SHARDINE_RETURN_IF_ERROR(removed);
    // After a power cut the file must not come back under a record that knows
    // nothing of it, and be in the way.
    SHARDINE_RETURN_IF_ERROR(storage.SyncDirectory(DirectoryOf(path)));
  }
  return Status();
}

}  // namespace

Result<ResizeWork> FindResizeWork(const OutputFolder& output,
                                  const ResizePlan& plan,
                                  const ResizeRecord& record) {
  SHARDINE_RETURN_IF_ERROR(RemoveStale(output, plan, record));
  Finder finder(output, plan, record);
  SHARDINE_RETURN_IF_ERROR(finder.LookAtBases());
  ResizeWork work;
  for (std::size_t i = 0; i < plan.source().samples.size(); ++i) {
    SHARDINE_RETURN_IF_ERROR(finder.LookAtSample(i, work));
  }
  if (record.complete() && work.samples.empty()) return work;
  SHARDINE_RETURN_IF_ERROR(
      PrepareFolders(output, plan, record.existed(), work));
  return work;
}

}  // namespace shardine
