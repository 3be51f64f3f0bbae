#include "pipeline/sequencer.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

namespace shardine::sequencer_test {
namespace {

std::size_t One(std::uint64_t) { return 1; }

TEST_CASE("Sequencer delivers in slot order whatever the workers do",
          "[pipeline]") {
  for (const int workers : {1, 2, 7}) {
    Sequencer<std::uint64_t> sequencer(2000, 16, One);
    std::vector<std::jthread> threads;
    for (int w = 0; w < workers; ++w) {
      threads.emplace_back([&, w] {
        while (const auto slot = sequencer.Reserve()) {
          if ((*slot + static_cast<std::uint64_t>(w)) % 7 == 0) {
            std::this_thread::yield();
          }
          sequencer.Fill(*slot, *slot * 3);
        }
      });
    }
    for (std::uint64_t slot = 0; slot < 2000; ++slot) {
      REQUIRE(sequencer.Next() == slot * 3);
    }
    CHECK(sequencer.Next() == std::nullopt);
  }
}

TEST_CASE("Sequencer keeps the weight in flight within its capacity",
          "[pipeline]") {
  const auto weight = [](std::uint64_t slot) -> std::size_t {
    return 1 + slot % 5;
  };
  Sequencer<std::uint64_t> sequencer(1000, 8, weight);
  std::atomic<std::size_t> in_flight = 0;
  std::atomic<bool> exceeded = false;
  std::vector<std::jthread> threads;
  for (int w = 0; w < 4; ++w) {
    threads.emplace_back([&] {
      while (const auto slot = sequencer.Reserve()) {
        if ((in_flight += weight(*slot)) > 8) exceeded = true;
        sequencer.Fill(*slot, *slot);
      }
    });
  }
  while (true) {
    // A slot's weight is let go by the call after the one that returned it, so
    // it must leave this count before.
    const auto slot = sequencer.Next();
    if (!slot) break;
    in_flight -= weight(*slot);
  }
  CHECK_FALSE(exceeded);
}

TEST_CASE("Sequencer lets a slot heavier than its capacity go alone",
          "[pipeline]") {
  Sequencer<int> sequencer(3, 10, [](std::uint64_t slot) -> std::size_t {
    return slot == 1 ? 1000 : 1;
  });
  REQUIRE(sequencer.Reserve() == 0);
  std::atomic<int> reserved = 0;
  std::jthread worker([&] {
    while (const auto slot = sequencer.Reserve()) {
      ++reserved;
      sequencer.Fill(*slot, static_cast<int>(*slot));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(reserved == 0);
  sequencer.Fill(0, 0);
  CHECK(sequencer.Next() == 0);
  CHECK(sequencer.Next() == 1);
  CHECK(sequencer.Next() == 2);
  CHECK(sequencer.Next() == std::nullopt);
}

TEST_CASE("Sequencer counts what a slot turned out to weigh", "[pipeline]") {
  Sequencer<int> sequencer(4, 10,
                           [](std::uint64_t) -> std::size_t { return 4; });
  REQUIRE(sequencer.Reserve() == 0);
  REQUIRE(sequencer.Reserve() == 1);
  std::atomic<int> reserved = 0;
  std::jthread worker([&] {
    while (sequencer.Reserve()) ++reserved;
  });
  SECTION("lighter than it was taken to be makes room") {
    sequencer.Fill(0, 0, 1);
    while (reserved < 1) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(reserved == 1);  // 1 + 4 + 4
  }
  SECTION("heavier keeps others out until it is let go") {
    sequencer.Fill(0, 0, 100);
    sequencer.Fill(1, 1, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(reserved == 0);
    CHECK(sequencer.Next() == 0);
    CHECK(sequencer.Next() == 1);
    while (reserved < 2) std::this_thread::yield();
  }
  sequencer.Stop();
}

TEST_CASE("Sequencer wakes workers and consumer when it is stopped",
          "[pipeline]") {
  Sequencer<int> sequencer(10, 2, One);
  std::vector<std::jthread> threads;
  for (int w = 0; w < 3; ++w) {
    threads.emplace_back([&] {
      while (sequencer.Reserve()) {
      }
    });
  }
  std::jthread consumer([&] { CHECK(sequencer.Next() == std::nullopt); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  sequencer.Stop();
  sequencer.Stop();
  threads.clear();
  CHECK(sequencer.Reserve() == std::nullopt);
}

TEST_CASE("Sequencer without slots is done at once", "[pipeline]") {
  Sequencer<int> sequencer(0, 2, One);
  CHECK(sequencer.Reserve() == std::nullopt);
  CHECK(sequencer.Next() == std::nullopt);
}

}  // namespace
}  // namespace shardine::sequencer_test
