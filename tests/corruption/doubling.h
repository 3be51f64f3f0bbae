// Foreign bytes of a form, doubled ten times, under sanitizers seven times:
// memory and work at most double with them. In a program that is linked with
// peak_memory.cc.
#ifndef SHARDINE_TESTS_CORRUPTION_DOUBLING_H_
#define SHARDINE_TESTS_CORRUPTION_DOUBLING_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "io/memory_storage.h"
#include "shard/format_registry.h"
#include "shardine/format.h"
#include "shardine/index.h"
#include "shardine/verify.h"
#include "support/peak_memory.h"
#include "support/sanitized.h"

namespace shardine {

inline std::string Times(std::size_t count, std::string_view text) {
  std::string all;
  all.reserve(count * text.size());
  while (count-- > 0) all += text;
  return all;
}

inline std::string Name(std::size_t i) {
  char name[24];
  std::snprintf(name, sizeof(name), "%08zx", i);
  return name;
}

// `part` of 0, 1, ..., one after the other.
inline std::string Each(std::size_t count,
                        const std::function<std::string(std::size_t)>& part) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += part(i);
  return all;
}

// JSON whose values take more memory than their text.
inline std::string Numbers(std::size_t size) {
  return "[0" + Times(size, ",0") + "]";
}
inline std::string Lists(std::size_t size) {
  return "[0" + Times(size, ",[]") + "]";
}

struct Cost {
  std::uint64_t bytes = 0;  // of the form
  std::uint64_t peak = 0;
  double seconds = 0;  // of the processor
  Status status;
};

// The cost of `read` on the bytes.
inline Cost CostOf(const std::string& bytes,
                   const std::function<Status(const std::string&)>& read) {
  Cost cost;
  cost.bytes = bytes.size();
  ResetPeak();
  const std::clock_t begin = std::clock();
  cost.status = read(bytes);
  cost.seconds =
      static_cast<double>(std::clock() - begin) / double{CLOCKS_PER_SEC};
  cost.peak = PeakBytes();
  CHECK(cost.status.ToString().size() < 600);
  return cost;
}

// Short times and little memory say nothing. `end`: of the largest of ten, so
// that the form reached the part under test.
inline void CheckDoubling(
    std::size_t first, const std::string& end,
    const std::function<std::string(std::size_t)>& make,
    const std::function<Status(const std::string&)>& read) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  Cost before = CostOf(make(first), read);
  std::size_t size = first;
  for (int i = 0; i < (kSanitized ? 7 : 10); ++i) {
    size *= 2;
    const Cost cost = CostOf(make(size), read);
    CAPTURE(size, cost.bytes, cost.peak, before.peak, cost.seconds,
            before.seconds, cost.status.ToString());
    REQUIRE(cost.peak <= 256 * kMiB + 2 * cost.bytes);
    REQUIRE(cost.peak <= 2 * before.peak + before.peak / 2 + 4 * kMiB);
    REQUIRE(cost.seconds <= 3 * before.seconds + 0.3);
    before = cost;
  }
  if (kSanitized) return;
  CHECK_THAT(before.status.ToString(), Catch::Contains(end));
}

// A dataset around a file, and the findings of verify in the file alone.
inline Status IndexAndVerify(const std::string& format, std::string bytes) {
  const auto choice = ParseFormat(BuiltinFormats(), format);
  REQUIRE(choice.status().ToString() == "OK");
  MemoryStorage storage;
  const std::string path = "x" + std::string(choice->format->suffix);
  storage.Put(path, std::move(bytes));
  const Job job{.storage = &storage};
  IndexOptions index;
  index.files = {path};
  index.output = "out";
  index.split = "train";
  index.format = format;
  const auto indexed = IndexShards(index, job);
  const auto verified =
      Verify({.target = path, .level = VerifyLevel::kDeep}, job);
  if (!indexed.ok()) return indexed.status();
  return verified.status();
}

inline void CheckDoubling(const std::string& format, std::size_t first,
                          const std::string& end,
                          const std::function<std::string(std::size_t)>& make) {
  CheckDoubling(first, end, make, [&](const std::string& bytes) {
    return IndexAndVerify(format, bytes);
  });
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_CORRUPTION_DOUBLING_H_
