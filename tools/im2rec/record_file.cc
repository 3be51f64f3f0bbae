#include "im2rec/record_file.h"

#include <exception>
#include <utility>

#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "recordio/irheader.h"

namespace shardine {

namespace {

constexpr std::size_t kIndexBuffer = 1 << 16;

std::string WorkFile(const std::string& rec, std::string_view what) {
  return JoinPath(DirectoryOf(rec),
                  "." + FileNameOf(rec) + "." + std::string(what));
}
std::string LockPath(const std::string& rec) { return WorkFile(rec, "lock"); }
std::string JournalPath(const std::string& rec) {
  return WorkFile(rec, "journal");
}

Status RemoveIfExists(Storage& storage, const std::string& path) {
  Status removed = storage.Remove(path);
  return removed.code() == Code::kNotFound ? Status() : removed;
}

}  // namespace

std::string ReportPath(const std::string& rec) {
  return rec + ".rejected.jsonl";
}

Status RemoveWorkJournal(Storage& storage, const std::string& rec) {
  const std::string path = JournalPath(rec);
  SHARDINE_RETURN_IF_ERROR(RemoveIfExists(storage, TemporaryName(path)));
  return RemoveIfExists(storage, path);
}

RecordFile::RecordFile(Storage& storage, Work work,
                       std::unique_ptr<FileLock> lock)
    : storage_(storage), work_(std::move(work)), lock_(std::move(lock)) {
  done_.list_offset = work_.begin;
}

RecordFile::~RecordFile() {
  // An error here cannot be reported; the next run handles it. The lock file
  // goes while it is held: a process that waits with the old one open notices.
  try {
    if (begun_ && !published_ && !resumable()) RemoveUnfinished();
    static_cast<void>(storage_.Remove(LockPath(work_.rec)).ok());
  } catch (const std::exception&) {
    // Without the memory to name them, they stay for the next run.
  }
}

void RecordFile::RemoveUnfinished() {
  for (const File file : {kRec, kIdx, kReport}) {
    if (file == kIdx && !work_.idx) continue;
    static_cast<void>(storage_.Remove(TemporaryName(PathOf(file))).ok());
  }
  static_cast<void>(RemoveWorkJournal(storage_, work_.rec).ok());
}

Result<std::unique_ptr<RecordFile>> RecordFile::Open(Storage& storage,
                                                     Work work) {
  auto lock = storage.Lock(LockPath(work.rec));
  if (!lock.ok()) {
    if (lock.status().code() != Code::kAlreadyExists) return lock.status();
    return Status(Code::kAlreadyExists, "another im2rec is writing this file")
        .At({.path = work.rec});
  }
  std::unique_ptr<RecordFile> file(
      new RecordFile(storage, std::move(work), *std::move(lock)));
  SHARDINE_ASSIGN_OR_RETURN(const bool goes_on, file->GoOn());
  if (!goes_on) SHARDINE_RETURN_IF_ERROR(file->Begin());
  return file;
}

std::string RecordFile::PathOf(File file) const {
  if (file == kReport) return ReportPath(work_.rec);
  return file == kIdx ? work_.idx.value_or("") : work_.rec;
}

Result<bool> RecordFile::IsUnfinished(File file) const {
  const Status status = storage_.Stat(TemporaryName(PathOf(file))).status();
  if (!status.ok() && status.code() != Code::kNotFound) return status;
  return status.ok();
}

// How many of the marks, from the first one, hold for all files. Files that
// have their names already count, too: the run may have ended between two
// renames.
Result<std::size_t> RecordFile::CountMarks(std::span<const WorkMark> marks) {
  std::size_t count = marks.size();
  for (const File file : {kRec, kIdx, kReport}) {
    if (count == 0 || (file == kIdx && !work_.idx)) continue;
    std::vector<FileMark> of_file;
    for (const WorkMark& mark : marks.first(count)) {
      of_file.push_back(mark.files[file]);
    }
    SHARDINE_ASSIGN_OR_RETURN(const bool unfinished, IsUnfinished(file));
    // A report begins with its first line: an older report does not belong to
    // this run.
    const bool none = of_file.back() == FileMark();
    if (file == kReport && !unfinished && none) continue;
    const std::string path = PathOf(file);
    SHARDINE_ASSIGN_OR_RETURN(
        count, CountHolding(storage_, unfinished ? TemporaryName(path) : path,
                            of_file));
  }
  return count;
}

// False if there is nothing to go on with.
Result<bool> RecordFile::GoOn() {
  const std::string journal = JournalPath(work_.rec);
  SHARDINE_ASSIGN_OR_RETURN(std::optional<FoundJournal> found,
                            ReadWorkJournal(storage_, journal, work_.digest));
  if (!found) return false;
  std::span<const WorkMark> marks = found->marks;
  while (!marks.empty()) {
    const Status status = GoOnAfter(marks.back());
    if (status.ok()) break;
    // A file that has its name already cannot be resumed; one that does not
    // hold at the last mark may hold at one before.
    if (status.code() == Code::kNotFound)
      marks = {};
    else if (status.code() != Code::kChanged)
      return status;
    if (marks.empty()) break;
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t count,
                              CountMarks(marks.first(marks.size() - 1)));
    marks = marks.first(count);
  }
  dropped_ = marks.empty();
  if (dropped_) return false;
  SHARDINE_ASSIGN_OR_RETURN(
      journal_, WorkJournal::Begin(storage_, journal, work_.digest, marks));
  return true;
}

Status RecordFile::Begin() {
  begun_ = true;
  SHARDINE_RETURN_IF_ERROR(RemoveWorkJournal(storage_, work_.rec));
  SHARDINE_RETURN_IF_ERROR(
      RemoveIfExists(storage_, TemporaryName(PathOf(kReport))));
  SHARDINE_ASSIGN_OR_RETURN(
      auto rec, MarkedFile::Create(storage_, TemporaryName(work_.rec)));
  rec_ = rec.get();
  writer_ = std::make_unique<RecordIoFileWriter>(std::move(rec));
  if (!work_.idx) return {};
  SHARDINE_ASSIGN_OR_RETURN(
      idx_, MarkedFile::Create(storage_, TemporaryName(*work_.idx)));
  return {};
}

// kChanged, or kNotFound, if the mark does not hold.
Status RecordFile::GoOnAfter(const WorkMark& mark) {
  complete_ = mark.list_offset == work_.end;
  if (complete_) {
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t count, CountMarks({&mark, 1}));
    complete_ = count == 1;
    if (!complete_) return Status(Code::kChanged, "the mark does not hold");
  } else {
    SHARDINE_RETURN_IF_ERROR(TakeUp(mark));
  }
  done_ = marked_ = mark;
  rec_begin_ = mark.files[kRec].bytes;
  return {};
}

Status RecordFile::TakeUp(const WorkMark& mark) {
  const auto take_up = [&](File file) {
    return MarkedFile::TakeUp(storage_, TemporaryName(PathOf(file)),
                              mark.files[file]);
  };
  SHARDINE_ASSIGN_OR_RETURN(auto rec, take_up(kRec));
  if (work_.idx) {
    SHARDINE_ASSIGN_OR_RETURN(idx_, take_up(kIdx));
  }
  report_.reset();
  if (mark.files[kReport].bytes > 0) {
    SHARDINE_ASSIGN_OR_RETURN(report_, take_up(kReport));
  } else {
    SHARDINE_RETURN_IF_ERROR(
        RemoveIfExists(storage_, TemporaryName(PathOf(kReport))));
  }
  rec_ = rec.get();
  writer_ = std::make_unique<RecordIoFileWriter>(std::move(rec));
  return {};
}

std::uint64_t RecordFile::bytes() const {
  return rec_begin_ + (writer_ ? writer_->bytes() : 0);
}

Status RecordFile::Append(const ImageListEntry& entry, ByteView image) {
  const std::uint64_t offset = bytes();
  prefix_.clear();
  AppendIrHeader({.flag = static_cast<std::uint32_t>(entry.packed.size()),
                  .label = entry.label,
                  .id = entry.id},
                 prefix_);
  for (const float label : entry.packed) AppendLe(label, prefix_);
  SHARDINE_RETURN_IF_ERROR(writer_->Append(AsBytes(prefix_), image));
  ++done_.records;
  if (image.empty()) ++done_.empty;
  if (!idx_) return {};
  idx_text_ += std::to_string(entry.id) + '\t' + std::to_string(offset) + '\n';
  return idx_text_.size() >= kIndexBuffer ? Flush() : Status();
}

Status RecordFile::Reject(std::string_view line) {
  if (!report_) {
    SHARDINE_ASSIGN_OR_RETURN(
        report_, MarkedFile::Create(storage_, TemporaryName(PathOf(kReport))));
  }
  ++done_.rejected;
  return report_->Append(AsBytes(line));
}

Status RecordFile::Flush() {
  if (idx_text_.empty()) return {};
  const Status status = idx_->Append(AsBytes(idx_text_));
  idx_text_.clear();
  return status;
}

Status RecordFile::DealtWith(std::uint64_t list_offset) {
  done_.list_offset = list_offset;
  const std::uint64_t lines =
      done_.records + done_.rejected - marked_.records - marked_.rejected;
  if (lines < work_.mark_records &&
      bytes() - marked_.files[kRec].bytes < work_.mark_bytes) {
    return {};
  }
  SHARDINE_RETURN_IF_ERROR(writer_->Flush());
  SHARDINE_RETURN_IF_ERROR(Flush());
  return Mark();
}

// All that is done has gone to the files.
Status RecordFile::Mark() {
  done_.files[kRec] = rec_->mark();
  if (idx_) done_.files[kIdx] = idx_->mark();
  if (report_) done_.files[kReport] = report_->mark();
  marked_ = done_;
  if (journal_) return journal_->Add(marked_);
  SHARDINE_ASSIGN_OR_RETURN(journal_,
                            WorkJournal::Begin(storage_, JournalPath(work_.rec),
                                               work_.digest, {&marked_, 1}));
  return {};
}

// The last mark is made before the files are closed, and means something only
// once they are synced: it comes after.
Status RecordFile::CloseAll() {
  SHARDINE_RETURN_IF_ERROR(writer_->Flush());
  SHARDINE_RETURN_IF_ERROR(Flush());
  done_.list_offset = work_.end;
  const auto close = [](MarkedFile& file) {
    SHARDINE_RETURN_IF_ERROR(file.Sync());
    return file.Close();
  };
  if (idx_) SHARDINE_RETURN_IF_ERROR(close(*idx_));
  if (report_) SHARDINE_RETURN_IF_ERROR(close(*report_));
  SHARDINE_RETURN_IF_ERROR(writer_->Finish());
  return journal_ ? Mark() : Status();
}

Status RecordFile::PublishIfExists(File file) {
  SHARDINE_ASSIGN_OR_RETURN(const bool unfinished, IsUnfinished(file));
  return unfinished ? PublishTemporary(storage_, PathOf(file)) : Status();
}

Status RecordFile::Publish() {
  if (!complete_) SHARDINE_RETURN_IF_ERROR(CloseAll());
  if (done_.rejected == 0) {
    SHARDINE_RETURN_IF_ERROR(RemoveIfExists(storage_, PathOf(kReport)));
  }
  SHARDINE_RETURN_IF_ERROR(PublishIfExists(kReport));
  SHARDINE_ASSIGN_OR_RETURN(const bool unfinished, IsUnfinished(kRec));
  if (work_.idx && unfinished) {
    SHARDINE_RETURN_IF_ERROR(RemoveIfExists(storage_, *work_.idx));
  }
  SHARDINE_RETURN_IF_ERROR(PublishIfExists(kRec));
  if (work_.idx) SHARDINE_RETURN_IF_ERROR(PublishIfExists(kIdx));
  published_ = true;
  return work_.keep_journal ? Status() : RemoveWorkJournal(storage_, work_.rec);
}

}  // namespace shardine
