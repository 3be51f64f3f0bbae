// VerifyNote: the outcome of a task for one shard of the dataset that is
// verified. NOTES/shard-<number>.verified. Layout: tasks/FORMAT.md, "Notes of
// verifications".
#ifndef SHARDINE_TASKS_VERIFY_NOTE_H_
#define SHARDINE_TASKS_VERIFY_NOTE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "shardine/digest.h"
#include "shardine/verify.h"
#include "verify/shard_outcome.h"

namespace shardine {

struct VerifyNote {
  Digest128 plan = {};      // PlanFile::digest()
  std::uint64_t shard = 0;  // its number in the plan
  Digest128 facts = {};     // of its files, as in the plan
  // An outcome with findings has no sums, since none are used then.
  ShardOutcome outcome = {};
};

std::string VerifyNotePath(const OutputFolder& notes, std::size_t shard);

std::string VerifyNoteText(const VerifyNote& note);
// nullopt for a note that is not whole, or has impossible values.
std::optional<VerifyNote> ParseVerifyNote(std::string_view text);

// Whether the shard can have been found so at that level.
bool CanBe(const ShardOutcome& outcome, const ManifestShard& shard,
           VerifyLevel level);

// The most bytes that a note has: a larger file is no note, and is not loaded
// to find that out. Every record of a shard may be a finding.
inline constexpr std::uint64_t kMaxVerifyNote = std::uint64_t{1} << 28;

}  // namespace shardine

#endif  // SHARDINE_TASKS_VERIFY_NOTE_H_
