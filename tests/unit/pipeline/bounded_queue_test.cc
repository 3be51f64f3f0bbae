#include "pipeline/bounded_queue.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace shardine::bounded_queue_test {
namespace {

TEST_CASE("BoundedQueue hands items over in order", "[pipeline]") {
  BoundedQueue<int> queue(10);
  std::jthread producer([&] {
    for (int i = 0; i < 1000; ++i) CHECK(queue.Push(i, 3));
    queue.Close();
  });
  for (int i = 0; i < 1000; ++i) CHECK(queue.Pop() == i);
  CHECK(queue.Pop() == std::nullopt);
}

TEST_CASE("BoundedQueue hands over first what comes before the rest",
          "[pipeline]") {
  BoundedQueue<std::pair<int, char>> queue(100);
  const auto before = [](const auto& a, const auto& b) {
    return a.first < b.first;
  };
  for (const auto& item :
       {std::pair(2, 'a'), std::pair(1, 'b'), std::pair(2, 'c'),
        std::pair(0, 'd'), std::pair(1, 'e')}) {
    REQUIRE(queue.Push(item, 1, before));
  }
  std::string order;
  for (int i = 0; i < 5; ++i) order += queue.Pop()->second;
  CHECK(order == "dbeac");
}

TEST_CASE("BoundedQueue never holds more than its capacity", "[pipeline]") {
  BoundedQueue<int> queue(10);
  std::atomic<int> pushed = 0;
  std::jthread producer([&] {
    while (queue.Push(pushed, 3)) ++pushed;
  });
  const auto settles_at = [&](int count) {
    while (pushed < count) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return pushed == count;
  };
  // Three of weight 3 are 9; a fourth waits until one is taken.
  for (int taken = 0; taken < 5; ++taken) {
    CHECK(settles_at(3 + taken));
    CHECK(queue.Pop() == taken);
  }
  queue.Stop();
}

TEST_CASE("BoundedQueue lets an item heavier than its capacity in alone",
          "[pipeline]") {
  BoundedQueue<int> queue(10);
  REQUIRE(queue.Push(1, 1000));
  std::atomic<bool> second_in = false;
  std::jthread producer([&] {
    CHECK(queue.Push(2, 1));
    second_in = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(second_in);
  CHECK(queue.Pop() == 1);
  CHECK(queue.Pop() == 2);
}

TEST_CASE("BoundedQueue drains after Close and refuses new items",
          "[pipeline]") {
  BoundedQueue<std::unique_ptr<int>> queue(10);
  REQUIRE(queue.Push(std::make_unique<int>(7), 1));
  queue.Close();
  queue.Close();
  CHECK_FALSE(queue.Push(std::make_unique<int>(8), 1));
  CHECK(**queue.Pop() == 7);
  CHECK_FALSE(queue.Pop().has_value());
}

TEST_CASE("BoundedQueue wakes everyone when it is stopped", "[pipeline]") {
  BoundedQueue<int> full(1);
  REQUIRE(full.Push(1, 1));
  BoundedQueue<int> empty(1);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { CHECK_FALSE(full.Push(2, 1)); });
    threads.emplace_back([&] { CHECK_FALSE(empty.Pop().has_value()); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  full.Stop();
  empty.Stop();
  threads.clear();
  CHECK_FALSE(full.Pop().has_value());
}

}  // namespace
}  // namespace shardine::bounded_queue_test
