// The text of a note (tasks/task_note.h).
#ifndef SHARDINE_TASKS_NOTE_TEXT_H_
#define SHARDINE_TASKS_NOTE_TEXT_H_

#include <cstdint>

namespace shardine {

// The most bytes that a note has: a larger file is no note, and is not loaded
// to find that out. Every sample of a shard may be one that was left out.
inline constexpr std::uint64_t kMaxTaskNote = std::uint64_t{1} << 26;

}  // namespace shardine

#endif  // SHARDINE_TASKS_NOTE_TEXT_H_
