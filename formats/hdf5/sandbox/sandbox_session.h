// One HDF5 file, its structure told by libhdf5 in another process.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_SESSION_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_SESSION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "hdf5/sandbox/sandbox_channel.h"
#include "hdf5/sandbox/sandbox_pool.h"
#include "io/storage.h"
#include "shard/extent.h"

namespace shardine {

// The parent's end of sandbox_protocol.h. Every answer is checked against the
// file's size. Errors: kCorrupt for a file that the library found to be
// damaged; kFailed for one that makes it crash; kUnsupported for one that it
// has no means for (a newer form, more memory or time); kIo from the file. With
// path; they repeat.
//
// Thread-compatible. File and channel must outlive it.
class SandboxSession {
 public:
  SandboxSession(const RandomAccessFile& file, SandboxChannel& channel)
      : file_(file), channel_(channel) {}

  // REQUIRES: called once, first.
  Status Open();
  const Hdf5Widths& widths() const { return widths_; }
  const std::vector<Hdf5Dataset>& datasets() const { return datasets_; }

  // Replaces `rows` by rows [first, first + count) of a dataset, `bytes` in
  // all.
  Status ReadRows(std::size_t dataset, std::uint64_t first, std::uint64_t count,
                  std::uint64_t bytes, ByteBuffer& rows);
  // Replaces `places` by those of chunks [first, first + count), counted in C
  // order; offset ~0 for one that is not there.
  Status FindChunks(std::size_t dataset, std::uint64_t first,
                    std::uint64_t count, std::vector<Extent>& places);

  // Asked after the rows: the answer takes a walk over all chunks.
  Result<Hdf5Unwritten> FindUnwritten(std::size_t dataset);

  // The rows of the root attribute `split`; empty if it is absent or not
  // Fuel's.
  Result<std::vector<Hdf5Split>> ReadSplits();

  // True if the other side awaits a request: it has answered the last one, if
  // only to say that it failed. Else the channel is in the middle of something.
  bool answered() const { return answered_; }

 private:
  Status Ask(SandboxMessage kind, std::span<const std::uint64_t> numbers);
  // Answers kRead frames and returns the next other frame.
  Result<SandboxFrame> Next();
  Status AnswerRead(ByteView request);
  Status Begin();
  Status Collect(std::uint64_t bytes, ByteBuffer& data);
  Status TakeDataset(ByteView payload);
  Status CollectSplits(std::vector<Hdf5Split>& splits);
  Status Keep(Status status);

  const RandomAccessFile& file_;
  SandboxChannel& channel_;
  Status failure_;     // the first failure
  Status io_failure_;  // of the first read of the file that failed
  Hdf5Widths widths_;
  std::vector<Hdf5Dataset> datasets_;
  bool answered_ = true;
  ByteBuffer reply_;
  ByteBuffer chunks_;
  std::uint64_t asked_ = 0;  // bytes that the other side may still ask for
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_SANDBOX_SESSION_H_
