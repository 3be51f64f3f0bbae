// What the operating system means by an errno, for people who never saw one.
#ifndef SHARDINE_BASE_ERRNO_WORDS_H_
#define SHARDINE_BASE_ERRNO_WORDS_H_

#include <string>

namespace shardine {

// "no space left on the disk". The same in every locale for those that files,
// folders and processes give; else the system's words.
std::string ErrnoWords(int error);

}  // namespace shardine

#endif  // SHARDINE_BASE_ERRNO_WORDS_H_
