// State that the threads of a process share and that stays usable in the child
// of a fork, which has one thread and all the memory. One lock and one handler:
// fork() would take two in an order of its own.
#ifndef SHARDINE_BASE_FORK_MUTEX_H_
#define SHARDINE_BASE_FORK_MUTEX_H_

#include <cstdint>
#include <mutex>

namespace shardine {

// Held for a few lines at a time, or while a library is loaded. The holder asks
// no server, and takes no other lock of ours. No thread holds it while the
// process forks: the handlers are there before main() begins.
std::mutex& ForkMutex();
// How many forks lead to this process.
std::uint64_t ForkGeneration();

// In the child of each fork `action` is called once, with ForkMutex() held.
// `action` must neither lock nor throw. May be called more than once with it.
void AtForkInChild(void (*action)());

}  // namespace shardine

#endif  // SHARDINE_BASE_FORK_MUTEX_H_
