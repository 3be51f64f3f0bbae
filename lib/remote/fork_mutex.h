// What is shared by the threads of a process and has to be of use in the child
// of a fork as well, which has one thread and all the memory.
#ifndef SHARDINE_REMOTE_FORK_MUTEX_H_
#define SHARDINE_REMOTE_FORK_MUTEX_H_

#include <cstdint>
#include <mutex>

namespace shardine {

// For a few lines at a time: nothing may be asked of a server while it is held.
// No thread holds it while the process forks.
std::mutex& ForkMutex();
// How many forks lead to this process.
std::uint64_t ForkGeneration();

}  // namespace shardine

#endif  // SHARDINE_REMOTE_FORK_MUTEX_H_
