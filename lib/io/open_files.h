// How many files this process may have open at a time.
#ifndef SHARDINE_IO_OPEN_FILES_H_
#define SHARDINE_IO_OPEN_FILES_H_

#include <cstdint>

namespace shardine {

// The soft limit of the system; without one, as many as a number can say.
std::uint64_t OpenFileLimit();

}  // namespace shardine

#endif  // SHARDINE_IO_OPEN_FILES_H_
