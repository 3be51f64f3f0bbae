#include "lmdb/lmdb_file_writer.h"

#include <lmdb.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "io/native_file.h"

namespace shardine {
namespace {

// liblmdb holds the pages of a transaction in memory, which this bounds.
constexpr std::uint64_t kCommitBytes = std::uint64_t{32} << 20;
// The first map; the next ones are twice the one before. The size goes into
// the file, so it follows from the entries alone.
constexpr std::uint64_t kFirstMap = std::uint64_t{64} << 20;
// These pages are spare. A commit's list of free pages, and the pages that an
// insertion splits, take far fewer.
constexpr std::uint64_t kSparePages = 1024;
// Where a write was cut short and fewer bytes than this are left, the disk is
// full.
constexpr std::uint64_t kHardlyAny = std::uint64_t{1} << 20;

struct EnvCloser {
  void operator()(MDB_env* env) const { mdb_env_close(env); }
};
struct TxnAborter {
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
};

class LmdbFileWriterImpl : public LmdbFileWriter {
 public:
  explicit LmdbFileWriterImpl(NativeFile file) : file_(std::move(file)) {}

  Status Open() {
    MDB_env* env = nullptr;
    SHARDINE_RETURN_IF_ERROR(Check(mdb_env_create(&env), "create"));
    env_.reset(env);
    SHARDINE_RETURN_IF_ERROR(
        Check(mdb_env_set_mapsize(env, map_size_), "set the map size of"));
    // Synced once, when it is complete. Memory is initialised: the unused parts
    // of pages go into the file too.
    constexpr unsigned kFlags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC;
    SHARDINE_RETURN_IF_ERROR(Check(
        mdb_env_open(env, file_.native_path().c_str(), kFlags, 0666), "open"));
    return Begin();
  }

  Status Put(std::string_view key, const SplicedBytes& value,
             Order order) override {
    SHARDINE_RETURN_IF_ERROR(MakeRoom(value.size()));
    MDB_val name{key.size(), const_cast<char*>(key.data())};
    MDB_val data{static_cast<std::size_t>(value.size()), nullptr};
    unsigned flags = MDB_RESERVE | MDB_NOOVERWRITE;
    if (order == Order::kAscending) flags |= MDB_APPEND;
    const int code = mdb_put(txn_.get(), db_, &name, &data, flags);
    if (code == MDB_KEYEXIST) {
      return Status(Code::kAlreadyExists, "a key that is there already");
    }
    SHARDINE_RETURN_IF_ERROR(Check(code, "write"));
    value.CopyTo({static_cast<std::byte*>(data.mv_data), data.mv_size});
    txn_bytes_ += value.size();
    return {};
  }

  // Closing the environment comes first: the file is then as long as it will
  // be, and Commit() syncs and renames a complete file.
  Status Finish() override {
    SHARDINE_RETURN_IF_ERROR(Commit());
    env_.reset();
    return file_.Commit();
  }

 private:
  Status Begin() {
    MDB_txn* txn = nullptr;
    SHARDINE_RETURN_IF_ERROR(
        Check(mdb_txn_begin(env_.get(), nullptr, 0, &txn), "begin to write"));
    txn_.reset(txn);
    SHARDINE_RETURN_IF_ERROR(
        Check(mdb_dbi_open(txn, nullptr, 0, &db_), "open the database of"));
    txn_bytes_ = 0;
    start_ = {};
    return Check(mdb_stat(txn, db_, &start_), "write");
  }

  Status Commit() { return Check(mdb_txn_commit(txn_.release()), "write"); }

  // Commits when it is time, and so that the map need not grow while a
  // transaction is open: liblmdb could only give it up.
  Status MakeRoom(std::uint64_t value_bytes) {
    const bool full = txn_bytes_ > 0 && txn_bytes_ + value_bytes > kCommitBytes;
    if (!full && PagesAfter(value_bytes) <= MapPages()) return {};
    SHARDINE_RETURN_IF_ERROR(Commit());
    SHARDINE_RETURN_IF_ERROR(Begin());
    if (PagesAfter(value_bytes) <= MapPages()) return {};
    const std::uint64_t pages = PagesAfter(value_bytes);
    txn_.reset();
    while (MapPages() < pages) map_size_ *= 2;
    SHARDINE_RETURN_IF_ERROR(Check(mdb_env_set_mapsize(env_.get(), map_size_),
                                   "set the map size of"));
    return Begin();
  }

  std::uint64_t MapPages() const { return map_size_ / start_.ms_psize; }

  // An upper bound of the file's pages after a value of that size: the pages
  // before the transaction, all of whose branches and leaves it may have
  // copied, the pages it added, and spare ones.
  std::uint64_t PagesAfter(std::uint64_t value_bytes) const {
    MDB_envinfo info;
    MDB_stat now;
    SHARDINE_CHECK(mdb_env_info(env_.get(), &info) == 0);
    SHARDINE_CHECK(mdb_stat(txn_.get(), db_, &now) == 0);
    const auto tree = [](const MDB_stat& stat) {
      return stat.ms_branch_pages + stat.ms_leaf_pages;
    };
    const std::uint64_t added = tree(now) - tree(start_) +
                                now.ms_overflow_pages -
                                start_.ms_overflow_pages;
    return info.me_last_pgno + 1 + tree(start_) + added +
           value_bytes / now.ms_psize + kSparePages;
  }

  Status Check(int code, std::string_view action) {
    if (code == 0) return {};
    if (code > 0) {
      const bool full = code == EIO && IsDiskFull();
      return Status::FromErrno(full ? ENOSPC : code, action, file_.path());
    }
    return Status(Code::kFailed, "LMDB could not " + std::string(action) +
                                     " it: " + mdb_strerror(code))
        .At({.path = file_.path()});
  }

  // liblmdb says EIO of a write that was cut short.
  bool IsDiskFull() const {
    std::error_code error;
    const auto space = std::filesystem::space(file_.native_path(), error);
    return !error && space.available < kHardlyAny;
  }

  NativeFile file_;
  std::unique_ptr<MDB_env, EnvCloser> env_;
  std::unique_ptr<MDB_txn, TxnAborter> txn_;  // goes before env_
  MDB_dbi db_ = 0;
  std::uint64_t map_size_ = kFirstMap;
  std::uint64_t txn_bytes_ = 0;  // of values in the open transaction
  MDB_stat start_ = {};          // of the database, when it was begun
};

}  // namespace

Result<std::unique_ptr<LmdbFileWriter>> LmdbFileWriter::Create(
    Storage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(NativeFile file, NativeFile::Create(storage, path));
  auto writer = std::make_unique<LmdbFileWriterImpl>(std::move(file));
  SHARDINE_RETURN_IF_ERROR(writer->Open());
  return std::unique_ptr<LmdbFileWriter>(std::move(writer));
}

}  // namespace shardine
