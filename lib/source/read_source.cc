#include "source/read_source.h"

#include <cerrno>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "io/many_files.h"
#include "shardine/escape.h"

namespace shardine {

namespace {

Status Changed(const std::string& path) {
  return Status(Code::kChanged,
                "changed or vanished since the work was planned; the same "
                "command plans anew")
      .At({.path = path});
}

bool IsGone(const Status& status) {
  return status.code() == Code::kNotFound || status.code() == Code::kChanged ||
         status.code() == Code::kUnsupported;
}

// Where each answer takes a while: with one request.
Status ReadWhole(ManyFiles& files, const std::string& path,
                 const SourceFacts& facts, ByteBuffer& bytes) {
  const std::size_t offset = bytes.size();
  bytes.Resize(offset + static_cast<std::size_t>(facts.size));
  WholeFile file{.path = path,
                 .mtime_ns = facts.mtime_ns,
                 .out = bytes.span().subspan(offset)};
  files.ReadWhole(std::span(&file, 1));
  return SinceThePlan(file.status, path);
}

}  // namespace

Status CheckSourceSize(const std::string& path, std::uint64_t size,
                       std::uint64_t max_payload) {
  std::string fault;
  if (size > max_payload) {
    fault = "a record of this format holds " + std::to_string(max_payload);
  } else if (size > kMaxSourceFile) {
    fault = "a source file has at most " + std::to_string(kMaxSourceFile);
  } else {
    return Status();
  }
  return Status(Code::kUnsupported, std::to_string(size) + " bytes; " + fault)
      .At({.path = path});
}

Status SinceThePlan(const Status& status, const std::string& path) {
  return IsGone(status) ? Changed(path) : status;
}

Status ReadSource(ReadableStorage& storage, const std::string& path,
                  const SourceFacts& facts, ByteBuffer& bytes) {
  if (ManyFiles* const files = storage.many_files()) {
    return ReadWhole(*files, path, facts, bytes);
  }
  auto file = storage.Open(path);
  if (!file.ok()) return SinceThePlan(file.status(), path);
  if ((*file)->size() != facts.size) return Changed(path);
  const std::size_t offset = bytes.size();
  bytes.Resize(offset + static_cast<std::size_t>(facts.size));
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t count,
                            (*file)->ReadAt(0, bytes.span().subspan(offset)));
  if (count != facts.size) return Changed(path);
  // Only now: it may have been written to while it was read.
  return CheckUnchanged(storage, path, facts);
}

Status CheckUnchanged(ReadableStorage& storage, const std::string& path,
                      const SourceFacts& facts) {
  auto info = storage.Stat(path);
  if (!info.ok()) return SinceThePlan(info.status(), path);
  const bool same =
      info->size == facts.size && info->mtime_ns == facts.mtime_ns;
  return same ? Status() : Changed(path);
}

bool IsUnreadable(const Status& status) {
  // A member of an archive is damaged.
  if (status.code() == Code::kCorrupt) return true;
  switch (status.system_error()) {
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENXIO:
    case EIO:
      return true;
    default:
      return false;
  }
}

Status CheckBadSources(const SourceSet& source, OnBad on_bad) {
  if (on_bad != OnBad::kFail || source.bad.empty()) return Status();
  const SourceProblem& first = source.bad[0];
  std::string reason = first.reason;
  if (first.line > 0) {
    reason += ", by line " + std::to_string(first.line) + " of " +
              EscapeBytes(first.list);
  }
  if (source.bad.size() > 1) {
    reason += " (the first of " + std::to_string(source.bad.size()) +
              " files that cannot be read)";
  }
  return Status(Code::kCorrupt, std::move(reason)).At({.key = first.key});
}

}  // namespace shardine
