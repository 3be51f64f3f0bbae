// Databases that liblmdb makes in memory, and its reading of them: the oracle
// for LmdbReader.
#ifndef SHARDINE_TESTS_UNIT_LMDB_LMDB_ORACLE_H_
#define SHARDINE_TESTS_UNIT_LMDB_LMDB_ORACLE_H_

#include <lmdb.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/philox.h"
#include "io/memory_storage.h"

namespace shardine {

using Entries = std::map<std::string, std::string>;

// Reproducible random numbers: stream `key`, from its start.
class OracleDraws {
 public:
  explicit OracleDraws(std::uint32_t key) : key_{key, 7} {}
  std::uint32_t Below(std::uint32_t bound) {
    return Philox4x32({count_++, 0, 0, 0}, key_)[0] % bound;
  }
  std::string Bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(Below(256));
    return bytes;
  }

 private:
  PhiloxKey key_;
  std::uint32_t count_ = 0;
};

// The bytes of an open file, the first `most` of them.
inline std::string BytesOf(int file, std::size_t most) {
  const auto size = static_cast<std::size_t>(lseek(file, 0, SEEK_END));
  std::string bytes(std::min(size, most), '\0');
  REQUIRE(pread(file, bytes.data(), bytes.size(), 0) ==
          static_cast<ssize_t>(bytes.size()));
  return bytes;
}

// The entries that a cursor of liblmdb visits, in its order.
inline std::vector<std::pair<std::string, std::string>> CursorContents(
    MDB_txn* txn, MDB_dbi db) {
  std::vector<std::pair<std::string, std::string>> all;
  MDB_cursor* cursor = nullptr;
  REQUIRE(mdb_cursor_open(txn, db, &cursor) == 0);
  MDB_val k;
  MDB_val v;
  while (mdb_cursor_get(cursor, &k, &v, MDB_NEXT) == 0) {
    all.emplace_back(
        std::string(static_cast<const char*>(k.mv_data), k.mv_size),
        std::string(static_cast<const char*>(v.mv_data), v.mv_size));
  }
  mdb_cursor_close(cursor);
  return all;
}

// A database on anonymous memory, written with liblmdb.
class OracleDb {
 public:
  explicit OracleDb(unsigned flags = 0, unsigned databases = 0) {
    memory_ = memfd_create("oracle", MFD_CLOEXEC);
    REQUIRE(memory_ >= 0);
    REQUIRE(mdb_env_create(&env_) == 0);
    REQUIRE(mdb_env_set_mapsize(env_, std::size_t{1} << 28) == 0);
    REQUIRE(mdb_env_set_maxdbs(env_, databases) == 0);
    REQUIRE(mdb_env_open(
                env_, ("/proc/self/fd/" + std::to_string(memory_)).c_str(),
                MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC | flags, 0600) == 0);
  }
  OracleDb(const OracleDb&) = delete;
  ~OracleDb() {
    if (txn_ != nullptr) mdb_txn_abort(txn_);
    mdb_env_close(env_);
    close(memory_);
  }

  void Begin(unsigned flags = 0, const char* name = nullptr) {
    REQUIRE(mdb_txn_begin(env_, nullptr, 0, &txn_) == 0);
    REQUIRE(mdb_dbi_open(txn_, name, flags, &db_) == 0);
  }
  void Put(const std::string& key, const std::string& value,
           unsigned flags = 0) {
    MDB_val k{key.size(), const_cast<char*>(key.data())};
    MDB_val v{value.size(), const_cast<char*>(value.data())};
    REQUIRE(mdb_put(txn_, db_, &k, &v, flags) == 0);
  }
  void Delete(const std::string& key) {
    MDB_val k{key.size(), const_cast<char*>(key.data())};
    REQUIRE(mdb_del(txn_, db_, &k, nullptr) == 0);
  }
  void Commit() {
    REQUIRE(mdb_txn_commit(txn_) == 0);
    txn_ = nullptr;
  }

  std::vector<std::pair<std::string, std::string>> Contents() {
    REQUIRE(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn_) == 0);
    REQUIRE(mdb_dbi_open(txn_, nullptr, 0, &db_) == 0);
    auto all = CursorContents(txn_, db_);
    mdb_txn_abort(txn_);
    txn_ = nullptr;
    return all;
  }

  // The bytes of the file.
  std::string File(std::size_t most = SIZE_MAX) const {
    return BytesOf(memory_, most);
  }

 private:
  int memory_ = -1;
  MDB_env* env_ = nullptr;
  MDB_txn* txn_ = nullptr;
  MDB_dbi db_ = 0;
};

// A file that was made elsewhere, as liblmdb has it.
class OracleFile {
 public:
  explicit OracleFile(const std::string& bytes) {
    memory_ = memfd_create("file", MFD_CLOEXEC);
    REQUIRE(memory_ >= 0);
    REQUIRE(pwrite(memory_, bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
    REQUIRE(mdb_env_create(&env_) == 0);
    REQUIRE(mdb_env_open(env_,
                         ("/proc/self/fd/" + std::to_string(memory_)).c_str(),
                         MDB_NOSUBDIR | MDB_NOLOCK | MDB_RDONLY, 0600) == 0);
  }
  OracleFile(const OracleFile&) = delete;
  ~OracleFile() {
    mdb_env_close(env_);
    close(memory_);
  }

  std::vector<std::pair<std::string, std::string>> Contents() {
    MDB_txn* txn = nullptr;
    MDB_dbi db = 0;
    REQUIRE(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn) == 0);
    REQUIRE(mdb_dbi_open(txn, nullptr, 0, &db) == 0);
    auto all = CursorContents(txn, db);
    mdb_txn_abort(txn);
    return all;
  }
  MDB_stat Stat() {
    MDB_stat stat;
    REQUIRE(mdb_env_stat(env_, &stat) == 0);
    return stat;
  }
  // A copy as mdb_copy -c makes it.
  std::string CompactCopy() {
    const int copy = memfd_create("copy", MFD_CLOEXEC);
    REQUIRE(copy >= 0);
    REQUIRE(mdb_env_copyfd2(env_, copy, MDB_CP_COMPACT) == 0);
    std::string bytes = BytesOf(copy, SIZE_MAX);
    close(copy);
    return bytes;
  }

 private:
  int memory_ = -1;
  MDB_env* env_ = nullptr;
};

inline std::string RandomKey(OracleDraws& draws) {
  switch (draws.Below(4)) {
    case 0:
      return std::to_string(draws.Below(3000));
    case 1:
      return draws.Bytes(1 + draws.Below(3));
    case 2:
      return std::string(draws.Below(450), 'k') +
             draws.Bytes(1 + draws.Below(8));
    default:
      return "n" + std::to_string(draws.Below(50)) + "/" + draws.Bytes(6);
  }
}

inline std::string RandomValue(OracleDraws& draws) {
  switch (draws.Below(6)) {
    case 0:
      return "";
    case 1:
      return std::string(4060 + draws.Below(40), 'v');
    case 2:
      // About the size from which values have pages of their own.
      return std::string(1400 + draws.Below(700), 'w');
    case 3:
      return std::string(draws.Below(30'000), 'x');
    default:
      return draws.Bytes(draws.Below(60));
  }
}

// Some transactions of insertions, replacements and deletions, mostly of few
// entries, sometimes of many.
inline void FillRandomly(OracleDb& db, OracleDraws& draws) {
  Entries entries;
  const std::uint32_t transactions = 1 + draws.Below(4);
  for (std::uint32_t t = 0; t < transactions; ++t) {
    const std::uint32_t most = draws.Below(12) == 0 ? 700 : 40;
    const std::uint32_t deletions = draws.Below(4);  // of 4
    const bool small = draws.Below(2) == 0;
    db.Begin();
    for (std::uint32_t n = draws.Below(most); n > 0; --n) {
      if (draws.Below(4) < deletions && !entries.empty()) {
        auto gone = entries.lower_bound(RandomKey(draws));
        if (gone == entries.end()) gone = entries.begin();
        db.Delete(gone->first);
        entries.erase(gone);
        continue;
      }
      const std::string key = RandomKey(draws);
      const std::string value =
          small ? draws.Bytes(draws.Below(20)) : RandomValue(draws);
      db.Put(key, value);
      entries[key] = value;
    }
    db.Commit();
  }
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_LMDB_ORACLE_H_
