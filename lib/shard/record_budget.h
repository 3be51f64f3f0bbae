// RecordBudget: the cost of reading one record, or all, of a foreign file.
// Shared parts (a pickle's memo, Arrow's offsets, HDF5's links and references)
// let a few bytes ask for any amount of memory and work. Reader, codec and
// field maker of a format take from one budget.
#ifndef SHARDINE_SHARD_RECORD_BUDGET_H_
#define SHARDINE_SHARD_RECORD_BUDGET_H_

#include <cstdint>

namespace shardine {

// All limits but the limit of memory are in proportion to the record, so that
// twice the bytes cost at most twice the work. Each call takes from the budget,
// and is false where it is exceeded; the caller words the refusal.
// Thread-compatible.
class RecordBudget {
 public:
  // An integer takes two bytes in a pickle and eight in an array; some letters
  // take six in JSON.
  static constexpr std::uint64_t kCopiesPerByte = 8;
  static constexpr std::uint64_t kMoreCopies = 4096;
  static constexpr std::uint64_t kStepsPerByte = 64;
  static constexpr std::uint64_t kMoreSteps = std::uint64_t{1} << 20;

  // `most_held`: memory that a record of any size may take, bytes.
  explicit RecordBudget(std::uint64_t most_held) : most_held_(most_held) {}

  // Forgets all taken amounts. The next record has this many bytes in its file.
  void Begin(std::uint64_t record_bytes);

  // Takes memory, bytes.
  [[nodiscard]] bool Hold(std::uint64_t bytes);
  // Takes bytes that are made of the record's: converted arrays, lists of
  // numbers, names, JSON. They count as memory, too.
  [[nodiscard]] bool Copy(std::uint64_t bytes);
  // Takes payload that lies in the record as it is: each byte once.
  [[nodiscard]] bool Show(std::uint64_t bytes);
  // Takes values and objects that are looked at or passed by.
  [[nodiscard]] bool Step(std::uint64_t count = 1);

  std::uint64_t record_bytes() const { return record_bytes_; }
  std::uint64_t most_held() const { return most_held_; }
  std::uint64_t held() const { return held_; }
  std::uint64_t copied() const { return copied_; }
  std::uint64_t steps() const { return steps_; }
  // The number of copies that Copy() would still grant.
  std::uint64_t copies_left() const;

 private:
  const std::uint64_t most_held_;
  std::uint64_t record_bytes_ = 0;
  std::uint64_t held_ = 0;
  std::uint64_t copied_ = 0;
  std::uint64_t shown_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_RECORD_BUDGET_H_
