#include "support/fault_sweep.h"

#include <catch2/catch.hpp>

#include "shard/companion_folder.h"

namespace shardine {

Snapshot Undisturbed(const Work& work) {
  MemoryStorage storage;
  work.prepare(storage);
  REQUIRE(work.run(storage).ToString() == "OK");
  return TakeSnapshot(storage, "out");
}

std::uint64_t CallsOf(const Work& work, Operation operation) {
  MemoryStorage storage;
  work.prepare(storage);
  FaultStorage counting(storage, {.operation = operation, .call = UINT64_MAX});
  REQUIRE(work.run(counting).ToString() == "OK");
  return counting.calls(operation);
}

void StrikeEachCall(const Work& work, Fault fault, std::uint64_t step,
                    std::uint64_t least, const CheckAftermath& check) {
  const std::uint64_t calls = CallsOf(work, fault.operation);
  REQUIRE(calls >= least);
  for (fault.call = 0; fault.call < calls; fault.call += step) {
    MemoryStorage storage;
    work.prepare(storage);
    FaultStorage faulty(storage, fault);
    const Status status = work.run(faulty);
    INFO("operation " << static_cast<int>(fault.operation) << " error "
                      << fault.error << " call " << fault.call << ": "
                      << status.ToString());
    REQUIRE(faulty.struck());
    check({storage, status, fault});
  }
}

void KillAtEachCall(const Work& work, std::uint64_t least,
                    const CheckAftermath& check) {
  StrikeEachCall(
      work, {.operation = Operation::kAny, .effect = Fault::Effect::kCrash},
      kSweepStep, least, check);
}

void StrikeEachCall(const Work& work, std::span<const Fault> faults,
                    const CheckAftermath& check) {
  for (const Fault& fault : faults) {
    StrikeEachCall(work, fault, kSweepStep, 1, check);
  }
}

bool IsFinalName(const std::string& name) {
  // Only the companion folder may stay of all folders that begin with a dot.
  for (std::string rest = name; !rest.empty();) {
    const std::string part = rest.substr(0, rest.find('/'));
    const bool is_folder = part.size() < rest.size();
    if (part.starts_with('.') && !(is_folder && part == kCompanionFolder)) {
      return false;
    }
    rest.erase(0, part.size() + (is_folder ? 1 : 0));
  }
  return true;
}

void CheckNothingHalfWritten(Storage& storage, const Snapshot& whole) {
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    if (!IsFinalName(name)) continue;
    INFO(name);
    REQUIRE(whole.contains(name));
    REQUIRE(whole.at(name) == contents);
  }
}

}  // namespace shardine
