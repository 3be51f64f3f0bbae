// Bits of a 64 KiB shard flipped and cuts at its lengths, in the format that
// the environment names: with the sidecar verify finds all of them; how many a
// scan of the bare shard finds is counted and printed.
//
// SHARDINE_FORMAT: the format; SHARDINE_STEP: every how manieth bit or length.

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <thread>

#include "shard/format_registry.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"

namespace shardine::format_bits_test {
namespace {

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  INFO(name);
  REQUIRE(value != nullptr);
  return value;
}

FormatAndLayout FormatUnderTest() {
  const auto format = ParseFormat(BuiltinFormats(), Setting("SHARDINE_FORMAT"));
  REQUIRE(format.status().ToString() == "OK");
  return *format;
}

std::size_t Step() {
  return static_cast<std::size_t>(std::stoul(Setting("SHARDINE_STEP")));
}

// "out": one shard of about 64 KiB.
Snapshot PackOneShard() {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 6, 4600);
  PackOptions options = PackOf("tree", "out");
  options.format = FormatUnderTest().Name();
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
  return TakeSnapshot(storage, "out");
}

std::string ShardName() {
  return "train-00000-of-00001" + std::string(FormatUnderTest().format->suffix);
}

// Calls `try_one` with 0, step, ... below `end`, in two threads, each with a
// storage that has `files` in "out".
void Sweep(const Snapshot& files, std::size_t end,
           const std::function<void(MemoryStorage&, std::size_t)>& try_one) {
  const std::size_t step = Step();
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      MemoryStorage storage;
      for (const auto& [name, contents] : files) {
        storage.Put("out/" + name, contents);
      }
      for (std::size_t i = next.fetch_add(step); i < end;
           i = next.fetch_add(step)) {
        try_one(storage, i);
      }
    });
  }
}

std::string Flipped(std::string contents, std::size_t bit) {
  contents[bit / 8] ^= static_cast<char>(1 << (bit % 8));
  return contents;
}

// True if something is found, and it names file and record or byte.
bool Finds(Storage& storage, const std::string& target,
           const std::string& name) {
  VerifyOptions options;
  options.target = target;
  options.threads = 1;
  const auto result = Verify(options, {.storage = &storage});
  std::vector<Status> findings;
  if (result.ok()) {
    findings = result->findings;
  } else {
    findings.push_back(result.status());
  }
  for (const Status& finding : findings) {
    const Where& where = finding.where();
    if (where.path.find(name) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("Verify finds damage to a shard of this format", "[corruption]") {
  const Snapshot files = PackOneShard();
  const std::string name = ShardName();
  const std::string& shard = files.at(name);
  REQUIRE(shard.size() > 50'000);
  std::mutex mutex;
  std::vector<std::string> missed;  // guarded by mutex
  const auto check = [&](MemoryStorage& storage, const std::string& damaged,
                         const std::string& what) {
    storage.Put("out/" + name, damaged);
    if (Finds(storage, "out", name)) return;
    const std::lock_guard lock(mutex);
    missed.push_back(what);
  };
  Sweep(files, shard.size() * 8, [&](MemoryStorage& storage, std::size_t bit) {
    check(
        storage, Flipped(shard, bit),
        "byte " + std::to_string(bit / 8) + " bit " + std::to_string(bit % 8));
  });
  Sweep(files, shard.size(), [&](MemoryStorage& storage, std::size_t size) {
    check(storage, shard.substr(0, size), "cut to " + std::to_string(size));
  });
  for (std::size_t i = 0; i < missed.size() && i < 20; ++i) {
    UNSCOPED_INFO(missed[i]);
  }
  CHECK(missed.empty());
}

TEST_CASE("A scan of a damaged bare shard ends, whatever it finds",
          "[corruption]") {
  const Snapshot files = PackOneShard();
  const std::string name = ShardName();
  const std::string& shard = files.at(name);
  const std::string bare = "bare/" + name;
  std::atomic<std::size_t> flips = 0;
  std::atomic<std::size_t> flips_found = 0;
  std::atomic<std::size_t> cuts = 0;
  std::atomic<std::size_t> cuts_found = 0;
  Sweep({}, shard.size() * 8, [&](MemoryStorage& storage, std::size_t bit) {
    storage.Put(bare, Flipped(shard, bit));
    ++flips;
    flips_found += Finds(storage, bare, name) ? 1 : 0;
  });
  Sweep({}, shard.size(), [&](MemoryStorage& storage, std::size_t size) {
    storage.Put(bare, shard.substr(0, size));
    ++cuts;
    cuts_found += Finds(storage, bare, name) ? 1 : 0;
  });
  const auto percent = [](std::size_t part, std::size_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::printf("%s: %zu of %zu flips (%.2f %%), %zu of %zu cuts (%.2f %%)\n",
              FormatUnderTest().Name().c_str(), flips_found.load(),
              flips.load(), percent(flips_found, flips), cuts_found.load(),
              cuts.load(), percent(cuts_found, cuts));
  CHECK(flips_found > 0);
  CHECK(cuts_found > 0);
}

}  // namespace
}  // namespace shardine::format_bits_test
