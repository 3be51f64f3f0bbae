// The meaning of an errno in plain words, for people new to errno.
#ifndef SHARDINE_BASE_ERRNO_WORDS_H_
#define SHARDINE_BASE_ERRNO_WORDS_H_

#include <string>

namespace shardine {

// "no space left on the disk". The same in every locale for those that files,
// folders and processes give; else the system's words.
std::string ErrnoWords(int error);

}  // namespace shardine

#endif  // SHARDINE_BASE_ERRNO_WORDS_H_
