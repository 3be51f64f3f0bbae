#include "pack/replacement.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/sealed_text.h"
#include "base/status_macros.h"
#include "dataset/listed_files.h"
#include "dataset/manifest.h"
#include "dataset/manifest_check.h"
#include "dataset/own_path.h"
#include "dataset/rejects.h"
#include "dataset/unfinished.h"
#include "io/atomic_file.h"
#include "io/digesting_file.h"
#include "pack/journal.h"
#include "pack/output_state.h"
#include "pack/replacing_command.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kReplacementMagic = "shardine replacement 1\n";
// Paths of two datasets.
constexpr std::uint64_t kMaxRecord = std::uint64_t{1} << 30;

using Paths = std::vector<std::string>;  // in OUT

// The contents of the record.
struct Exchange {
  Paths old_files;
  Paths new_files;
  Digest128 command;  // zero: unknown, or it reads no replaced file
  // Kept for the new dataset: its inputs may be gone when the record is read.
  std::vector<RejectedCount> rejected_before = {};
};

bool IsManifest(const std::string& path) {
  return FileNameOf(path) == kManifestName;
}

OutputFolder NextOf(const OutputFolder& output) {
  return {output.storage(), output.WorkPath("next")};
}

std::string RecordText(const Exchange& exchange) {
  const auto list = [](const Paths& paths) {
    Json escaped = Json::array();
    for (const std::string& path : paths) escaped.push_back(EscapeBytes(path));
    return escaped;
  };
  Json root = {{"new", list(exchange.new_files)},
               {"old", list(exchange.old_files)}};
  if (exchange.command != Digest128()) {
    root["command"] = exchange.command.ToHex();
  }
  for (const RejectedCount& entry : exchange.rejected_before) {
    root["rejected_before"].push_back({{"action", entry.action},
                                       {"count", entry.count},
                                       {"reason", EscapeBytes(entry.reason)}});
  }
  return SealText(std::string(kReplacementMagic) + root.dump() + "\n");
}

bool GetPaths(const Json& root, const char* name, Paths& paths) {
  if (!root.is_object() || !root.contains(name) || !root[name].is_array()) {
    return false;
  }
  for (const Json& value : root[name]) {
    if (!value.is_string()) return false;
    auto path = UnescapeBytes(value.get_ref<const std::string&>());
    if (!path) return false;
    paths.push_back(*std::move(path));
  }
  return true;
}

// The member is optional.
bool GetCommand(const Json& root, Digest128& command) {
  const auto found = root.find("command");
  if (found == root.end()) return true;
  if (!found->is_string()) return false;
  const auto digest = Digest128::FromHex(found->get_ref<const std::string&>());
  if (digest) command = *digest;
  return digest.has_value();
}

// The member is optional.
bool GetRejectedBefore(const Json& root, std::vector<RejectedCount>& before) {
  const auto found = root.find("rejected_before");
  if (found == root.end()) return true;
  if (!found->is_array()) return false;
  for (const Json& entry : *found) {
    const bool is_count =
        entry.is_object() && entry.contains("action") &&
        entry["action"].is_string() && entry.contains("count") &&
        entry["count"].is_number_unsigned() && entry.contains("reason") &&
        entry["reason"].is_string();
    if (!is_count) return false;
    const auto reason =
        UnescapeBytes(entry["reason"].get_ref<const std::string&>());
    if (!reason) return false;
    before.push_back({*reason, entry["action"].get<std::string>(),
                      entry["count"].get<std::uint64_t>()});
  }
  return true;
}

// nullopt: no replacement is half done.
Result<std::optional<Exchange>> FindRecord(const OutputFolder& output) {
  const std::string path = output.WorkPath(kReplacementName);
  const auto text = ReadFile(output.storage(), path, kMaxRecord);
  if (text.status().code() == Code::kNotFound) {
    return std::optional<Exchange>();
  }
  if (!text.ok()) return text.status();
  const auto body = UnsealText(*text, kReplacementMagic);
  const Json root = body ? Json::parse(*body, nullptr, false) : Json();
  Exchange exchange;
  if (GetPaths(root, "old", exchange.old_files) &&
      GetPaths(root, "new", exchange.new_files) &&
      GetCommand(root, exchange.command) &&
      GetRejectedBefore(root, exchange.rejected_before)) {
    return std::optional(std::move(exchange));
  }
  return Status(Code::kCorrupt,
                "is damaged: it lists the files of a dataset that is being "
                "replaced here; what is left has to be put in order by hand")
      .At({.path = path});
}

// The folders with a manifest: OUT itself, and its sizes.
Result<Paths> DatasetFolders(const OutputFolder& output) {
  Storage& storage = output.storage();
  Paths folders;
  const auto add = [&](const std::string& folder) -> Status {
    const Status there =
        storage.Stat(output.PathOf(JoinPath(folder, kManifestName))).status();
    if (there.ok()) folders.push_back(folder);
    return there.code() == Code::kIo ? there : Status();
  };
  SHARDINE_RETURN_IF_ERROR(add(""));
  const auto sizes = storage.List(output.PathOf(kSizesFolder));
  if (!sizes.ok()) return folders;
  for (const DirEntry& entry : *sizes) {
    SHARDINE_RETURN_IF_ERROR(add(JoinPath(kSizesFolder, entry.name)));
  }
  return folders;
}

// All files of the datasets in those folders.
Result<Paths> FilesOfDatasets(const OutputFolder& output,
                              const Paths& folders) {
  Paths files;
  for (const std::string& folder : folders) {
    const OutputFolder below = output.Below(folder);
    SHARDINE_ASSIGN_OR_RETURN(const Manifest manifest,
                              ReadManifest(below.storage(), below.path()));
    if (manifest.plan_digest == Digest128()) {
      return Status(Code::kUnsupported,
                    "was indexed, and its shards are another program's files: "
                    "none of them is replaced; choose another folder")
          .At({.path = below.path()});
    }
    for (const ManifestFile* file : ListedFiles(manifest)) {
      files.push_back(JoinPath(folder, file->path));
    }
    files.push_back(JoinPath(folder, kManifestName));
  }
  return files;
}

// All files of the datasets that stand in a folder.
Result<Paths> DatasetFiles(const OutputFolder& output) {
  SHARDINE_ASSIGN_OR_RETURN(const Paths folders, DatasetFolders(output));
  return FilesOfDatasets(output, folders);
}

// The files below a folder of `root`, which may be absent.
Status AddFilesBelow(const OutputFolder& root, const std::string& folder,
                     Paths& files) {
  const auto entries = root.storage().List(root.PathOf(folder));
  if (entries.status().code() == Code::kNotFound) return Status();
  SHARDINE_RETURN_IF_ERROR(entries.status());
  for (const DirEntry& entry : *entries) {
    const std::string path = JoinPath(folder, entry.name);
    if (entry.kind == FileKind::kRegular) {
      files.push_back(path);
    } else if (entry.kind == FileKind::kDirectory && path != kWorkFolder) {
      SHARDINE_RETURN_IF_ERROR(AddFilesBelow(root, path, files));
    }
  }
  return Status();
}

// The datasets' files and the rejected images beside them, which no manifest
// lists.
Result<Paths> MadeFiles(const OutputFolder& next) {
  SHARDINE_ASSIGN_OR_RETURN(const Paths folders, DatasetFolders(next));
  SHARDINE_ASSIGN_OR_RETURN(Paths files, FilesOfDatasets(next, folders));
  for (const std::string& folder : folders) {
    SHARDINE_RETURN_IF_ERROR(
        AddFilesBelow(next, JoinPath(folder, kQuarantineFolder), files));
  }
  return files;
}

// Manifests come last, the manifest of OUT itself after those of its sizes.
void SortForPublishing(Paths& files) {
  std::ranges::sort(files, {}, [](const std::string& path) {
    return std::tuple(IsManifest(path), path == kManifestName, path);
  });
}

std::set<std::string> FoldersOf(const Paths& files) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    for (std::string folder = DirectoryOf(file);
         !folder.empty() && folder != "."; folder = DirectoryOf(folder)) {
      if (!folders.insert(folder).second) break;
    }
  }
  return folders;
}

// Best effort: a folder with a foreign file stays.
void RemoveEmptyFolders(const OutputFolder& root, const Paths& files) {
  const std::set<std::string> sorted = FoldersOf(files);
  const Paths deepest_first(sorted.rbegin(), sorted.rend());
  for (const std::string& folder : deepest_first) {
    (void)root.storage().Remove(root.PathOf(folder));
  }
}

// Carries out the record, from wherever an earlier run ended.
class Swap {
 public:
  Swap(const OutputFolder& output, const Exchange& exchange)
      : output_(output),
        next_(NextOf(output)),
        storage_(output.storage()),
        exchange_(exchange),
        new_(exchange.new_files.begin(), exchange.new_files.end()) {}

  // A record is a file that anybody may have written.
  Status CheckPaths() const {
    for (const Paths* paths : {&exchange_.old_files, &exchange_.new_files}) {
      std::set<std::string> folders;  // those that were looked at
      for (const std::string& path : *paths) {
        const bool is_ours =
            IsPathBelow(path) && !path.starts_with(std::string(kWorkFolder));
        if (!is_ours) {
          return Status(Code::kCorrupt, "is no file of a dataset in its folder")
              .At({.path = output_.PathOf(path)});
        }
        if (!folders.insert(DirectoryOf(path)).second) continue;
        SHARDINE_RETURN_IF_ERROR(CheckOwnFile(storage_, output_.path(), path));
      }
    }
    return Status();
  }

  // kAlreadyExists: something that is not to go has the name of a new file.
  Status CheckRoom() const {
    const std::set<std::string> going(exchange_.old_files.begin(),
                                      exchange_.old_files.end());
    for (const std::string& path : exchange_.new_files) {
      if (going.contains(path)) continue;
      const std::string at = output_.PathOf(path);
      const Status there = storage_.Stat(at).status();
      if (there.code() == Code::kNotFound) continue;
      if (!there.ok()) return there;
      SHARDINE_ASSIGN_OR_RETURN(const bool is_same, IsSame(path));
      if (is_same) continue;
      return Status(Code::kAlreadyExists,
                    "is in the way, and no manifest lists it; move it away and "
                    "run the same command again")
          .At({.path = at});
    }
    return Status();
  }

  Status Run() const {
    SHARDINE_RETURN_IF_ERROR(CheckPaths());
    SHARDINE_RETURN_IF_ERROR(RemoveOld(true));
    SHARDINE_RETURN_IF_ERROR(RemoveOld(false));
    for (const std::string& folder : FoldersOf(exchange_.new_files)) {
      SHARDINE_RETURN_IF_ERROR(
          storage_.CreateDirectories(output_.PathOf(folder)));
    }
    SHARDINE_RETURN_IF_ERROR(Place(false));
    SHARDINE_RETURN_IF_ERROR(Place(true));
    SHARDINE_RETURN_IF_ERROR(RemovePlaced());
    RemoveEmptyFolders(output_, exchange_.old_files);
    RemoveEmptyFolders(next_, exchange_.new_files);
    (void)Journal::RemoveFolder(next_);
    (void)storage_.Remove(next_.path());
    SHARDINE_RETURN_IF_ERROR(
        output_.Remove(output_.WorkPath(kReplacementName)));
    return storage_.SyncDirectory(output_.PathOf(kWorkFolder));
  }

 private:
  // Whether a new file has not got its place yet.
  Result<bool> Waits(const std::string& path) const {
    const Status there = storage_.Stat(next_.PathOf(path)).status();
    if (there.code() == Code::kNotFound) return false;
    if (!there.ok()) return there;
    return true;
  }

  // Whether the file that stands has the bytes of the new one: a rejected
  // image, or on S3 a copy whose source was not removed yet.
  Result<bool> IsSame(const std::string& path) const {
    const auto waiting = DigestOfFile(storage_, next_.PathOf(path));
    if (!waiting.ok()) return waiting.status();
    const auto standing = DigestOfFile(storage_, output_.PathOf(path));
    // An entry that is no file is not the same.
    return standing.ok() && *standing == *waiting;
  }

  // For good: no new file stands beside an old manifest.
  Status Sync(const Paths& files) const {
    for (const std::string& folder : FoldersOf(files)) {
      const Status synced = storage_.SyncDirectory(output_.PathOf(folder));
      if (synced.code() != Code::kNotFound) SHARDINE_RETURN_IF_ERROR(synced);
    }
    return storage_.SyncDirectory(output_.path());
  }

  // A file of a name that both datasets have is the old one as long as the new
  // one waits.
  Status RemoveOld(bool manifests) const {
    for (const std::string& path : exchange_.old_files) {
      if (IsManifest(path) != manifests) continue;
      if (new_.contains(path)) {
        SHARDINE_ASSIGN_OR_RETURN(const bool waits, Waits(path));
        if (!waits) continue;
      }
      SHARDINE_RETURN_IF_ERROR(output_.Remove(output_.PathOf(path)));
      // OUT's own manifest comes first: it lists those of the sizes.
      if (manifests) SHARDINE_RETURN_IF_ERROR(Sync({path}));
    }
    return Sync(exchange_.old_files);
  }

  Status Place(bool manifests) const {
    for (const std::string& path : exchange_.new_files) {
      if (IsManifest(path) == manifests) {
        SHARDINE_RETURN_IF_ERROR(Place(path));
      }
    }
    return Sync(exchange_.new_files);
  }

  // On S3 a file is copied to its place, and the first one may have stayed.
  Status RemovePlaced() const {
    Paths left;
    SHARDINE_RETURN_IF_ERROR(AddFilesBelow(next_, "", left));
    for (const std::string& path : left) {
      if (!new_.contains(path)) continue;
      SHARDINE_RETURN_IF_ERROR(output_.Remove(next_.PathOf(path)));
    }
    return Status();
  }

  Status Place(const std::string& path) const {
    const std::string from = next_.PathOf(path);
    const std::string to = output_.PathOf(path);
    SHARDINE_ASSIGN_OR_RETURN(const bool waits, Waits(path));
    if (waits) {
      const Status placed = storage_.RenameNew(from, to);
      if (placed.code() != Code::kAlreadyExists) return placed;
      SHARDINE_ASSIGN_OR_RETURN(const bool is_same, IsSame(path));
      return is_same ? output_.Remove(from) : placed;
    }
    const Status there = storage_.Stat(to).status();
    if (there.code() != Code::kNotFound) return there;
    return Status(Code::kCorrupt,
                  "is lost: it was to replace a file of the old dataset, and "
                  "is neither here nor in the folder .pack/next; make the "
                  "dataset in another folder")
        .At({.path = to});
  }

  const OutputFolder& output_;
  const OutputFolder next_;
  Storage& storage_;
  const Exchange& exchange_;
  const std::set<std::string> new_;
};

Result<Exchange> PlanExchange(const OutputFolder& output,
                              const Paths& old_files,
                              const Digest128& command) {
  Exchange exchange{
      .old_files = old_files, .new_files = {}, .command = command};
  SHARDINE_ASSIGN_OR_RETURN(exchange.new_files, MadeFiles(NextOf(output)));
  SortForPublishing(exchange.new_files);
  const Swap swap(output, exchange);
  SHARDINE_RETURN_IF_ERROR(swap.CheckPaths());
  SHARDINE_RETURN_IF_ERROR(swap.CheckRoom());
  return exchange;
}

// Carries out the record of an earlier run, and returns it.
Result<std::optional<Exchange>> FinishRecord(const OutputFolder& output) {
  SHARDINE_ASSIGN_OR_RETURN(auto exchange, FindRecord(output));
  if (!exchange) return exchange;
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock,
                            FolderLock::Take(output.storage(), output.path()));
  SHARDINE_RETURN_IF_ERROR(Swap(output, *exchange).Run());
  SHARDINE_RETURN_IF_ERROR(lock.Release());
  return exchange;
}

// The result of the run whose datasets stand in a folder.
Result<PackResult> DescribeDatasets(const OutputFolder& output,
                                    const std::vector<RejectedCount>& before) {
  SHARDINE_ASSIGN_OR_RETURN(Paths folders, DatasetFolders(output));
  // By short side, as in a plan.
  std::ranges::sort(folders, {}, [](const std::string& folder) {
    return std::pair(folder.size(), folder);
  });
  std::vector<PlannedVariant> variants;
  std::vector<Manifest> manifests;
  for (const std::string& folder : folders) {
    const OutputFolder below = output.Below(folder);
    SHARDINE_ASSIGN_OR_RETURN(manifests.emplace_back(),
                              ReadManifest(below.storage(), below.path()));
    variants.push_back({.number = folder.empty() ? 0U : variants.size() + 1,
                        .folder = folder,
                        .record = {},
                        .plan_digest = {}});
  }
  PackResult result;
  result.output = output.path();
  FillResult(variants, before, manifests, result);
  return result;
}

}  // namespace

Result<Replacement::Earlier> Replacement::FinishEarlier(
    const OutputFolder& output, const Provenance& command, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const auto exchange, FinishRecord(output));
  Earlier earlier;
  SHARDINE_ASSIGN_OR_RETURN(earlier.command,
                            DigestOfCommand(command, output, job));
  if (!exchange || exchange->command == Digest128() ||
      exchange->command != earlier.command) {
    return earlier;
  }
  SHARDINE_ASSIGN_OR_RETURN(
      earlier.made, DescribeDatasets(output, exchange->rejected_before));
  earlier.made->nothing_to_do = true;
  earlier.made->replaced = exchange->old_files;
  return earlier;
}

Result<std::vector<std::string>> Replacement::FilesToGo(
    const OutputFolder& output, const Refusal& refusal) {
  const Code refused = refusal().code();
  if (refused != Code::kChanged && refused != Code::kAlreadyExists) {
    return Paths();
  }
  return DatasetFiles(output);
}

Result<Replacement> Replacement::Begin(const OutputFolder& output, bool replace,
                                       const Refusal& refusal,
                                       const Digest128& command) {
  Replacement replacement(output);
  if (!replace) return replacement;
  replacement.command_ = command;
  SHARDINE_RETURN_IF_ERROR(FinishRecord(output).status());
  SHARDINE_ASSIGN_OR_RETURN(replacement.old_, FilesToGo(output, refusal));
  if (replacement.old_.empty()) return replacement;
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, output.Lock());
  replacement.lock_.emplace(std::move(lock));
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(replacement.old_, DatasetFiles(output));
  replacement.target_ = NextOf(output);
  return replacement;
}

Status Replacement::ClearTarget() const {
  if (!lock_) return Status();
  SHARDINE_ASSIGN_OR_RETURN(Paths files, DatasetFiles(target_));
  SortForPublishing(files);
  std::ranges::reverse(files);
  for (const std::string& file : files) {
    SHARDINE_RETURN_IF_ERROR(target_.Remove(target_.PathOf(file)));
  }
  RemoveEmptyFolders(target_, files);
  return Status();
}

Result<PackResult> Replacement::Finish(PackResult result) {
  if (!lock_) return result;
  SHARDINE_ASSIGN_OR_RETURN(auto exchange, FindRecord(output_));
  if (!exchange) {
    SHARDINE_ASSIGN_OR_RETURN(exchange, PlanExchange(output_, old_, command_));
    exchange->rejected_before = result.rejected_before;
    SHARDINE_RETURN_IF_ERROR(WriteFileAtomically(
        output_.storage(), output_.WorkPath(kReplacementName),
        AsBytes(RecordText(*exchange))));
  }
  SHARDINE_RETURN_IF_ERROR(Swap(output_, *exchange).Run());
  lock_.reset();
  result.output = output_.path();
  result.nothing_to_do = false;
  result.replaced = old_;
  return result;
}

}  // namespace shardine
