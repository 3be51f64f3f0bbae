#include "pipeline/processor_share.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "shardine/environment.h"

namespace shardine {
namespace {

// More than any Linux has.
constexpr int kMostProcessors = 1 << 20;

unsigned AllProcessors() {
  return std::max(std::thread::hardware_concurrency(), 1u);
}

// The number of processors that `process` may run on; 0 is this one. The kernel
// refuses sets that are smaller than its own, whose size it does not tell.
unsigned ProcessorsOf(pid_t process) {
  for (int count = 1024; count <= kMostProcessors; count *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(count), [](cpu_set_t* memory) { CPU_FREE(memory); });
    if (set == nullptr) break;
    if (::sched_getaffinity(process, bytes, set.get()) == 0) {
      return static_cast<unsigned>(std::max(CPU_COUNT_S(bytes, set.get()), 1));
    }
    if (errno != EINVAL) break;
  }
  return process == 0 ? AllProcessors() : 1;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

bool Has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The first number of each word of a file's first line; "max" is none.
std::vector<std::optional<double>> NumbersOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::optional<double>> numbers;
  for (const std::string& word : Split(line, ' ')) {
    double value = 0;
    const auto end =
        std::from_chars(word.data(), word.data() + word.size(), value);
    numbers.push_back(end.ec == std::errc() ? std::optional(value)
                                            : std::nullopt);
  }
  return numbers;
}

// A hierarchy of cgroups: version 2, or the one of version 1 that has "cpu".
struct Hierarchy {
  bool is_v2 = true;
  std::string group;       // of this process, as /proc/self/cgroup says
  std::string mount;       // where the hierarchy is
  std::string mount_root;  // the group that is there
};

// The lines are "2:cpu,cpuacct:/a/b", and "0::/a/b" for version 2.
bool FindGroup(const std::string& root, Hierarchy& hierarchy) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (hierarchy.is_v2 ? !names.empty() : !Has(Split(names, ','), "cpu"))
      continue;
    hierarchy.group = line.substr(second + 1);
    return true;
  }
  return false;
}

// The lines are "33 31 0:30 /a /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup
// rw,cpu", with any number of words before the dash.
bool FindMount(const std::string& root, Hierarchy& hierarchy) {
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = Split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const bool is_it = hierarchy.is_v2 ? dash[1] == "cgroup2"
                                       : dash[1] == "cgroup" &&
                                             Has(Split(dash[3], ','), "cpu");
    if (!is_it) continue;
    hierarchy.mount_root = words[3];
    hierarchy.mount = words[4];
    return true;
  }
  return false;
}

// The group as a path below the mount; empty for the mount itself, and where
// the group is not below it, as in a container that sees its own part alone.
std::string BelowMount(const Hierarchy& hierarchy) {
  std::string below = hierarchy.group;
  if (hierarchy.mount_root != "/") {
    if (!below.starts_with(hierarchy.mount_root)) return {};
    below.erase(0, hierarchy.mount_root.size());
  }
  const bool is_path = below.starts_with('/') && below.size() > 1;
  return is_path && below.find("/..") == std::string::npos ? below : "";
}

std::optional<double> LimitIn(const std::string& folder, bool is_v2) {
  auto numbers = NumbersOf(folder + (is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
  if (!is_v2) {
    const auto period = NumbersOf(folder + "/cpu.cfs_period_us");
    numbers.insert(numbers.end(), period.begin(), period.end());
  }
  if (numbers.size() != 2 || !numbers[0] || !numbers[1]) return std::nullopt;
  // Version 1 says -1 for no limit.
  if (!(*numbers[0] > 0) || !(*numbers[1] > 0)) return std::nullopt;
  return *numbers[0] / *numbers[1];
}

std::optional<double> Least(std::optional<double> a, std::optional<double> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

// A group has no more than those that it is in.
std::optional<double> LimitOf(const std::string& root, bool is_v2) {
  Hierarchy hierarchy{
      .is_v2 = is_v2, .group = {}, .mount = {}, .mount_root = {}};
  if (!FindGroup(root, hierarchy) || !FindMount(root, hierarchy)) {
    return std::nullopt;
  }
  std::optional<double> limit;
  std::string below = BelowMount(hierarchy);
  while (true) {
    const std::string folder = root + hierarchy.mount + below;
    limit = Least(limit, LimitIn(folder, is_v2));
    if (below.empty()) return limit;
    below.erase(below.rfind('/'));
  }
}

// 1 for anything but a number: it is another program's variable.
unsigned LocalRanks() {
  const std::string digits = Environment::Current().Of("LOCAL_WORLD_SIZE");
  unsigned ranks = 0;
  const auto end =
      std::from_chars(digits.data(), digits.data() + digits.size(), ranks);
  const bool is_number =
      end.ec == std::errc() && end.ptr == digits.data() + digits.size();
  return is_number ? std::max(ranks, 1u) : 1;
}

}  // namespace

unsigned ShareOf(const ProcessorFacts& facts) {
  // A launcher may have pinned each rank to its part already: then the parent's
  // processors are to be shared, and the rank's own set bounds its part.
  unsigned of_all = std::max(facts.own, facts.parent);
  if (facts.quota && *facts.quota < of_all) {
    // Rounded up, or a part of a processor would stand idle.
    of_all = static_cast<unsigned>(std::ceil(*facts.quota));
  }
  const unsigned of_rank = of_all / std::max(facts.local_ranks, 1u);
  return std::max(std::min(facts.own, of_rank), 1u);
}

std::optional<double> CgroupQuota(const std::string& root) {
  return Least(LimitOf(root, true), LimitOf(root, false));
}

ProcessorFacts FindProcessorFacts() {
  return {.own = ProcessorsOf(0),
          .parent = ProcessorsOf(::getppid()),
          .quota = CgroupQuota(),
          .local_ranks = LocalRanks()};
}

unsigned ThreadCount(unsigned wanted) {
  return wanted > 0 ? wanted : ShareOf(FindProcessorFacts());
}

}  // namespace shardine
