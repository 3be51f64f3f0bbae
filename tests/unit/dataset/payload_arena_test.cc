#include "dataset/payload_arena.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace shardine::payload_arena_test {
namespace {

constexpr std::size_t kBlock = BlockPool::kBlockBytes;

void Fill(std::span<std::byte> piece, std::size_t number) {
  std::ranges::fill(piece, static_cast<std::byte>(number));
}

bool Holds(std::span<const std::byte> piece, std::size_t number) {
  return std::ranges::all_of(piece, [&](std::byte byte) {
    return byte == static_cast<std::byte>(number);
  });
}

TEST_CASE("Pieces of an arena do not overlap and are aligned, whatever sizes",
          "[load][arena][one_thread]") {
  PayloadArena arena(std::make_shared<BlockPool>());
  const std::vector<std::size_t> sizes = {
      0,      1,          63, 64, 65, 100'000, kBlock / 4, kBlock / 4 + 1,
      kBlock, 3 * kBlock, 7};
  std::vector<std::span<std::byte>> pieces;
  for (int round = 0; round < 30; ++round) {
    for (const std::size_t size : sizes) {
      pieces.push_back(arena.Get(size));
      CHECK(pieces.back().size() == size);
      Fill(pieces.back(), pieces.size());
      if (size > kBlock / 2) continue;  // memory of its own
      CHECK(reinterpret_cast<std::uintptr_t>(pieces.back().data()) % 64 == 0);
    }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    REQUIRE(Holds(pieces[i], i + 1));
  }
}

TEST_CASE("Threads get pieces of one arena at the same time", "[load][arena]") {
  constexpr std::size_t kThreads = 4;
  PayloadArena arena(std::make_shared<BlockPool>());
  std::vector<std::vector<std::span<std::byte>>> pieces(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 400; ++i) {
          pieces[t].push_back(arena.Get(1 + i * 97 % 9'000));
          Fill(pieces[t].back(), t + 1);
        }
      });
    }
  }
  for (std::size_t t = 0; t < kThreads; ++t) {
    for (const auto piece : pieces[t]) REQUIRE(Holds(piece, t + 1));
  }
}

TEST_CASE("Arenas of a pool use its blocks again and again", "[load][arena]") {
  const auto pool = std::make_shared<BlockPool>();
  std::set<const std::byte*> begins;
  for (int round = 0; round < 20; ++round) {
    PayloadArena arena(pool);
    for (int i = 0; i < 8; ++i) begins.insert(arena.Get(kBlock / 4).data());
    if (round % 2 == 0) arena.Clear();
  }
  // Four to a block, less where one begins within a line.
  CHECK(begins.size() <= 12);
}

TEST_CASE("A pool gives back what was held beyond its bound", "[load][arena]") {
  BlockPool pool;
  std::vector<BlockPool::Block> held;
  std::set<const std::byte*> begins;
  for (std::size_t i = 0; i < BlockPool::kMaxFree + 20; ++i) {
    held.push_back(pool.Get());
    begins.insert(held.back().get());
  }
  CHECK(begins.size() == held.size());
  const std::byte* const last_kept = held[BlockPool::kMaxFree - 1].get();
  for (BlockPool::Block& block : held) pool.Return(std::move(block));
  CHECK(pool.Get().get() == last_kept);
}

TEST_CASE("The block given back last is the next one", "[load][arena]") {
  BlockPool pool;
  BlockPool::Block first = pool.Get();
  BlockPool::Block second = pool.Get();
  const std::byte* const last = second.get();
  pool.Return(std::move(first));
  pool.Return(std::move(second));
  CHECK(pool.Get().get() == last);
}

}  // namespace
}  // namespace shardine::payload_arena_test
