#include "base/errno_words.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

namespace shardine {
namespace {

struct Words {
  int error;
  const char* text;
};

constexpr Words kWords[] = {
    {EACCES, "permission denied"},
    {EAGAIN, "no more processes, threads or memory are allowed"},
    {EBADF, "it is not open"},
    {EBUSY, "it is in use"},
    {EDQUOT, "no space left in this user's share of the disk"},
    {EEXIST, "it exists already"},
    {EFBIG, "the file would be larger than is allowed"},
    {EIO, "the device cannot be read or written"},
    {EISDIR, "it is a folder, not a file"},
    {ELOOP, "the symbolic links lead in a circle"},
    {EMFILE, "this process has as many files open as it may"},
    {ENAMETOOLONG, "the name is too long"},
    {ENFILE, "this machine has as many files open as it can"},
    {ENODEV, "there is no such device"},
    {ENOENT, "no such file or folder"},
    {ENOMEM, "no memory left"},
    {ENOSPC, "no space left on the disk"},
    {ENOTDIR, "a part of the path is a file, not a folder"},
    {ENOTEMPTY, "the folder is not empty"},
    {EPERM, "the system does not permit it"},
    {EPIPE, "nobody reads it any more"},
    {EROFS, "it is on a disk that can only be read"},
    {ESTALE, "the file server has lost it"},
    {ETIMEDOUT, "there was no answer in time"},
    {EXDEV, "it is on another disk"},
};

}  // namespace

std::string ErrnoWords(int error) {
  const auto* found = std::ranges::find(kWords, error, &Words::error);
  return found == std::end(kWords) ? std::generic_category().message(error)
                                   : found->text;
}

}  // namespace shardine
