// The hostile set (testdata/hostile): the result for each file, by its table,
// and its cost. SHARDINE_HOSTILE is the folder that make.py filled.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "image/check_image.h"
#include "image/image_decode.h"
#include "support/sanitized.h"

namespace shardine::hostile_test {
namespace {

namespace fs = std::filesystem;

// The promised time; a test must not fail because a machine is busy or code is
// not optimized, so it grants ten times as much time.
constexpr double kPromisedMs = 100;
[[maybe_unused]] constexpr double kGrantedMs = 10 * kPromisedMs;
// Above the decoded size.
[[maybe_unused]] constexpr long kPromisedKib = 64 * 1024;

// A row of the table. The words of `header` and `decode` are CheckImage's,
// "good" or a reason; those of `pixels` are PixelsWord's.
struct Verdict {
  std::string kind, header, decode, pixels;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << verdict.kind << ' ' << verdict.header << ' ' << verdict.decode
             << ' ' << verdict.pixels;
}

struct Outcome {
  Verdict verdict;
  double slowest_ms = 0;  // of the three calls, CPU time
  long above_kib = 0;     // peak of memory, less all pixels
};

std::string ContentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  content.shrink_to_fit();
  return content;
}

double CpuMs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec) / 1e6;
}

long PeakKib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::string Word(const ImageVerdict& verdict) {
  return verdict.good() ? "good" : verdict.reason;
}

std::string PixelsWord(const Result<std::vector<DecodeWarning>>& decoded) {
  if (decoded.ok()) return decoded->empty() ? "good" : "warned";
  switch (decoded.status().code()) {
    case Code::kCorrupt:
      return "corrupt";
    case Code::kUnsupported:
      return "unsupported";
    default:
      return decoded.status().ToString();
  }
}

Outcome Judge(ByteView bytes) {
  Outcome outcome;
  const auto timed = [&](auto step) {
    const double start = CpuMs();
    step();
    outcome.slowest_ms = std::max(outcome.slowest_ms, CpuMs() - start);
  };
  const long before = PeakKib();
  PixelBuffer pixels;
  Verdict& verdict = outcome.verdict;
  timed([&] {
    const ImageVerdict header = CheckImage(bytes, ImageCheck::kHeader);
    verdict.kind = ToString(header.facts.kind);
    verdict.header = Word(header);
  });
  timed([&] { verdict.decode = Word(CheckImage(bytes, ImageCheck::kDecode)); });
  std::size_t delivered = 0;
  timed([&] {
    const auto decoded = DecodeImage(bytes, {}, pixels);
    verdict.pixels = PixelsWord(decoded);
    delivered = pixels.bytes().size();
  });
  outcome.above_kib = PeakKib() - before - static_cast<long>(delivered / 1024);
  return outcome;
}

// Judges in a process of its own, which shows its use of time and memory and
// cannot hang. An empty kind: it died.
Outcome JudgeApart(const fs::path& path) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit seconds{120, 120};
    setrlimit(RLIMIT_CPU, &seconds);
    const std::string content = ContentOf(path);
    const Outcome outcome = Judge(AsBytes(content));
    std::ostringstream text;
    text << outcome.verdict << ' ' << outcome.slowest_ms << ' '
         << outcome.above_kib;
    const std::string line = text.str();
    const ssize_t written = write(ends[1], line.data(), line.size());
    _exit(written == static_cast<ssize_t>(line.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string line;
  char piece[512];
  for (ssize_t n; (n = read(ends[0], piece, sizeof(piece))) > 0;) {
    line.append(piece, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  Verdict& verdict = outcome.verdict;
  std::istringstream(line) >> verdict.kind >> verdict.header >>
      verdict.decode >> verdict.pixels >> outcome.slowest_ms >>
      outcome.above_kib;
  if (status != 0) verdict.kind.clear();
  return outcome;
}

// file, kind, header, decode, pixels, Pillow's verdict, remark.
std::map<std::string, Verdict> ReadTable(const fs::path& path) {
  std::map<std::string, Verdict> table;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');) {
      cells.push_back(cell);
    }
    REQUIRE(cells.size() >= 6);
    table[cells[0]] = {cells[1], cells[2], cells[3], cells[4]};
  }
  return table;
}

void Report(const std::map<std::string, Outcome>& outcomes) {
  std::map<std::string, int> counts;
  const std::pair<const std::string, Outcome>* slowest = nullptr;
  const std::pair<const std::string, Outcome>* largest = nullptr;
  for (const auto& entry : outcomes) {
    const Outcome& outcome = entry.second;
    ++counts[outcome.verdict.decode];
    if (!slowest || outcome.slowest_ms > slowest->second.slowest_ms) {
      slowest = &entry;
    }
    if (!largest || outcome.above_kib > largest->second.above_kib) {
      largest = &entry;
    }
  }
  for (const auto& [word, count] : counts) {
    std::printf("%5d %s\n", count, word.c_str());
  }
  if (slowest == nullptr) return;
  std::printf("slowest: %s, %.1f ms\nmost memory: %s, %ld KiB\n",
              slowest->first.c_str(), slowest->second.slowest_ms,
              largest->first.c_str(), largest->second.above_kib);
}

TEST_CASE("Each hostile file gets the verdict its table lists, soon and small",
          "[corruption][image]") {
  const char* folder = std::getenv("SHARDINE_HOSTILE");
  REQUIRE(folder != nullptr);
  const auto table =
      ReadTable(fs::path(SHARDINE_TESTDATA) / "hostile" / "verdicts.tsv");
  std::map<std::string, Outcome> outcomes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const Outcome outcome = JudgeApart(entry.path());
    outcomes[name] = outcome;
    INFO(name);
    const auto listed = table.find(name);
    if (listed == table.end()) {
      FAIL_CHECK("not in the table; is " << outcome.verdict);
      continue;
    }
    CHECK(outcome.verdict == listed->second);
    if (kSanitized) continue;
    CHECK(outcome.slowest_ms < kGrantedMs);
    CHECK(outcome.above_kib < kPromisedKib);
  }
  for (const auto& row : table) {
    INFO(row.first);
    CHECK(outcomes.contains(row.first));
  }
  CHECK(outcomes.size() >= 80);
  Report(outcomes);
}

}  // namespace
}  // namespace shardine::hostile_test
