#include "base/made_once.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/turn.h"

namespace shardine::made_once_test {
namespace {

// The result of `work` in a child, which ends after 20 s at the latest.
template <typename Work>
int InChild(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(work());
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_CASE("Threads that meet get one value", "[made_once]") {
  static constinit MadeOnce<std::string> made;
  constexpr int kThreads = 8;
  std::latch all_there(kThreads);
  std::vector<const std::string*> got(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&all_there, &got, i] {
        all_there.arrive_and_wait();
        got[i] = &made.Get([i] { return std::to_string(i); });
      });
    }
  }
  CHECK(std::set(got.begin(), got.end()).size() == 1);
  CHECK(&made.Get() == got.front());
}

// Concurrency review 7.
TEST_CASE("A child does not wait for what a thread of its parent makes",
          "[made_once]") {
  static constinit MadeOnce<int> made;
  static constinit Turn turn;
  std::latch is_inside(1), may_go_on(1);
  std::jthread maker([&] {
    const bool is_taken = turn.Take();
    const TurnEnd end(turn);
    made.Get([&] {
      is_inside.count_down();
      may_go_on.wait();
      return is_taken ? 1 : 0;
    });
  });
  is_inside.wait();
  CHECK_FALSE(turn.Take());
  CHECK(InChild([] { return made.Get([] { return 2; }); }) == 2);
  CHECK(InChild([] { return turn.Take() ? 3 : 0; }) == 3);
  may_go_on.count_down();
  maker.join();
  CHECK(made.Get() == 1);
  CHECK(turn.Take());
}

}  // namespace
}  // namespace shardine::made_once_test
