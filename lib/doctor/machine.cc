#include "shardine/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/library_versions.h"
#include "base/simd_level.h"
#include "cache/open_cache.h"
#include "doctor/mounted_folder.h"
#include "image/codec_versions.h"
#include "pipeline/processor_share.h"
#include "remote/remote_libraries.h"
#include "shardine/environment.h"
#include "shardine/remote_options.h"
#include "shardine/version.h"

namespace shardine {
namespace {

std::string System() {
  struct utsname names;
  if (::uname(&names) != 0) return {};
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

// confstr says "glibc 2.36".
std::string Glibc() {
  std::array<char, 64> text{};
  if (::confstr(_CS_GNU_LIBC_VERSION, text.data(), text.size()) == 0) return {};
  const std::string name = text.data();
  return name.starts_with("glibc ") ? name.substr(6) : "";
}

// The text after `name` and a colon in the first line that begins so.
std::string ValueIn(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == line.npos ? "" : line.substr(value);
  }
  return {};
}

// NVIDIA's driver lists GPUs here for programs that do not load its libraries.
std::vector<std::string> Gpus() {
  std::vector<std::string> gpus;
  std::error_code failed;  // no driver: no GPU
  for (std::filesystem::directory_iterator folder("/proc/driver/nvidia/gpus",
                                                  failed);
       !failed && folder != std::filesystem::directory_iterator();
       folder.increment(failed)) {
    const std::string model =
        ValueIn(folder->path().string() + "/information", "Model");
    if (!model.empty()) gpus.push_back(model);
  }
  std::ranges::sort(gpus);
  return gpus;
}

void AddLibraries(Machine& machine) {
  machine.libraries = BaseLibraryVersions();
  const auto add = [&](const std::vector<std::string>& versions) {
    machine.libraries.insert(machine.libraries.end(), versions.begin(),
                             versions.end());
  };
  add(ImageLibraryVersions());
  const RemoteLibraries remote = FindRemoteLibraries(Environment::Current());
  add(remote.versions);
  std::ranges::sort(machine.libraries);
  machine.missing = remote.missing;
  machine.tls = remote.tls;
  machine.certificates = remote.certificates;
  machine.certificates_exist = ::access(remote.certificates.c_str(), R_OK) == 0;
}

}  // namespace

Machine DescribeMachine() {
  Machine machine;
  machine.version = Version();
  machine.system = System();
  machine.glibc = Glibc();
  machine.processor = ValueIn("/proc/cpuinfo", "model name");
  machine.simd = ToString(CurrentSimdLevel());
  machine.processor_simd = ToString(ProcessorSimdLevel());
  const ProcessorFacts facts = FindProcessorFacts();
  machine.processors = facts.own;
  machine.cgroup_processors = facts.quota;
  machine.threads = ShareOf(facts);
  AddLibraries(machine);
  machine.gpus = Gpus();
  machine.folders.push_back(DescribeFolder("work", "."));
  const std::string set = RemoteOptionsOf("").cache;
  const std::string cache = set.empty() ? UserCacheFolder() : set;
  if (!cache.empty() && cache != kNoCache) {
    machine.folders.push_back(DescribeFolder("cache", cache));
  }
  return machine;
}

}  // namespace shardine
