// The other process: its death, its hanging, and its absence.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "hdf5/hdf5_format.h"
#include "hdf5/sandbox/sandbox_greeting.h"
#include "io/local_storage.h"
#include "support/temp_directory.h"
#include "unit/hdf5/fake_sandbox.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::sandbox_process_test {
namespace {

const std::string kGolden = SHARDINE_TESTDATA "/golden/hdf5/meta.hdf5";

std::size_t ScanGolden(SandboxPool& pool, Status& status) {
  const auto file = LocalStorage().Open(kGolden);
  REQUIRE(file.ok());
  return ScanRows(**file, status, pool).size();
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

TEST_CASE("One sandboxed process serves many files", "[hdf5][process]") {
  SandboxPool pool({});
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

TEST_CASE("A sandboxed process keeps open nothing of the program's files",
          "[hdf5][process]") {
  // Other libraries open files like this: a process started now inherits it.
  const int inherited = open(kGolden.c_str(), O_RDONLY);
  REQUIRE(inherited > 2);
  SandboxPool pool({});
  auto process = pool.Take();
  close(inherited);
  REQUIRE(process.ok());
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           "/proc/" + std::to_string((*process)->pid()) + "/fd")) {
    files.insert(entry.path().filename());
  }
  CHECK(files == std::set<std::string>{"0", "1", "2"});
}

TEST_CASE("A sandboxed process that dies is replaced and leaves no zombie",
          "[hdf5][process]") {
  SandboxPool pool({});
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

TEST_CASE("A sandboxed process that crashes is said to have crashed",
          "[hdf5][process]") {
  const TempDirectory folder;
  const struct {
    const char* script;
    const char* message;
    Code code = Code::kFailed;
  } cases[] = {{"kill -SEGV $$", "crashed"},
               {"exit 0", "crashed"},
               {"exec sleep 100", "too long", Code::kUnsupported},
               {"printf 'nonsense that is no frame at all' >&0; exec sleep 3",
                "crashed"}};
  for (const auto& c : cases) {
    SandboxPool pool({.patience = std::chrono::milliseconds(1000),
                      .program = MakeProgram(folder, Polite(c.script))});
    INFO(c.script);
    Status status;
    const auto begin = std::chrono::steady_clock::now();
    CHECK(ScanGolden(pool, status) == 0);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    // Neither proves that the file is damaged.
    CHECK(status.code() == c.code);
    CHECK(status.where().path == kGolden);
    CHECK_THAT(status.message(), Catch::Contains(c.message));
  }
}

// How the pool refuses a program that does `script`.
Status Refusal(const std::string& program) {
  SandboxPool pool(
      {.patience = std::chrono::milliseconds(700), .program = program});
  Status status;
  CHECK(ScanGolden(pool, status) == 0);
  CHECK(status.code() == Code::kFailed);
  CHECK(status.where().path == program);
  CHECK_THAT(status.message(), Catch::Contains("SHARDINE_LIBEXEC_DIR"));
  return status;
}

TEST_CASE("A program that dies, is late or greets wrongly is no damaged file",
          "[hdf5][process]") {
  const TempDirectory folder;
  SandboxGreeting newer = OwnGreeting();
  ++newer.protocol;
  SandboxGreeting rebuilt = OwnGreeting();
  rebuilt.build = "9.9.9+\x1b[2J";
  const auto greets = [](const std::string& payload) {
    return Answering(Frame(SandboxMessage::kHello, payload), "exec sleep 100");
  };
  const struct {
    std::string script;
    const char* message;
  } cases[] = {
      {"exit 127", "ended before it said"},
      {"kill -SEGV $$", "ended before it said"},
      {"exec sleep 100", "did not say which version it is within 700 ms"},
      // Stops in the middle of its greeting.
      {"printf '\\040\\0\\0' >&0\nexec sleep 100", "within 700 ms"},
      {"printf 'some other program' >&0\nexec sleep 9", "as no version of it"},
      {greets(""), "as no version of it"},
      {greets(Encoded(newer) + "x"), "as no version of it"},
      {greets(std::string("\1\0\0\0\377\377\377\377", 8)),
       "as no version of it"},
      {Answering(Frame(SandboxMessage::kDone, Encoded(OwnGreeting())), ""),
       "as no version of it"},
      {greets(Encoded(newer)), "protocol 5) than this one ("},
      {greets(Encoded(rebuilt)), "version (9.9.9+\\x1B[2J, protocol 4) than"},
      // The answer of versions without greetings.
      {Answering(Frame(SandboxMessage::kFailed, "no such request"), ""),
       "an older version"}};
  for (const auto& c : cases) {
    INFO(c.script);
    const auto begin = std::chrono::steady_clock::now();
    const Status status = Refusal(MakeProgram(folder, c.script));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    CHECK_THAT(status.message(), Catch::Contains(c.message));
  }
}

TEST_CASE("A program that is missing or cannot be run says which of the two",
          "[hdf5][process]") {
  const TempDirectory folder;
  const std::string text = folder.path() + "/text";
  std::ofstream(text) << "not a program";
  REQUIRE(chmod(text.c_str(), 0644) == 0);
  CHECK_THAT(Refusal("/nowhere/shardine-hdf5-scan").message(),
             Catch::Contains("is not there"));
  CHECK_THAT(Refusal(folder.path()).message(),
             Catch::Contains("may not be executed"));
  CHECK_THAT(Refusal(text).message(), Catch::Contains("may not be executed"));
  REQUIRE(chmod(text.c_str(), 0755) == 0);
  CHECK_THAT(Refusal(text).message(), Catch::Contains("is no program"));
}

TEST_CASE("A process forked off starts a sandboxed process of its own",
          "[hdf5][process]") {
  SandboxPool pool({});
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
  SandboxPool pool({});
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
}  // namespace shardine::sandbox_process_test
