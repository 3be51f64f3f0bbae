// A DatasetWriter's work where it makes a part of a dataset: one file with its
// samples as they came, which gets its name when it is whole.
#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "dataset/unfinished.h"
#include "io/atomic_file.h"
#include "pack/part_file.h"
#include "pack/part_folder.h"
#include "pack/part_header.h"
#include "pack/writer_work.h"

namespace shardine {
namespace {

constexpr int kAttempts = 100;
constexpr std::uint64_t kBytesAfterSamples = std::uint64_t{4}
                                             << 10;  // after samples

std::string PartText(const DatasetWriterOptions& options) {
  return "part " + std::to_string(options.part) + " of " +
         std::to_string(options.parts);
}

class PartWork final : public WriterWork {
 public:
  PartWork(WriterPlan plan, const Job& job)
      : WriterWork(std::move(plan), job),
        part_(PartFolder(output(), options().part, options().parts)),
        path_(PartFilePath(part_)) {}
  PartWork(const PartWork&) = delete;
  PartWork& operator=(const PartWork&) = delete;

  ~PartWork() override {
    try {
      RemoveWork();
    } catch (const std::exception&) {
      // The rest is under no final name.
    }
  }

  Status Begin();

 private:
  Status Write(std::string_view split, const CheckedSample& checked) override;
  std::uint64_t BytesToStage() const override;
  Status Stage() override;
  Result<PackResult> Publish() override;
  void Abandon() override { RemoveWork(); }

  Status TakeLock();
  Status CheckOthers() const;
  DatasetWriterOptions Stated() const;
  void RemoveWork();

  const OutputFolder part_;
  const std::string path_;
  bool is_new_ = false;  // there was no OUT
  bool has_name_ = false;
  std::optional<FolderLock> lock_;  // held while at work
  std::optional<PartFileWriter> file_;
  std::uint64_t image_bytes_ = 0;
};

// In one way of writing the format, so that parts can be compared.
DatasetWriterOptions PartWork::Stated() const {
  DatasetWriterOptions stated = options();
  stated.format = format().Name();
  return stated;
}

Status PartWork::TakeLock() {
  for (int attempt = 1;; ++attempt) {
    auto lock = part_.Lock();
    if (lock.ok()) {
      lock_.emplace(*std::move(lock));
      return Status();
    }
    // Another part was given up, and its writer took the folder away that held
    // nothing yet.
    if (lock.status().code() != Code::kNotFound || attempt == kAttempts) {
      return std::move(lock).status();
    }
  }
}

// Parts of other options fail here, before the work, not when all are joined.
Status PartWork::CheckOthers() const {
  SHARDINE_ASSIGN_OR_RETURN(const FoundParts found, FindParts(output()));
  for (const std::uint32_t number : found.folders) {
    const std::string path =
        PartFilePath(PartFolder(output(), number, found.parts));
    const auto other = PartFileReader::Open(storage(), path);
    if (!other.ok()) continue;  // not finished; the join reports damage
    const std::string difference =
        PartDifference(Stated(), (*other)->options());
    if (difference.empty()) return Status();
    return Status(Code::kInvalidArgument,
                  PartText(options()) + " has other options than part " +
                      std::to_string(number) + ": " + difference)
        .At({.path = path});
  }
  return Status();
}

Status PartWork::Begin() {
  is_new_ = storage().Stat(output().path()).status().code() == Code::kNotFound;
  SHARDINE_RETURN_IF_ERROR(CheckPartsFolder(output(), options().parts));
  SHARDINE_RETURN_IF_ERROR(TakeLock());
  if (storage().Stat(path_).ok()) {
    lock_.reset();
    return Status(Code::kAlreadyExists,
                  PartText(options()) +
                      " is finished and waits for the others; to write it "
                      "again, remove its folder")
        .At({.path = part_.path()});
  }
  // After the look at the part: a join publishes the dataset before it removes
  // parts, so a writer that finds neither comes before the join.
  SHARDINE_RETURN_IF_ERROR(CheckPartsFolder(output(), options().parts));
  SHARDINE_RETURN_IF_ERROR(CheckOthers());
  SHARDINE_RETURN_IF_ERROR(part_.RemoveTemporaries());
  SHARDINE_ASSIGN_OR_RETURN(
      PartFileWriter file,
      PartFileWriter::Begin(storage(), TemporaryName(path_), Stated()));
  file_.emplace(std::move(file));
  return BeginThreads();
}

Status PartWork::Write(std::string_view split, const CheckedSample& checked) {
  image_bytes_ += checked.view.image().size();
  return file_->Append(split, checked).At({.path = path_});
}

std::uint64_t PartWork::BytesToStage() const {
  const auto there = storage().Stat(TemporaryName(path_));
  const std::uint64_t on_disk = there.ok() ? there->size : 0;
  return written_bytes() - std::min(written_bytes(), on_disk) +
         kBytesAfterSamples;
}

Status PartWork::Stage() { return file_->Finish(); }

Result<PackResult> PartWork::Publish() {
  if (job().stop.stop_requested()) {
    return Status(Code::kCancelled, "interrupted");
  }
  // A dataset made here meanwhile does not belong to these parts.
  SHARDINE_RETURN_IF_ERROR(CheckPartsFolder(output(), options().parts));
  if (!has_name_) {
    SHARDINE_RETURN_IF_ERROR(storage().RenameNew(TemporaryName(path_), path_));
    has_name_ = true;
  }
  SHARDINE_RETURN_IF_ERROR(storage().SyncDirectory(part_.path()));
  PackResult result;
  result.output = options().output;
  result.format = format().Name();
  result.samples = file_->totals().samples;
  result.classes = classes().size();
  result.bytes = image_bytes_;
  result.content_digest = file_->totals().content_digest;
  result.warnings = Warnings();
  file_.reset();
  lock_.reset();
  return result;
}

// Best effort: the next writer removes the rest. Other parts are not touched.
void PartWork::RemoveWork() {
  EndThreads();
  if (!lock_) return;
  file_.reset();
  (void)part_.Remove(TemporaryName(path_));
  if (has_name_) (void)part_.Remove(path_);
  lock_.reset();
  // Each goes only if it is empty.
  (void)storage().Remove(part_.path());
  (void)storage().Remove(output().PathOf(kPartsFolder));
  if (is_new_) (void)storage().Remove(output().path());
}

}  // namespace

Result<std::unique_ptr<WriterWork>> BeginPart(WriterPlan plan, const Job& job) {
  auto work = std::make_unique<PartWork>(std::move(plan), job);
  SHARDINE_RETURN_IF_ERROR(work->Begin());
  return std::unique_ptr<WriterWork>(std::move(work));
}

}  // namespace shardine
