// The other process: what happens when it dies, hangs, or is not there.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "hdf5/hdf5_format.h"
#include "hdf5/scan_program.h"
#include "support/temp_directory.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine {
namespace {

const std::string kGolden = SHARDINE_TESTDATA "/golden/hdf5/meta.hdf5";

std::size_t ScanGolden(ScanPool& pool, Status& status) {
  const auto file = LocalStorage().Open(kGolden);
  REQUIRE(file.ok());
  return ScanRows(**file, status, pool).size();
}

// A program that does `script` instead.
std::string MakeProgram(const TempDirectory& folder,
                        const std::string& script) {
  const std::string path = folder.path() + "/shardine-hdf5-scan";
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  REQUIRE(chmod(path.c_str(), 0755) == 0);
  return path;
}

int CountDescriptors() {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

TEST_CASE("One scanning process serves many files", "[hdf5][process]") {
  ScanPool pool({});
  Status status;
  const int before = CountDescriptors();
  for (int i = 0; i < 50; ++i) {
    CHECK(ScanGolden(pool, status) == 5);
    CHECK(status.ok());
  }
  CHECK(pool.started() == 1);
  // Its socket and its handle.
  CHECK(CountDescriptors() <= before + 2);
}

TEST_CASE("A scanning process that dies is replaced and leaves no zombie",
          "[hdf5][process]") {
  ScanPool pool({});
  auto process = pool.Take();
  REQUIRE(process.ok());
  const pid_t pid = (*process)->pid();
  kill(pid, SIGKILL);
  pool.Return(*std::move(process));
  CHECK(kill(pid, 0) != 0);
  Status status;
  CHECK(ScanGolden(pool, status) == 5);
  CHECK(status.ok());
  CHECK(pool.started() == 2);
}

// Answers the first question as it should, then does `script`.
std::string Polite(const char* script) {
  return std::string("dd bs=8 count=1 of=/dev/null 2>/dev/null\n") +
         "printf '\\024\\0\\0\\0\\0\\0\\0\\0' >&0\n" + script;
}

TEST_CASE("A scanning process that crashes is said to have crashed",
          "[hdf5][process]") {
  const TempDirectory folder;
  const struct {
    const char* script;
    const char* message;
  } cases[] = {{"kill -SEGV $$", "crashed"},
               {"exit 0", "crashed"},
               {"exec sleep 100", "too long"},
               {"printf 'nonsense that is no frame at all' >&0", "crashed"}};
  for (const auto& c : cases) {
    ScanPool pool({.patience = std::chrono::milliseconds(1000),
                   .program = MakeProgram(folder, Polite(c.script))});
    INFO(c.script);
    Status status;
    const auto begin = std::chrono::steady_clock::now();
    CHECK(ScanGolden(pool, status) == 0);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == kGolden);
    CHECK_THAT(status.message(), Catch::Contains(c.message));
  }
}

TEST_CASE("A scanning program that is missing or broken is no damaged file",
          "[hdf5][process]") {
  const TempDirectory folder;
  const char* const scripts[] = {"exit 127", "kill -SEGV $$", "exec sleep 100",
                                 "printf 'some other program' >&0"};
  std::vector<std::string> programs = {"/nowhere/shardine-hdf5-scan",
                                       folder.path()};
  for (std::size_t i = 0; i < std::size(scripts); ++i) {
    const std::string own = folder.path() + "/" + std::to_string(i);
    REQUIRE(mkdir(own.c_str(), 0755) == 0);
    programs.push_back(own + "/shardine-hdf5-scan");
    std::ofstream(programs.back()) << "#!/bin/sh\n" << scripts[i] << "\n";
    REQUIRE(chmod(programs.back().c_str(), 0755) == 0);
  }
  programs.push_back(folder.path() + "/no-program");
  std::ofstream(programs.back()) << "not a program";
  REQUIRE(chmod(programs.back().c_str(), 0755) == 0);
  for (const std::string& program : programs) {
    ScanPool pool(
        {.patience = std::chrono::milliseconds(300), .program = program});
    INFO(program);
    Status status;
    CHECK(ScanGolden(pool, status) == 0);
    CHECK(status.code() == Code::kFailed);
    CHECK(status.where().path == program);
    CHECK_THAT(status.message(), Catch::Contains("SHARDINE_LIBEXEC_DIR"));
  }
}

TEST_CASE("FindScanProgram looks in SHARDINE_LIBEXEC_DIR first",
          "[hdf5][process]") {
  const TempDirectory folder;
  const auto built = FindScanProgram();
  REQUIRE(built.ok());
  CHECK_THAT(*built, Catch::EndsWith("/libexec/shardine/shardine-hdf5-scan"));
  const std::string other = MakeProgram(folder, "exit 0");
  setenv("SHARDINE_LIBEXEC_DIR", folder.path().c_str(), 1);
  CHECK(*FindScanProgram() == other);
  unsetenv("SHARDINE_LIBEXEC_DIR");
  CHECK(*FindScanProgram() == *built);
}

TEST_CASE("A process forked off starts a scanning process of its own",
          "[hdf5][process]") {
  ScanPool pool({});
  Status status;
  CHECK(ScanGolden(pool, status) == 5);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Status inner;
    const bool good = ScanGolden(pool, inner) == 5 && pool.started() == 2;
    _exit(good ? 0 : 1);
  }
  // Both at once.
  for (int i = 0; i < 20; ++i) CHECK(ScanGolden(pool, status) == 5);
  int result = -1;
  REQUIRE(waitpid(child, &result, 0) == child);
  CHECK(result == 0);
  CHECK(pool.started() == 1);
}

TEST_CASE("Threads scan side by side, each with a process", "[hdf5][process]") {
  ScanPool pool({});
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        const auto file = LocalStorage().Open(kGolden);
        for (int round = 0; round < 10; ++round) {
          const auto scanner = OpenHdf5Scanner(**file, pool);
          int count = 0;
          while (scanner.ok()) {
            const auto sample = (*scanner)->Next();
            if (!sample.ok() || !*sample) break;
            ++count;
          }
          if (count == 5) ++right;
        }
      });
    }
  }
  CHECK(right == 60);
}

}  // namespace
}  // namespace shardine
