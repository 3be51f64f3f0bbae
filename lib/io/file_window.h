// FileWindow: a window that moves over a file, for readers that go forward most
// of the time.
#ifndef SHARDINE_IO_FILE_WINDOW_H_
#define SHARDINE_IO_FILE_WINDOW_H_

#include <cstdint>

#include "base/bytes.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Where the next piece lies a little after the window, the gap is read, too: a
// file that is laid out in the order of reading is read front to back without a
// gap, and one that is digested as it is read is read once.
//
// Thread-compatible.
class FileWindow {
 public:
  struct Options {
    // Bytes that a move reads at least, where the file has them.
    std::uint64_t ahead = std::uint64_t{1} << 20;
    // Bytes after the window that are rather read than left out.
    std::uint64_t gap = 0;
    // A piece that lies elsewhere is read alone, into memory of its own, and
    // moves the window only when the next one follows it. False: any piece
    // moves the window.
    bool keeps_strays = false;
  };

  // `file` must outlive the window.
  FileWindow(const RandomAccessFile& file, Options options)
      : file_(&file), options_(options) {}

  // These bytes, until the next call. kCorrupt, before anything is allocated,
  // if the file has no such bytes. Errors have path and offset. Memory at most:
  // the longest piece and `ahead`, twice where strays are kept.
  Result<ByteView> Read(std::uint64_t offset, std::uint64_t length);

 private:
  struct Piece {
    std::uint64_t offset = 0;
    ByteBuffer bytes;

    std::uint64_t end() const { return offset + bytes.size(); }
    bool Holds(std::uint64_t from, std::uint64_t length) const;
  };

  bool IsNear(const Piece& piece, std::uint64_t from) const;
  // Makes one of the pieces hold these bytes.
  Result<const Piece*> Move(std::uint64_t offset, std::uint64_t length);
  // Makes `piece`, which `offset` is near to, hold these bytes, and `ahead`
  // from where it begins then.
  Status Advance(Piece& piece, std::uint64_t offset, std::uint64_t length,
                 std::uint64_t ahead);

  const RandomAccessFile* file_;
  Options options_;
  Piece forward_;
  Piece stray_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_FILE_WINDOW_H_
