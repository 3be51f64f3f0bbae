// DescribeMachine: the facts for a bug report about a machine and the libraries
// that this process uses. Nothing is measured or written.
#ifndef SHARDINE_MACHINE_H_
#define SHARDINE_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardine {

struct MachineFolder {
  std::string use;   // "work": the working folder; "cache"
  std::string path;  // absolute
  // The folder exists. Else the members below describe the nearest one above
  // it.
  bool exists = false;
  std::string file_system;  // "ext4"; empty: unknown
  std::uint64_t bytes = 0;
  std::uint64_t free = 0;  // for this user
};

// Texts are empty where the machine does not tell.
struct Machine {
  std::string version;    // of shardine
  std::string system;     // "Linux 6.1.0 x86_64"
  std::string glibc;      // "2.36"
  std::string processor;  // "Intel(R) Xeon(R) CPU @ 2.20GHz"
  // The vector instructions in use, and the best that the processor has:
  // "portable", "sse4", "avx2", "avx512", "avx512vnni".
  std::string simd;
  std::string processor_simd;
  unsigned processors = 1;  // that this process may run on
  // The limit of this process's cgroups, in processors; none: no limit.
  std::optional<double> cgroup_processors = {};
  unsigned threads = 1;  // of this process, by default
  // Sorted: "libjpeg-turbo 2.1.5", "zlib 1.2.13". Libraries for servers are
  // found on the machine when they are needed, so either may be missing.
  std::vector<std::string> libraries;
  std::string tls;  // of libcurl: "OpenSSL/3.0.11"
  // The file or folder with the certificates that servers are checked by.
  std::string certificates;
  bool certificates_exist = false;
  std::vector<std::string> missing;  // a sentence for each missing library
  std::vector<std::string> gpus;     // "NVIDIA H100", as the driver says
  std::vector<MachineFolder> folders;
};

// Takes some ten milliseconds.
Machine DescribeMachine();

}  // namespace shardine

#endif  // SHARDINE_MACHINE_H_
