#include "hdf5/sandbox/sandbox_session.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// No request needs to see a file this often; one that asks for more loops.
constexpr std::uint64_t kTimesRead = 16;
constexpr std::uint64_t kReadBeyond = std::uint64_t{1} << 30;
// An object's header, its name and its links take more than this; a further
// link to it, more than that.
constexpr std::uint64_t kLeastObject = 128;
constexpr std::uint64_t kLeastLink = 24;
constexpr std::uint64_t kMostLinks = std::uint64_t{1} << 16;

Status Unexpected() {
  return Status(Code::kCorrupt, "the HDF5 scanner's answer makes no sense");
}

}  // namespace

Status SandboxSession::Keep(Status status) {
  // The library's complaint about bytes it did not get is not the cause.
  if (!status.ok() && !io_failure_.ok()) status = io_failure_;
  if (!status.ok()) {
    status.Annotate({.path = file_.path()});
    if (failure_.ok()) failure_ = status;
  }
  return status;
}

Status SandboxSession::Ask(SandboxMessage kind,
                           std::span<const std::uint64_t> numbers) {
  SHARDINE_RETURN_IF_ERROR(failure_);
  answered_ = false;
  asked_ = file_.size() * kTimesRead + kReadBeyond;
  return channel_.Send(kind, std::as_bytes(numbers));
}

Result<SandboxFrame> SandboxSession::Next() {
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const SandboxFrame frame, channel_.Receive());
    if (frame.kind == SandboxMessage::kRead) {
      SHARDINE_RETURN_IF_ERROR(AnswerRead(frame.payload));
    } else if (frame.kind == SandboxMessage::kFailed ||
               frame.kind == SandboxMessage::kCannot) {
      answered_ = true;
      return Status(frame.kind == SandboxMessage::kFailed ? Code::kCorrupt
                                                          : Code::kUnsupported,
                    std::string(AsText(frame.payload)));
    } else {
      answered_ = frame.kind == SandboxMessage::kDone;
      return frame;
    }
  }
}

Status SandboxSession::AnswerRead(ByteView request) {
  ByteCursor cursor(request);
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  if (!cursor.Read(offset) || !cursor.Read(length) || !cursor.done() ||
      length > kSandboxMaxPayload || offset > file_.size() ||
      length > file_.size() - offset) {
    return Unexpected();
  }
  if (length > asked_) {
    return Status(Code::kUnsupported,
                  "the HDF5 library ran too long on this file, in circles");
  }
  asked_ -= length;
  reply_.Resize(static_cast<std::size_t>(length));
  Status status = file_.ReadExactly(offset, reply_.span());
  // A short reply lets libhdf5 fail in its own way, and leaves the other side
  // able to answer.
  if (!status.ok()) {
    if (io_failure_.ok()) io_failure_ = std::move(status);
    reply_.Resize(0);
  }
  return channel_.Send(SandboxMessage::kReadReply, reply_.view());
}

Status SandboxSession::TakeDataset(ByteView payload) {
  const std::uint64_t links =
      std::min(file_.size() / kLeastLink + 1, kMostLinks);
  if (datasets_.size() >= std::max(links, file_.size() / kLeastObject)) {
    return Status(Code::kUnsupported,
                  "more datasets than are read of a file of " +
                      std::to_string(file_.size()) +
                      " bytes; they may be links to a few");
  }
  SHARDINE_ASSIGN_OR_RETURN(Hdf5Dataset dataset, DecodeDataset(payload));
  if (dataset.storage == Hdf5Storage::kContiguous &&
      dataset.row == Hdf5Row::kFixed && dataset.element.kind != 'O') {
    const auto bytes = Product(dataset.element.size, dataset.dims);
    if (!bytes || dataset.offset > file_.size() ||
        *bytes > file_.size() - dataset.offset) {
      return Status(Code::kCorrupt, "the dataset " + ShowName(dataset.path()) +
                                        " reaches beyond the end of the file");
    }
  }
  // The number bounds the dataset's claim (IsStored), and no dataset has more
  // bytes than its file.
  dataset.stored = std::min(dataset.stored, file_.size());
  datasets_.push_back(std::move(dataset));
  return {};
}

Status SandboxSession::Begin() {
  const std::uint64_t size = file_.size();
  SHARDINE_RETURN_IF_ERROR(Ask(SandboxMessage::kOpen, {&size, 1}));
  bool headed = false;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const SandboxFrame frame, Next());
    if (frame.kind == SandboxMessage::kHeader && !headed) {
      SHARDINE_ASSIGN_OR_RETURN(widths_, DecodeWidths(frame.payload));
      headed = true;
    } else if (frame.kind == SandboxMessage::kDataset && headed) {
      SHARDINE_RETURN_IF_ERROR(TakeDataset(frame.payload));
    } else if (frame.kind == SandboxMessage::kDone && headed) {
      // Data that the library could do without may still be missing from its
      // answer.
      return io_failure_;
    } else {
      return Unexpected();
    }
  }
}

Status SandboxSession::Open() { return Keep(Begin()); }

Status SandboxSession::Collect(std::uint64_t bytes, ByteBuffer& data) {
  std::uint64_t received = 0;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const SandboxFrame frame, Next());
    if (frame.kind == SandboxMessage::kDone && received == bytes) {
      return io_failure_;
    }
    if (frame.kind != SandboxMessage::kData ||
        frame.payload.size() > bytes - received) {
      return Unexpected();
    }
    if (frame.payload.empty()) continue;  // neither side need have memory
    if (received == 0) data.Resize(static_cast<std::size_t>(bytes));
    std::memcpy(data.data() + received, frame.payload.data(),
                frame.payload.size());
    received += frame.payload.size();
  }
}

Status SandboxSession::ReadRows(std::size_t dataset, std::uint64_t first,
                                std::uint64_t count, std::uint64_t bytes,
                                ByteBuffer& rows) {
  rows.Resize(0);
  const std::uint64_t numbers[] = {dataset, first, count};
  Status status = Ask(SandboxMessage::kRows, numbers);
  if (status.ok()) status = Collect(bytes, rows);
  // An answer means that the library went through the file and could not read
  // its rows.
  const std::string& filter = datasets_[dataset].filter;
  const bool failed =
      status.code() == Code::kCorrupt || status.code() == Code::kUnsupported;
  if (failed && answered_ && !filter.empty()) {
    status = Status(Code::kUnsupported,
                    "the dataset " + ShowName(datasets_[dataset].path()) +
                        " is packed by the filter " + filter +
                        ", which is not read; write it anew without "
                        "(h5repack -f NONE), or with gzip or LZF");
  }
  return Keep(std::move(status));
}

Status SandboxSession::FindChunks(std::size_t dataset, std::uint64_t first,
                                  std::uint64_t count,
                                  std::vector<Extent>& places) {
  places.clear();
  const std::uint64_t numbers[] = {dataset, first, count};
  Status status = Ask(SandboxMessage::kChunks, numbers);
  if (status.ok()) status = Collect(count * 16, chunks_);
  SHARDINE_RETURN_IF_ERROR(Keep(std::move(status)));
  ByteCursor cursor(chunks_.view());
  for (Extent place; cursor.Read(place.offset) && cursor.Read(place.length);) {
    const bool there = place.offset != ~std::uint64_t{0};
    // Extents are made of these places, so they must lie in the file.
    if (there && (place.offset > file_.size() ||
                  place.length > file_.size() - place.offset)) {
      return Keep(Status(Code::kCorrupt,
                         "a chunk of " + ShowName(datasets_[dataset].path()) +
                             " reaches beyond the end of the file"));
    }
    places.push_back(place);
  }
  return {};
}

Result<Hdf5Unwritten> SandboxSession::FindUnwritten(std::size_t dataset) {
  const std::uint64_t number = dataset;
  Status status = Ask(SandboxMessage::kUnwritten, {&number, 1});
  if (status.ok()) status = Collect(2 * sizeof(number), chunks_);
  SHARDINE_RETURN_IF_ERROR(Keep(std::move(status)));
  return Hdf5Unwritten{LoadLe<std::uint64_t>(chunks_.data()),
                       LoadLe<std::uint64_t>(chunks_.data() + sizeof(number))};
}

Status SandboxSession::CollectSplits(std::vector<Hdf5Split>& splits) {
  SHARDINE_RETURN_IF_ERROR(Ask(SandboxMessage::kSplits, {}));
  // The answer has the same bound as on the other side.
  std::size_t room = 2 * kHdf5MostSplits;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const SandboxFrame frame, Next());
    if (frame.kind == SandboxMessage::kDone) return io_failure_;
    if (frame.kind != SandboxMessage::kSplit || frame.payload.size() > room) {
      return Unexpected();
    }
    room -= frame.payload.size();
    SHARDINE_ASSIGN_OR_RETURN(Hdf5Split split, DecodeSplit(frame.payload));
    splits.push_back(std::move(split));
  }
}

Result<std::vector<Hdf5Split>> SandboxSession::ReadSplits() {
  std::vector<Hdf5Split> splits;
  SHARDINE_RETURN_IF_ERROR(Keep(CollectSplits(splits)));
  return splits;
}

}  // namespace shardine
