// A lock where the file system has none: a file that is made exclusively and
// names its maker and its time.
#ifndef SHARDINE_IO_OWNED_FILE_H_
#define SHARDINE_IO_OWNED_FILE_H_

#include <memory>
#include <string>

#include "shardine/status.h"

namespace shardine {

// Removes its file when it goes, if the file is still its own and this is the
// process that made it.
class OwnedFile {
 public:
  // kAlreadyExists, with the owner and the time: another process has it. The
  // file of a process of this machine that is gone is taken over.
  static Result<std::unique_ptr<OwnedFile>> Make(const std::string& path);
  ~OwnedFile();

  std::string weakness() const;

 private:
  OwnedFile(std::string path, std::string text);

  const std::string path_;
  const std::string text_;
  const int process_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_OWNED_FILE_H_
