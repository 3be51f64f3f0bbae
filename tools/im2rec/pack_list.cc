#include "im2rec/pack_list.h"

#include <deque>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "im2rec/file_prefetcher.h"
#include "im2rec/record_file.h"

namespace shardine {

namespace {

// Entries read ahead of the one being written; small files need many of them
// to keep the readers busy.
constexpr std::size_t kLookAhead = 64;

class ListPacker {
 public:
  ListPacker(Storage& storage, const ListPacking& packing,
             const RandomAccessFile& list, ByteRange range, RecordFile& out)
      : parse_(packing.parse),
        list_(list),
        reader_(list, range),
        files_(storage, {.threads = packing.threads}, packing.work),
        look_ahead_(kLookAhead + packing.threads),
        out_(out) {}

  Result<PackedList> Run() {
    for (;;) {
      // The list is read by the one that writes, so what is read ahead is
      // bounded here, by number; the prefetcher bounds the bytes.
      while (!ended_ && pending_.size() < look_ahead_) ReadAhead();
      if (pending_.empty()) break;
      SHARDINE_RETURN_IF_ERROR(WriteOne());
    }
    // Only now: what failed earlier in the list has been told before.
    SHARDINE_RETURN_IF_ERROR(std::move(list_status_));
    packed_.bytes = out_.bytes();
    return packed_;
  }

 private:
  struct Pending {
    ImageListEntry entry;
    std::uint64_t offset;  // of its line
  };

  void ReadAhead() {
    Result<std::optional<ImageListReader::Line>> line = reader_.Next();
    if (!line.ok() || !*line) {
      list_status_ = std::move(line).status();
      ended_ = true;
      return;
    }
    Result<ImageListEntry> entry = parse_((*line)->text);
    if (!entry.ok()) {
      list_status_ = InLine((*line)->offset, entry.status().code(),
                            entry.status().message());
      ended_ = true;
      return;
    }
    files_.Submit({.path = entry->path, .id = entry->id});
    pending_.push_back({*std::move(entry), (*line)->offset});
  }

  Status WriteOne() {
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    const Result<ByteBuffer> contents = files_.Take();
    if (!contents.ok()) {
      const Status status = contents.status();
      return InLine(next.offset, status.code(), status.ToString());
    }
    Status status = out_.Append(next.entry, contents->view());
    // What a record cannot hold is about this line. Other failures are the
    // output's own and name it themselves.
    if (status.code() == Code::kUnsupported) {
      return InLine(next.offset, status.code(), status.message());
    }
    ++packed_.records;
    if (contents->size() == 0) ++packed_.empty;
    return status;
  }

  Status InLine(std::uint64_t offset, Code code, const std::string& message) {
    // Lines are counted only once something is wrong: a part of a list begins
    // in its middle, and its reader does not know how many lines are before.
    SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t number,
                              LineNumberAt(list_, offset));
    return Status(code, "line " + std::to_string(number) + ": " + message)
        .At({.path = list_.path(), .offset = offset});
  }

  const std::function<Result<ImageListEntry>(std::string_view)>& parse_;
  const RandomAccessFile& list_;
  ImageListReader reader_;
  FilePrefetcher files_;
  const std::size_t look_ahead_;
  RecordFile& out_;
  std::deque<Pending> pending_;  // those submitted to files_, in order
  bool ended_ = false;           // nothing more is read from the list
  Status list_status_;           // why, unless it was the end
  PackedList packed_;
};

}  // namespace

Result<PackedList> PackList(Storage& storage, const ListPacking& packing) {
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> list,
                            storage.Open(packing.list));
  SHARDINE_ASSIGN_OR_RETURN(const ByteRange range,
                            ListPart(*list, packing.part, packing.nsplit));
  SHARDINE_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordFile> out,
      RecordFile::Create(storage, packing.rec, packing.idx));
  SHARDINE_ASSIGN_OR_RETURN(
      PackedList packed,
      ListPacker(storage, packing, *list, range, *out).Run());
  // Until here the files have temporary names: what an earlier run packed stays
  // whole if this one fails.
  SHARDINE_RETURN_IF_ERROR(out->Publish());
  return packed;
}

}  // namespace shardine
