#include "extract/tree_writer.h"

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

Status NotOver(const std::string& path, const char* what) {
  return Status(Code::kAlreadyExists, what).At({.path = path});
}

std::pair<std::uint64_t, std::uint64_t> IdOf(const FileInfo& info) {
  return {info.device, info.inode};
}

}  // namespace

Result<bool> TreeWriter::Write(const std::string& path, ByteView contents) {
  const std::string directory = DirectoryOf(path);
  SHARDINE_RETURN_IF_ERROR(EnterDirectory(directory));
  SHARDINE_ASSIGN_OR_RETURN(const bool there, HasContents(path, contents));
  if (!there) {
    const std::string temporary = TemporaryName(path);
    Status status = WriteNew(temporary, contents);
    if (status.ok()) status = storage_.Rename(temporary, path);
    if (!status.ok()) {
      static_cast<void>(storage_.Remove(temporary).ok());
      return status;
    }
  }
  SHARDINE_RETURN_IF_ERROR(AddOwn(path));
  return !there;
}

// Stat() follows links, so a dangling one looks like no file: they are
// looked up once per directory.
Status TreeWriter::EnterDirectory(const std::string& directory) {
  if (!entered_.insert(directory).second) return {};
  SHARDINE_RETURN_IF_ERROR(storage_.CreateDirectories(directory));
  SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_.List(directory));
  for (const DirEntry& entry : entries) {
    if (entry.kind != FileKind::kSymlink) continue;
    links_.insert(JoinPath(directory, entry.name));
  }
  return {};
}

// A link may lead to equal bytes and is no file all the same.
Result<bool> TreeWriter::HasContents(const std::string& path,
                                     ByteView contents) {
  const bool link = links_.contains(path);
  const auto info = storage_.Stat(path);
  if (!link && info.status().code() == Code::kNotFound) return false;
  if (!link && !info.ok()) return info.status();
  if (!link && twins_ && own_.contains(IdOf(*info))) {
    return NotOverOwn(path, *info);
  }
  if (!link && info->kind == FileKind::kRegular) {
    SHARDINE_ASSIGN_OR_RETURN(const bool same, Holds(path, contents));
    if (same) return true;
  }
  if (overwrite_) {
    if (!link && own_.contains(IdOf(*info))) return NotOverOwn(path, *info);
    return false;
  }
  return NotOver(
      path, link ? "a link has this name" : "is there with other contents");
}

// Files without an identity are in storages that keep all names apart.
Status TreeWriter::AddOwn(const std::string& path) {
  if (!overwrite_ && !twins_) return {};
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage_.Stat(path));
  if (info.inode != 0) own_.insert(IdOf(info));
  return {};
}

// All keys differ, and this file system has one file for two of them.
Status TreeWriter::NotOverOwn(const std::string& path, const FileInfo& own) {
  const std::string directory = DirectoryOf(path);
  std::string other = "a file of another name";
  SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_.List(directory));
  for (const DirEntry& entry : entries) {
    if (entry.name == FileNameOf(path)) continue;
    const auto info = storage_.Stat(JoinPath(directory, entry.name));
    if (info.ok() && IsSameFile(*info, own)) other = EscapeBytes(entry.name);
  }
  return Status(Code::kAlreadyExists,
                "is the same file as " + other +
                    ", which holds another sample of this extraction; "
                    "extract to a file system that tells such names apart")
      .At({.path = path});
}

Result<bool> TreeWriter::Holds(const std::string& path, ByteView contents) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(path));
  if (file->size() != contents.size()) return false;
  there_.Resize(contents.size());
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t read,
                            file->ReadAt(0, there_.span()));
  return read == contents.size() && AsText(there_.view()) == AsText(contents);
}

Status TreeWriter::WriteNew(const std::string& path, ByteView contents) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Create(path));
  SHARDINE_RETURN_IF_ERROR(file->Append(contents));
  return file->Close();
}

}  // namespace shardine
