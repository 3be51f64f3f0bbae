#include "verify/dataset_family.h"

#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_folder.h"
#include "shardine/address.h"
#include "verify/verify_tree.h"

namespace shardine {

Result<DatasetFamily> DatasetFamily::Open(ReadableStorage& storage,
                                          const VerifyOptions& options) {
  DatasetFamily family;
  SHARDINE_ASSIGN_OR_RETURN(auto root,
                            DatasetReader::Open(storage, options.target));
  const Manifest& manifest = root->manifest();
  if (!options.against.empty() && manifest.variant.short_side > 0) {
    return Status(Code::kInvalidArgument, "holds images at another size (" +
                                              manifest.variant.name +
                                              "), which are no files of a tree")
        .At({.path = options.target});
  }
  const std::string directory = root->directory();
  family.members_.push_back({.path = "", .reader = std::move(root)});
  for (const ManifestChild& child : manifest.variants) {
    Member member{.path = child.path, .child = &child};
    auto reader = DatasetReader::Open(storage, JoinPath(directory, child.path));
    const Code code = reader.status().code();
    if (reader.ok()) {
      member.reader = *std::move(reader);
    } else if (code == Code::kCorrupt || code == Code::kNotFound) {
      member.missing = std::move(reader).status();
    } else {
      // A disk that cannot be read at the moment is no damage.
      return std::move(reader).status();
    }
    family.members_.push_back(std::move(member));
  }
  return family;
}

VerifyOptions OptionsOfMember(VerifyOptions options,
                              const DatasetFamily::Member& member) {
  if (member.child != nullptr) {
    options.against.clear();
    options.list.clear();
  }
  return options;
}

Status CheckVerifyOptions(const VerifyOptions& options) {
  if (options.against.empty() && !options.list.empty()) {
    return Status(Code::kInvalidArgument,
                  "a list needs the folder that its paths are below");
  }
  if (options.list.empty() && !options.list_root.empty()) {
    return Status(Code::kInvalidArgument,
                  "a folder that a list's paths start from needs the list");
  }
  for (const SourceOptions::Folder& folder : NamedFolders(options.against)) {
    SHARDINE_RETURN_IF_ERROR(CheckAddress(folder.path));
  }
  return CheckAddress(options.against);
}

Result<std::string> FindShardFile(ReadableStorage& storage,
                                  const FormatRegistry& formats,
                                  const VerifyOptions& options) {
  const std::string& target = options.target;
  // First, since some servers answer with a page for a folder, too.
  SHARDINE_ASSIGN_OR_RETURN(const bool is_known,
                            IsRemoteDataset(storage, target));
  if (is_known) return std::string();
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage.Stat(target));
  const std::string file = formats.ShardFileAt(storage, target);
  const bool bare =
      file != target && !storage.Stat(JoinPath(target, kManifestName)).ok();
  const bool manifest = FileNameOf(target) == kManifestName;
  if ((info.kind == FileKind::kDirectory || manifest) && !bare) {
    return std::string();
  }
  if (options.against.empty()) return file;
  return Status(Code::kInvalidArgument,
                "is one shard file, whose images are not compared with "
                "their files; those of a dataset are")
      .At({.path = target});
}

}  // namespace shardine
