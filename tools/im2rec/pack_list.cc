#include "im2rec/pack_list.h"

#include <deque>
#include <memory>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "im2rec/file_prefetcher.h"
#include "im2rec/left_out.h"
#include "im2rec/record_file.h"
#include "image/codec_versions.h"
#include "shardine/version.h"

namespace shardine {

namespace {

// Entries read ahead of the one being written; small files need many of them
// to keep the readers busy.
constexpr std::size_t kLookAhead = 64;
// How much of an invalid line the report shows.
constexpr std::size_t kShownLine = 200;

class ListPacker {
 public:
  struct Part {
    const RandomAccessFile& list;
    ByteRange range;
    std::uint64_t lines = 0;
  };

  ListPacker(Storage& storage, const ListPacking& packing, const Part& part,
             RecordFile& out)
      : storage_(storage),
        packing_(packing),
        part_(part),
        reader_(part.list, {out.done().list_offset, part.range.end}),
        counter_(part.list),
        files_(storage, {.threads = packing.threads}, packing.work),
        look_ahead_(kLookAhead + packing.threads),
        out_(out) {}

  Status Run() {
    Report();
    for (;;) {
      // The list is read by the one that writes, so reading ahead is bounded
      // here, by number; the prefetcher bounds the bytes.
      while (!ended_ && pending_.size() < look_ahead_) ReadAhead();
      if (pending_.empty()) break;
      SHARDINE_RETURN_IF_ERROR(WriteOne());
      Report();
      if (!pending_.empty()) {
        SHARDINE_RETURN_IF_ERROR(out_.DealtWith(pending_.front().offset));
      }
    }
    // Only now: failures earlier in the list have been reported before.
    return std::move(list_status_);
  }

  const NotedLines& dropped() const { return dropped_; }
  const NotedLines& rounded() const { return rounded_; }

 private:
  struct Pending {
    ImageListEntry entry;
    std::uint64_t offset = 0;  // of its line
    // Why the line is invalid: then no file is asked for, and the path is the
    // beginning of the line.
    Status malformed;
  };

  std::string Located(const std::string& path) const {
    return packing_.locate ? packing_.locate(path) : path;
  }
  bool skips() const { return packing_.on_bad == OnBad::kSkip; }

  void ReadAhead() {
    Result<std::optional<ImageListReader::Line>> line = reader_.Next();
    if (!line.ok() || !*line) {
      list_status_ = std::move(line).status();
      ended_ = true;
      return;
    }
    const std::uint64_t offset = (*line)->offset;
    Result<ImageListEntry> entry = packing_.parse((*line)->text);
    if (entry.ok()) {
      files_.Submit({.path = Located(entry->path), .id = entry->id});
      pending_.push_back({*std::move(entry), offset, {}});
    } else if (skips()) {
      ImageListEntry none;
      none.path = (*line)->text.substr(0, kShownLine);
      pending_.push_back({std::move(none), offset, entry.status()});
    } else {
      list_status_ =
          InLine(offset, entry.status().code(), entry.status().message());
      ended_ = true;
    }
  }

  Status WriteOne() {
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    if (!next.malformed.ok()) {
      return LeaveOut(next, {"malformed-line", next.malformed.message()});
    }
    const Result<ByteBuffer> contents = files_.Take();
    if (!contents.ok()) {
      return DealWith(next, contents.status(), contents.status().ToString());
    }
    if (next.entry.dropped > 0) {
      SHARDINE_RETURN_IF_ERROR(Note(next.offset, "", dropped_));
    }
    if (!next.entry.rounded.empty()) {
      SHARDINE_RETURN_IF_ERROR(Note(next.offset, next.entry.rounded, rounded_));
    }
    Status status = out_.Append(next.entry, contents->view());
    // A record that cannot hold its image is this line's failure. Other
    // failures are the output's own and name it themselves.
    if (status.code() == Code::kUnsupported) {
      return DealWith(next, status, status.message());
    }
    return status;
  }

  Status Note(std::uint64_t offset, const std::string& example,
              NotedLines& lines) {
    if (++lines.count > 1) return {};
    SHARDINE_ASSIGN_OR_RETURN(lines.first, counter_.NumberAt(offset));
    lines.example = example;
    return {};
  }

  // An image that could not be packed.
  Status DealWith(const Pending& image, const Status& failure,
                  const std::string& message) {
    if (skips()) {
      const auto left_out =
          LeftOutFor(storage_, Located(image.entry.path), failure);
      if (left_out) return LeaveOut(image, *left_out);
    }
    return InLine(image.offset, failure.code(), message);
  }

  Status LeaveOut(const Pending& image, const LeftOut& why) {
    SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t line,
                              counter_.NumberAt(image.offset));
    LeftOutLine at{.key = image.entry.path, .id = {}, .line = line};
    if (image.malformed.ok()) at.id = image.entry.id;
    return out_.Reject(ReportLine(why, at));
  }

  Status InLine(std::uint64_t offset, Code code, const std::string& message) {
    SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t number,
                              counter_.NumberAt(offset));
    return Status(code, "line " + std::to_string(number) + ": " + message)
        .At({.path = part_.list.path(), .offset = offset});
  }

  void Report() const {
    if (!packing_.progress) return;
    const WorkMark& done = out_.done();
    packing_.progress({.samples = done.records + done.rejected,
                       .samples_total = part_.lines,
                       .bytes = out_.bytes(),
                       .bytes_total = 0,
                       .rejected = done.rejected});
  }

  Storage& storage_;
  const ListPacking& packing_;
  const Part& part_;
  ImageListReader reader_;
  LineCounter counter_;
  FilePrefetcher files_;
  const std::size_t look_ahead_;
  RecordFile& out_;
  std::deque<Pending> pending_;  // those submitted to files_, in order
  NotedLines dropped_;
  NotedLines rounded_;
  bool ended_ = false;  // nothing more is read from the list
  Status list_status_;  // why, unless it was the end
};

// The digest of the inputs that decide the bytes. Images are not part of it:
// one that changes between two runs is packed as the run that reached it found
// it.
Digest128 DigestOf(const ListPacking& packing, const ListContents& contents) {
  std::string text = std::string(Version()) + '\n';
  for (const std::string& codec : CodecVersions()) text += codec + '\n';
  text += std::to_string(packing.part) + '/' + std::to_string(packing.nsplit);
  text += '\n' + contents.digest.ToHex() + '\n' + packing.arguments;
  return Xxh3_128(AsBytes(text));
}

void NoteEarlierRun(const ListPacking& packing, const RecordFile& out) {
  if (!packing.note) return;
  const WorkMark& done = out.done();
  const std::string dealt = std::to_string(done.records + done.rejected);
  if (out.complete()) {
    packing.note(packing.rec +
                 " was made by the run that this one goes on "
                 "with");
  } else if (out.resumable()) {
    packing.note("goes on after the first " + dealt +
                 " lines, which an "
                 "earlier run dealt with");
  } else if (out.dropped()) {
    packing.note(
        "an earlier run's unfinished work is of other arguments, of "
        "another list or has changed: all is done anew");
  }
}

Status CheckSomethingLeft(const ListPacking& packing, const WorkMark& done) {
  if (done.records > 0 || done.rejected == 0) return {};
  return Status(Code::kFailed, "none of its " + std::to_string(done.rejected) +
                                   " lines is an image that can be packed")
      .At({.path = packing.list});
}

}  // namespace

Result<PackedList> PackList(Storage& storage, const ListPacking& packing) {
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> list,
                            storage.Open(packing.list));
  SHARDINE_ASSIGN_OR_RETURN(const ByteRange range,
                            ListPart(*list, packing.part, packing.nsplit));
  SHARDINE_ASSIGN_OR_RETURN(const ListContents contents,
                            LookThrough(*list, range));
  SHARDINE_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordFile> out,
      RecordFile::Open(storage, {.rec = packing.rec,
                                 .idx = packing.idx,
                                 .digest = DigestOf(packing, contents),
                                 .begin = range.begin,
                                 .end = range.end,
                                 .keep_journal = packing.keep_journal,
                                 .mark_records = packing.mark_records}));
  NoteEarlierRun(packing, *out);
  PackedList packed;
  if (!out->complete()) {
    const ListPacker::Part part{*list, range, contents.lines};
    ListPacker packer(storage, packing, part, *out);
    Status status = packer.Run();
    packed.dropped = packer.dropped();
    packed.rounded = packer.rounded();
    if (status.ok()) status = CheckSomethingLeft(packing, out->done());
    if (!status.ok()) {
      if (out->resumable() && packing.note) {
        packing.note("what is done is kept: the same command goes on there");
      }
      return status;
    }
  }
  // Until here the files have temporary names: an earlier run's files stay
  // whole if this one fails.
  SHARDINE_RETURN_IF_ERROR(out->Publish());
  const WorkMark& done = out->done();
  packed.records = done.records;
  packed.bytes = out->bytes();
  packed.empty = done.empty;
  packed.rejected = done.rejected;
  return packed;
}

}  // namespace shardine
