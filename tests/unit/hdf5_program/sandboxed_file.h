// A file in memory as a sandboxed process tells it.
#ifndef SHARDINE_TESTS_UNIT_HDF5_PROGRAM_SANDBOXED_FILE_H_
#define SHARDINE_TESTS_UNIT_HDF5_PROGRAM_SANDBOXED_FILE_H_

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdf5/sandbox/sandbox_session.h"
#include "io/memory_storage.h"

namespace shardine {

class SandboxedFile {
 public:
  // One process serves all files, as long as it answers.
  static SandboxPool& Pool() {
    static SandboxPool pool({.patience = std::chrono::seconds(10)});
    return pool;
  }

  explicit SandboxedFile(std::string image) {
    storage_.Put("made.h5", std::move(image));
    auto file = storage_.Open("made.h5");
    auto process = Pool().Take();
    REQUIRE((file.ok() && process.ok()));
    file_ = *std::move(file);
    process_ = *std::move(process);
    session_.emplace(*file_, *process_);
    status_ = session_->Open();
  }
  SandboxedFile(const SandboxedFile&) = delete;
  SandboxedFile& operator=(const SandboxedFile&) = delete;
  ~SandboxedFile() {
    if (session_->answered()) Pool().Return(std::move(process_));
  }

  const Status& status() const { return status_; }
  const SandboxSession& session() const { return *session_; }

  std::vector<std::string> paths() const {
    std::vector<std::string> paths;
    for (const Hdf5Dataset& dataset : session_->datasets()) {
      paths.push_back(dataset.path());
    }
    return paths;
  }

  std::size_t Number(const std::string& path) const {
    const auto& datasets = session_->datasets();
    std::size_t number = 0;
    while (number < datasets.size() && datasets[number].path() != path) {
      ++number;
    }
    if (number == datasets.size()) FAIL("no dataset " << path);
    return number;
  }
  const Hdf5Dataset& Dataset(const std::string& path) const {
    return session_->datasets()[Number(path)];
  }

  Result<std::string> Rows(const std::string& path, std::uint64_t first,
                           std::uint64_t count) {
    Hdf5Dataset piece = Dataset(path);
    if (!piece.dims.empty()) piece.dims[0] = count;
    const auto bytes = ClaimedBytes(piece, session_->widths());
    REQUIRE(bytes.has_value());
    ByteBuffer rows;
    const Status status =
        session_->ReadRows(Number(path), first, count, *bytes, rows);
    if (!status.ok()) return status;
    return std::string(AsText(rows.view()));
  }

  Result<std::vector<Extent>> Chunks(const std::string& path,
                                     std::uint64_t first, std::uint64_t count) {
    std::vector<Extent> places;
    const Status status =
        session_->FindChunks(Number(path), first, count, places);
    if (!status.ok()) return status;
    return places;
  }

 private:
  MemoryStorage storage_;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<SandboxProcess> process_;
  std::optional<SandboxSession> session_;
  Status status_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_PROGRAM_SANDBOXED_FILE_H_
