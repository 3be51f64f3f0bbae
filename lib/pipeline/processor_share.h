// ProcessorShare: how many threads this process had better have at work, which
// is seldom the number of the machine's processors: containers get a part of
// their time, and the processes of a training job on one machine share them.
#ifndef SHARDINE_PIPELINE_PROCESSOR_SHARE_H_
#define SHARDINE_PIPELINE_PROCESSOR_SHARE_H_

#include <optional>
#include <string>

namespace shardine {

struct ProcessorFacts {
  unsigned own = 1;     // processors that this process may run on
  unsigned parent = 1;  // the same of the process that started it
  // The quota of this process's cgroups, in processors: 1.5 is three halves of
  // one's time. nullopt: no limit.
  std::optional<double> quota = {};
  // LOCAL_WORLD_SIZE, which torchrun sets: so many processes like this one.
  unsigned local_ranks = 1;
};

// At least 1. Ranks share the processors that their launcher may run on; a rank
// that was bound to fewer processors than its launcher has those for itself.
unsigned ShareOf(const ProcessorFacts& facts);

// The least of the limits of all cgroups that the process is in: cpu.max of
// version 2, cpu.cfs_quota_us of version 1. nullopt: none, or none that can be
// read. `root` stands before /proc and the places that it names; tests have
// files of their own there.
std::optional<double> CgroupQuota(const std::string& root = {});

ProcessorFacts FindProcessorFacts();

// The number of threads that an option asks for: 0 is this process's share.
unsigned ThreadCount(unsigned wanted);

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_PROCESSOR_SHARE_H_
