#include "hdf5/sandbox/sandbox_pool.h"

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "unit/hdf5/fake_sandbox.h"

namespace shardine::sandbox_pool_test {
namespace {

using Processes = std::vector<std::unique_ptr<SandboxProcess>>;

Processes TakeAll(SandboxPool& pool, int count) {
  Processes processes;
  for (int i = 0; i < count; ++i) {
    auto process = pool.Take();
    REQUIRE(process.ok());
    processes.push_back(*std::move(process));
  }
  return processes;
}

std::set<pid_t> PidsOf(const Processes& processes) {
  std::set<pid_t> pids;
  for (const auto& process : processes) pids.insert(process->pid());
  return pids;
}

void ReturnAll(SandboxPool& pool, Processes processes) {
  for (auto& process : processes) pool.Return(std::move(process));
}

bool IsThere(pid_t pid) { return kill(pid, 0) == 0; }

TEST_CASE("SandboxPool gives out a process that it was given back",
          "[hdf5][pool]") {
  SandboxPool pool({});
  pid_t first = 0;
  for (int i = 0; i < 5; ++i) {
    auto process = pool.Take();
    REQUIRE(process.ok());
    if (i == 0) first = (*process)->pid();
    CHECK((*process)->pid() == first);
    pool.Return(*std::move(process));
  }
  CHECK(pool.started() == 1);
}

TEST_CASE("SandboxPool keeps four processes that have nothing to do",
          "[hdf5][pool]") {
  SandboxPool pool({});
  Processes six = TakeAll(pool, 6);
  const std::set<pid_t> first = PidsOf(six);
  CHECK(first.size() == 6);
  ReturnAll(pool, std::move(six));
  CHECK(std::ranges::count_if(first, IsThere) == 4);
  const Processes again = TakeAll(pool, 6);
  const std::set<pid_t> second = PidsOf(again);
  CHECK(second.size() == 6);
  CHECK(std::ranges::count_if(
            second, [&](pid_t pid) { return first.contains(pid); }) == 4);
  CHECK(pool.started() == 8);
}

TEST_CASE("SandboxPool takes its idle processes with it", "[hdf5][pool]") {
  std::set<pid_t> pids;
  {
    SandboxPool pool({});
    Processes processes = TakeAll(pool, 3);
    pids = PidsOf(processes);
    ReturnAll(pool, std::move(processes));
    CHECK(std::ranges::all_of(pids, IsThere));
  }
  CHECK(std::ranges::none_of(pids, IsThere));
}

TEST_CASE("SandboxPool takes no process back in the middle of a request",
          "[hdf5][pool]") {
  SandboxPool pool({});
  auto process = pool.Take();
  REQUIRE(process.ok());
  const pid_t pid = (*process)->pid();
  const std::uint64_t size = 1000;
  REQUIRE((*process)
              ->Send(SandboxMessage::kOpen, std::as_bytes(std::span(&size, 1)))
              .ok());
  // It asks for the first bytes, and takes the next ones for them.
  pool.Return(*std::move(process));
  CHECK_FALSE(IsThere(pid));
  auto next = pool.Take();
  REQUIRE(next.ok());
  CHECK(pool.started() == 2);
}

TEST_CASE("SandboxPool takes back only a process that closed its file",
          "[hdf5][pool]") {
  const TempDirectory folder;
  const struct {
    std::string answer;
    std::uint64_t started;
  } cases[] = {
      {Says(Frame(SandboxMessage::kDone, "")) + "exec sleep 9", 1},
      {Says(Frame(SandboxMessage::kFailed, "not closed")) + "exec sleep 9", 2},
      {Says(Frame(SandboxMessage::kData, "")) + "exec sleep 9", 2},
      {Says("\1\2\3"), 2},
      {"exit 0", 2},
      {"exec sleep 9", 2}};
  for (const auto& c : cases) {
    INFO(c.answer);
    SandboxPool pool(
        {.patience = std::chrono::milliseconds(700),
         .program = MakeProgram(folder, Polite(Hears(0) + c.answer))});
    ReturnAll(pool, TakeAll(pool, 1));
    TakeAll(pool, 1);
    CHECK(pool.started() == c.started);
  }
}

TEST_CASE("SandboxPool starts anew where the idle processes died",
          "[hdf5][pool]") {
  SandboxPool pool({});
  Processes two = TakeAll(pool, 2);
  const std::set<pid_t> pids = PidsOf(two);
  ReturnAll(pool, std::move(two));
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  // They are given out, fail on their next file, and do not come back.
  for (int i = 0; i < 2; ++i) {
    auto process = pool.Take();
    REQUIRE(process.ok());
    CHECK(pids.contains((*process)->pid()));
    CHECK_FALSE((*process)->Receive().ok());
    pool.Return(*std::move(process));
  }
  const Processes fresh = TakeAll(pool, 1);
  CHECK_FALSE(pids.contains(fresh[0]->pid()));
  CHECK(fresh[0]->Send(SandboxMessage::kClose, {}).ok());
  CHECK(fresh[0]->Receive().ok());
}

TEST_CASE("SandboxPool names the program that it cannot start",
          "[hdf5][pool]") {
  SandboxPool pool({.program = "/nowhere/shardine-hdf5-scan"});
  for (int i = 0; i < 2; ++i) {
    const auto process = pool.Take();
    CHECK(process.status().code() == Code::kFailed);
    CHECK(process.status().where().path == "/nowhere/shardine-hdf5-scan");
  }
  CHECK(&SandboxPool::Global() == &SandboxPool::Global());
}

}  // namespace
}  // namespace shardine::sandbox_pool_test
