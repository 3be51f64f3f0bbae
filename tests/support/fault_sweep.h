// Faults and kills at each call that a piece of work makes of its storage.
#ifndef SHARDINE_TESTS_SUPPORT_FAULT_SWEEP_H_
#define SHARDINE_TESTS_SUPPORT_FAULT_SWEEP_H_

#include <cstdint>
#include <functional>
#include <span>

#include "io/memory_storage.h"
#include "shardine/status.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/sanitized.h"

namespace shardine {

struct Work {
  std::function<void(MemoryStorage&)> prepare;  // makes the state before
  std::function<Status(Storage&)> run;          // leaves its output in "out"
};

// Sweeps over all calls take each of them; under sanitizers, where they are
// slow, each 23rd.
inline constexpr std::uint64_t kSweepStep = kSanitized ? 23 : 1;

// The output of the work when nothing happens.
Snapshot Undisturbed(const Work& work);
// How many calls of that kind it makes then.
std::uint64_t CallsOf(const Work& work, Operation operation);

// After one run with one fault, which struck.
struct Aftermath {
  MemoryStorage& storage;
  const Status& status;  // of that run
  const Fault& fault;
};
using CheckAftermath = std::function<void(const Aftermath&)>;

// The work in a storage of its own for every `step`-th of the calls that
// `fault` is of, that one struck. Requires that there are `least` calls.
void StrikeEachCall(const Work& work, Fault fault, std::uint64_t step,
                    std::uint64_t least, const CheckAftermath& check);
// Killed at every kSweepStep-th call; or for all these faults, at each such.
void KillAtEachCall(const Work& work, std::uint64_t least,
                    const CheckAftermath& check);
void StrikeEachCall(const Work& work, std::span<const Fault> faults,
                    const CheckAftermath& check);

// In "out", files under final names (neither hidden nor in a hidden folder)
// equal an undisturbed run's, or are absent.
bool IsFinalName(const std::string& name);
void CheckNothingHalfWritten(Storage& storage, const Snapshot& whole);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_FAULT_SWEEP_H_
