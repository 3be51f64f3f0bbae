// A file in memory, opened in the process that reads HDF5.
#ifndef SHARDINE_TESTS_UNIT_HDF5_OPENED_SESSION_H_
#define SHARDINE_TESTS_UNIT_HDF5_OPENED_SESSION_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "hdf5/column.h"
#include "io/memory_storage.h"

namespace shardine {

class OpenedSession {
 public:
  explicit OpenedSession(std::string bytes) {
    MemoryStorage storage;
    storage.Put("x.h5", std::move(bytes));
    auto file = storage.Open("x.h5");
    REQUIRE(file.ok());
    file_ = *std::move(file);
    auto process = SandboxPool::Global().Take();
    REQUIRE(process.ok());
    process_ = *std::move(process);
    session_ = std::make_unique<SandboxSession>(*file_, *process_);
    REQUIRE(session_->Open().ToString() == "OK");
    budget_.Begin(file_->size());
    heap_.emplace(session_->widths(), file_->size(), budget_);
  }
  OpenedSession(const OpenedSession&) = delete;
  OpenedSession& operator=(const OpenedSession&) = delete;
  ~OpenedSession() {
    if (session_->answered()) SandboxPool::Global().Return(std::move(process_));
  }

  const RandomAccessFile& file() const { return *file_; }
  SandboxSession& session() { return *session_; }

  ColumnSource Source(std::string_view path) {
    const auto& datasets = session_->datasets();
    std::size_t number = 0;
    while (number < datasets.size() && datasets[number].path() != path) {
      ++number;
    }
    INFO(path);
    REQUIRE(number < datasets.size());
    ColumnSource source{*file_, *session_, number};
    source.heap = &*heap_;
    return source;
  }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<SandboxProcess> process_;
  std::unique_ptr<SandboxSession> session_;
  RecordBudget budget_{std::uint64_t{1} << 30};
  std::optional<GlobalHeap> heap_;
};

inline std::unique_ptr<Column> Opened(const ColumnSource& source) {
  auto column = OpenColumn(source);
  REQUIRE(column.status().ToString() == "OK");
  return *std::move(column);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_OPENED_SESSION_H_
