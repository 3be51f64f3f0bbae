#include "remote/fork_mutex.h"

#include <pthread.h>

#include <atomic>

namespace shardine {
namespace {

std::atomic<std::uint64_t> generation = 0;

std::mutex* MakeMutex() {
  static std::mutex* mutex = new std::mutex;
  pthread_atfork([] { mutex->lock(); }, [] { mutex->unlock(); },
                 [] {
                   ++generation;
                   mutex->unlock();
                 });
  return mutex;
}

}  // namespace

std::mutex& ForkMutex() {
  static std::mutex* const mutex = MakeMutex();
  return *mutex;
}

std::uint64_t ForkGeneration() { return generation; }

}  // namespace shardine
