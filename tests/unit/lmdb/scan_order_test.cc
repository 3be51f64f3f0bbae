// ScanOrder on databases that liblmdb makes, with lists of their keys that are
// right, stale or wrong.
#include "lmdb/scan_order.h"

#include <numeric>

#include "lmdb/value_codec.h"
#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::scan_order_test {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 22;
const std::string kKeys(kKeysEntry);
const std::string kLength(kLengthEntry);

using Keys = std::vector<std::string>;

std::string ListOf(const Keys& keys) {
  return Pickled([&](PickleWriter& pickle) {
    pickle.Op(kOpEmptyList);
    pickle.Op(kOpMark);
    for (const std::string& key : keys) pickle.Bytes(AsBytes(key));
    pickle.Op(kOpAppends);
  });
}

std::string NumberOf(std::int64_t number) {
  return Pickled([&](PickleWriter& pickle) { pickle.Int(number); });
}

// The bytes of a database with these entries.
std::string Database(const Entries& entries) {
  OracleDb db;
  db.Begin();
  for (const auto& [key, value] : entries) db.Put(key, value);
  db.Commit();
  return db.File();
}

struct Ordered {
  Keys keys;
  Status status;
};

// The keys in the order of the scan. Each has its own value.
Ordered Order(const Entries& entries, std::uint64_t max_memory = kMemory) {
  const TextFile file(Database(entries));
  const auto reader = LmdbReader::Open(file);
  REQUIRE(reader.ok());
  const auto codec = CodecOf("folder2lmdb");
  auto order = ScanOrder::Make(**reader, *codec, max_memory);
  Ordered found{{}, order.status()};
  while (order.ok()) {
    const auto entry = order->Next();
    found.status = entry.status();
    if (!entry.ok() || !*entry) break;
    found.keys.emplace_back(AsText((*entry)->key));
    const auto value = (*reader)->Value(**entry);
    REQUIRE(value.ok());
    REQUIRE(AsText(*value) == entries.at(found.keys.back()));
  }
  return found;
}

// Entries of these keys, with the value "of KEY".
Entries Some(const Keys& keys) {
  Entries entries;
  for (const std::string& key : keys) entries[key] = "of " + key;
  return entries;
}

Entries With(Entries entries, const std::string& key,
             const std::string& value) {
  entries[key] = value;
  return entries;
}

TEST_CASE("ScanOrder without a list is key order, by bytes", "[lmdb][order]") {
  // Before, between and after the two reserved keys, and of their beginning.
  const Keys keys = {"0",       "A",        "__keys_", "__keys__0", "__l",
                     "__len__", "__len__x", "a",       "\xff"};
  const Ordered found = Order(Some(keys));
  CHECK(found.status.ToString() == "OK");
  Keys expected = keys;
  std::erase(expected, kLength);
  CHECK(found.keys == expected);
  CHECK(Order({}).keys.empty());
  CHECK(Order(Some({kLength})).keys.empty());
}

TEST_CASE("ScanOrder follows any list of keys that exist", "[lmdb][order]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO("database " << seed);
    OracleDraws draws(seed);
    Keys keys;
    // Lists from a few bytes to some pages, and values of both kinds.
    const std::uint32_t count = 1 + draws.Below(seed % 5 == 0 ? 900 : 30);
    Entries entries;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string key = RandomKey(draws);
      if (!entries.emplace(key, RandomValue(draws)).second) continue;
      keys.insert(keys.begin() +
                      draws.Below(static_cast<std::uint32_t>(keys.size()) + 1),
                  key);
    }
    // Some entries are not listed.
    if (keys.size() > 3 && draws.Below(2) == 0) keys.resize(keys.size() - 2);
    entries[kKeys] = ListOf(keys);
    if (draws.Below(2) == 0) {
      entries[kLength] = NumberOf(static_cast<std::int64_t>(keys.size()));
    }
    const Ordered found = Order(entries);
    REQUIRE(found.status.ToString() == "OK");
    REQUIRE(found.keys == keys);
  }
}

TEST_CASE("ScanOrder takes a tuple for the list, and texts for the keys",
          "[lmdb][order]") {
  const std::string tuple = Pickled([](PickleWriter& pickle) {
    pickle.Text("b");
    pickle.Bytes(AsBytes("a"));
    pickle.Op(kOpTuple2);
  });
  CHECK(Order(With(Some({"a", "b", "c"}), kKeys, tuple)).keys ==
        Keys{"b", "a"});
}

TEST_CASE("ScanOrder passes over a list of which no key exists",
          "[lmdb][order]") {
  // Merged databases look like this; the length is as stale as the list.
  Entries merged = With(Some({"a", "b"}), kKeys, ListOf({"x", "y", "z"}));
  CHECK(Order(merged).keys == Keys{"a", "b"});
  CHECK(Order(With(merged, kLength, NumberOf(3))).keys == Keys{"a", "b"});
  CHECK(Order(With(merged, kLength, "junk")).keys == Keys{"a", "b"});
  // A list of itself lists no sample.
  const Keys reserved = {kKeys, kLength};
  CHECK(Order(With(Some({"a"}), kKeys, ListOf(reserved))).keys == Keys{"a"});
}

TEST_CASE("An empty list hides no entries, and keeps to its length",
          "[lmdb][order]") {
  const Entries listed = With(Some({"a", "b"}), kKeys, ListOf({}));
  CHECK(Order(listed).keys == Keys{"a", "b"});
  CHECK(Order(With(listed, kLength, NumberOf(0))).keys == Keys{"a", "b"});
  // An empty shard has these entries.
  const Entries empty = With({}, kKeys, ListOf({}));
  CHECK(Order(With(empty, kLength, NumberOf(0))).status.ToString() == "OK");
  CHECK(Order(With(empty, kLength, NumberOf(0))).keys.empty());
  CHECK(Order(With(empty, kLength, NumberOf(5))).status.code() ==
        Code::kCorrupt);
}

// The status of a database whose entry `key` has `value`, which must name where
// that entry lies.
Status Fault(const Entries& entries, const std::string& key,
             const std::string& value) {
  const Entries with = With(entries, key, value);
  const Ordered found = Order(with);
  CHECK(found.keys.empty());
  REQUIRE_FALSE(found.status.ok());
  // The key lies after the eight bytes of its node's head.
  INFO(found.status.ToString());
  REQUIRE(found.status.where().offset);
  CHECK(Database(with).substr(*found.status.where().offset + 8, key.size()) ==
        key);
  return found.status;
}

TEST_CASE("ScanOrder refuses a list of which only some keys exist",
          "[lmdb][order][corruption]") {
  const Entries some = Some({"a", "b", "c"});
  const Status missing = Fault(some, kKeys, ListOf({"a", "x", "c"}));
  CHECK(missing.code() == Code::kCorrupt);
  CHECK(missing.message() == "__keys__ lists 3 keys, of which only 2 exist");
  // The reserved keys exist, but are no samples.
  CHECK(Fault(some, kKeys, ListOf({"a", kKeys})).message() ==
        "__keys__ lists 2 keys, of which only 1 exist");
  CHECK(Fault(some, kKeys, ListOf({"a", ""})).message() ==
        "__keys__ lists 2 keys, of which only 1 exist");
  const Status twice = Fault(some, kKeys, ListOf({"c", "a", "c"}));
  CHECK(twice.code() == Code::kCorrupt);
  CHECK(twice.message() == "__keys__ lists a key twice");
}

TEST_CASE("ScanOrder refuses a length that is not that of the list",
          "[lmdb][order][corruption]") {
  const Entries listed = With(Some({"a", "b"}), kKeys, ListOf({"b", "a"}));
  CHECK(Order(With(listed, kLength, NumberOf(2))).keys == Keys{"b", "a"});
  const std::string others[] = {
      NumberOf(1),
      NumberOf(3),
      NumberOf(-2),
      Pickled([](PickleWriter& pickle) { pickle.Float(2); }),
      Pickled([](PickleWriter& pickle) { pickle.Text("2"); }),
      Pickled([](PickleWriter& pickle) { pickle.None(); })};
  for (const std::string& other : others) {
    const Status status = Fault(listed, kLength, other);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.message() ==
          "__len__ is not the number of keys that __keys__ lists, 2");
  }
  CHECK(Order(With(listed, kLength, "no pickle")).status.code() ==
        Code::kUnsupported);
  CHECK(Order(With(listed, kLength, "")).status.code() == Code::kCorrupt);
}

TEST_CASE("ScanOrder refuses a list that is none, and says what it is",
          "[lmdb][order][corruption]") {
  const auto said = [](const std::string& value) {
    const Status status = Fault(Some({"a"}), kKeys, value);
    CHECK(status.code() == Code::kUnsupported);
    const std::string end = ", where a list of keys is expected";
    REQUIRE(status.message().ends_with(end));
    return status.message().substr(0, status.message().size() - end.size());
  };
  CHECK(said(NumberOf(1)) == "__keys__ is of type int");
  CHECK(said(Pickled([](PickleWriter& pickle) {
          pickle.Bytes(AsBytes("a"));
        })) == "__keys__ is of type bytes");
  CHECK(said(Pickled([](PickleWriter& pickle) { pickle.Op(kOpEmptyDict); })) ==
        "__keys__ is of type dict");
  CHECK(said(Pickled([](PickleWriter& pickle) {
          pickle.Op(kOpEmptyList);
          pickle.Int(7);
          pickle.Op(kOpAppend);
        })) == "__keys__ has an item of type int");
}

TEST_CASE("ScanOrder holds no more of a list than it may", "[lmdb][order]") {
  Keys keys;
  Entries entries;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("key" + std::to_string(i));
    entries[keys.back()] = "";
  }
  entries[kKeys] = ListOf(keys);
  CHECK(Order(entries).keys == keys);
  const Ordered refused = Order(entries, 1 << 15);
  CHECK(refused.status.code() == Code::kUnsupported);
  CHECK_THAT(refused.status.message(), Catch::Contains("32768 bytes"));
}

}  // namespace
}  // namespace shardine::scan_order_test
