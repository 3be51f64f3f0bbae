#include "io/storage.h"

#include <cerrno>

#include "base/status_macros.h"

namespace shardine {

Status Storage::RenameNew(const std::string& from, const std::string& to) {
  const Status there = Stat(to).status();
  if (there.ok()) return Status::FromErrno(EEXIST, "rename to it", to);
  if (there.code() != Code::kNotFound) return there;
  return Rename(from, to);
}

}  // namespace shardine
