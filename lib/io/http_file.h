// A file on a web server, read by ranges. Once opened it is one object: a later
// object under its address is refused (kChanged), never mixed in.
#ifndef SHARDINE_IO_HTTP_FILE_H_
#define SHARDINE_IO_HTTP_FILE_H_

#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "io/ahead_range.h"
#include "io/readable_storage.h"
#include "remote/http_engine.h"
#include "remote/http_request.h"

namespace shardine {

// Thread-safe. Reads end with the stop of their thread's work
// (base/stop_scope.h).
class HttpFile : public RandomAccessFile {
 public:
  // One request, for the first bytes. This and all later requests have the
  // address, name and signer of `request`. kNotFound, kRemote with `path`;
  // kUnsupported: it is a folder. `whole`: of a file that has no more bytes,
  // all of them come.
  static Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path, HttpRequest request, std::uint64_t whole = 0);

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override;
  void StartReads(std::span<Piece> pieces, std::latch& done) const override;
  // Over new connections, and past caches that follow HTTP.
  bool ReadAgain(std::span<Piece> pieces) const override;
  // One request; one that fails is forgotten, and its readers ask again.
  std::shared_ptr<const void> ReadAhead(std::uint64_t offset,
                                        std::uint64_t size,
                                        std::uint64_t& room) const override;
  // The server is asked for them, whatever it sent so far.
  void Forget(std::uint64_t offset, std::uint64_t size) const override;
  std::uint64_t size() const override { return facts_.size; }
  const std::string& path() const override { return path_; }

 private:
  HttpFile(std::string path, HttpRequest request, ObjectFacts facts,
           std::string head);
  bool TakeFromHead(const Piece& piece) const;
  bool TakeFromAhead(Piece& piece, std::latch& done) const;
  HttpRequest RequestFor(std::uint64_t first, std::uint64_t size) const;
  void Ask(std::span<Piece> pieces, std::span<const std::size_t> which,
           std::latch& done, const std::stop_token& stop,
           bool anew = false) const;

  const std::string path_;
  const HttpRequest request_;  // the common part of all requests
  const ObjectFacts facts_;
  const std::string head_;  // the first bytes of a small file
  mutable std::atomic<bool> uses_head_ = true;
  mutable AheadRanges ahead_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_HTTP_FILE_H_
