#include "pack/published_files.h"

#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/digesting_file.h"

namespace shardine {
namespace {

// nullopt: the file does not exist.
Result<std::optional<Digest128>> DigestOf(ReadableStorage& storage,
                                          const std::string& path) {
  const auto digest = DigestOfFile(storage, path);
  if (digest.ok()) return std::optional(*digest);
  if (digest.status().code() != Code::kNotFound) return digest.status();
  return std::optional<Digest128>();
}

}  // namespace

Result<PublishedFiles> PublishedFiles::Of(const OutputFolder& output,
                                          const JournalWork& work) {
  const auto text = ReadJournalText(output.storage(), output.path());
  if (!text.ok() && text.status().code() != Code::kNotFound) {
    return text.status();
  }
  auto entry = text.ok() ? ParseJournal(*text) : std::nullopt;
  const bool of_other_work = entry && !Journal::IsOf(*entry, work);
  if (!entry || of_other_work) {
    entry = {work.made, work.plan_digest, work.shard_counts, {}};
  }
  return PublishedFiles(output, *std::move(entry), of_other_work);
}

Result<bool> PublishedFiles::IsOurs(const std::string& path) const {
  const auto noted = entry_.published.find(path);
  if (noted == entry_.published.end()) return false;
  SHARDINE_ASSIGN_OR_RETURN(const auto digest,
                            DigestOf(output_.storage(), output_.PathOf(path)));
  return digest && *digest == noted->second;
}

Status PublishedFiles::Write(const std::string& path,
                             std::string_view contents) {
  return WritePieces(path, [&](const Take& take) { return take(contents); });
}

Status PublishedFiles::WritePieces(
    const std::string& path, const std::function<Status(const Take&)>& emit) {
  const std::string at = output_.PathOf(path);
  Xxh3Stream stream;
  SHARDINE_RETURN_IF_ERROR(emit([&](std::string_view piece) {
    stream.Update(AsBytes(piece));
    return Status();
  }));
  const Digest128 digest = stream.Digest();
  SHARDINE_ASSIGN_OR_RETURN(const auto found, DigestOf(output_.storage(), at));
  if (found && *found == digest) return Status();
  // Gone before the journal names the new one: after a kill in between nothing
  // stands under the name that the journal does not know.
  SHARDINE_RETURN_IF_ERROR(TakeBack(path));
  if (of_other_work_) {
    return Status(Code::kChanged, "other work is under way in this folder")
        .At({.path = Journal::PathIn(output_)});
  }
  entry_.published[path] = digest;
  SHARDINE_RETURN_IF_ERROR(WriteFileAtomically(output_.storage(),
                                               Journal::PathIn(output_),
                                               AsBytes(JournalText(entry_))));
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file,
                            AtomicFile::Create(output_.storage(), at));
  SHARDINE_RETURN_IF_ERROR(emit(
      [&](std::string_view piece) { return file.Append(AsBytes(piece)); }));
  const Status written = file.PublishNew();
  // A run that was taken over has that code, too.
  const bool in_the_way =
      written.code() == Code::kAlreadyExists && output_.storage().Stat(at).ok();
  if (!in_the_way) return written;
  return Status(Code::kAlreadyExists,
                "is in the way, and nothing shows that this command made it; "
                "move it away and run the same command again")
      .At({.path = at});
}

Status PublishedFiles::TakeBack(const std::string& path) const {
  SHARDINE_ASSIGN_OR_RETURN(const bool ours, IsOurs(path));
  if (!ours) return Status();
  const std::string at = output_.PathOf(path);
  SHARDINE_RETURN_IF_ERROR(output_.Remove(at));
  // For good, before a shard goes on which the file stands.
  return output_.storage().SyncDirectory(DirectoryOf(at));
}

}  // namespace shardine
