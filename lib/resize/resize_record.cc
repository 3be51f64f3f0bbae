#include "resize/resize_record.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/output_names.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

constexpr std::string_view kMagic = "SHDNRSZ3";
constexpr std::string_view kMagicWithoutHashes = "SHDNRSZ2";
constexpr std::size_t kHeaderSize = 8 + 16 + 16 + 4 + 4 + 8;
constexpr std::size_t kFilesInRow = 8 + 8;  // after both hashes
// Frames bound the memory while the record is written.
constexpr std::size_t kFrameRows = std::size_t{1} << 14;
// A record of three billion images at one size fits.
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 36;
constexpr std::uint8_t kUpscaled = 1;
constexpr std::uint8_t kKept = 2;

void AppendSum(std::string& text) { AppendLe(Xxh3_64(AsBytes(text)), text); }

Status Changed(std::string message, const std::string& path) {
  return Status(Code::kChanged, std::move(message)).At({.path = path});
}

}  // namespace

ResizeRecord::ResizeRecord(OutputFolder output, const ResizePlan& plan,
                           OnBad on_bad)
    : output_(std::move(output)), plan_(&plan), on_bad_(on_bad) {
  const std::size_t samples = plan.source().samples.size();
  known_.resize(samples);
  sizes_.resize(samples * plan.outputs());
  flags_.resize(samples * plan.outputs());
  file_hashes_.resize(samples * plan.outputs());
  hashes_.reserve(samples);
  for (std::uint32_t i = 0; i < samples; ++i) {
    hashes_.emplace_back(plan.NameHash(i), i);
  }
  std::ranges::sort(hashes_);
}

std::string ResizeRecord::Path() const {
  return JoinPath(output_.PathOf(kResizeFolder), "record");
}

std::size_t ResizeRecord::RowSize(bool hashes) const {
  return kFilesInRow + (hashes ? 13 : 5) * plan_->outputs();
}

Result<ResizeRecord> ResizeRecord::Open(const OutputFolder& output,
                                        const ResizePlan& plan, OnBad on_bad) {
  if (!output.storage().can_append()) {
    return Status(Code::kUnsupported,
                  "what is done is noted in a file that is appended to, which "
                  "is not possible here; resize to shards, or to a local "
                  "folder that is copied afterwards")
        .At({.path = output.path()});
  }
  ResizeRecord record(output, plan, on_bad);
  // The lock is taken before the record is read: another run may be appending
  // to it.
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, output.Lock());
  record.lock_.emplace(std::move(lock));
  SHARDINE_RETURN_IF_ERROR(
      output.storage().CreateDirectories(output.PathOf(kResizeFolder)));
  SHARDINE_RETURN_IF_ERROR(record.Read());
  return record;
}

Status ResizeRecord::Read() {
  const auto bytes = ReadFile(output_.storage(), Path(), kMaxSize);
  if (!bytes.ok()) {
    return bytes.status().code() == Code::kNotFound ? Status() : bytes.status();
  }
  existed_ = true;
  SHARDINE_RETURN_IF_ERROR(ReadHeader(*bytes));
  SHARDINE_RETURN_IF_ERROR(ReadFrames(AsBytes(*bytes).subspan(kHeaderSize)));
  return CheckFound();
}

Status ResizeRecord::ReadHeader(const std::string& bytes) {
  const std::string_view head = std::string_view(bytes).substr(0, kHeaderSize);
  std::string sum(head.substr(0, std::min(kHeaderSize - 8, head.size())));
  AppendSum(sum);
  if (sum != head) {
    return Status(Code::kCorrupt,
                  "is damaged: nobody knows what this folder holds; remove it")
        .At({.path = Path()});
  }
  // These are the two bytes before the u16 and the sum.
  complete_ = head[kHeaderSize - 12] != 0;
  const auto on_bad = static_cast<std::uint8_t>(head[kHeaderSize - 11]);
  found_on_bad_ = static_cast<OnBad>(std::min<std::uint8_t>(on_bad, 3));
  const std::string here = Header(complete_);
  // Magic, plan digest (of a complete tree), work digest, files of a sample.
  const auto same = [&](std::size_t at, std::size_t size) {
    return head.substr(at, size) == std::string_view(here).substr(at, size);
  };
  // The plan digest covers the sources. For an unfinished tree they may have
  // changed, as when bad images are mended; its rows tell which samples are
  // unchanged.
  found_hashes_ = !head.starts_with(kMagicWithoutHashes);
  if ((same(0, 8) || !found_hashes_) && (!complete_ || same(8, 16)) &&
      same(24, 20)) {
    return Status();
  }
  return Changed(
      "already holds the tree of other sources or options; choose another "
      "folder, or remove this one",
      output_.path());
}

// Bytes after a frame that is not whole were never in force.
Status ResizeRecord::ReadFrames(ByteView frames) {
  while (!frames.empty()) {
    ByteCursor cursor(frames);
    std::uint32_t rows = 0;
    std::uint32_t text_size = 0;
    ByteView row_bytes;
    ByteView text;
    std::uint64_t sum = 0;
    // The counts are only believed once the frame's sum is right, and until
    // then bounded by the bytes that are there.
    if (!cursor.Read(rows) || !cursor.Read(text_size) ||
        !cursor.ReadBytes(std::uint64_t{rows} * RowSize(found_hashes_),
                          row_bytes) ||
        !cursor.ReadBytes(text_size, text)) {
      return Status();
    }
    const std::size_t size = cursor.position();
    if (!cursor.Read(sum) || sum != Xxh3_64(frames.first(size))) {
      return Status();
    }
    ReadRows(row_bytes);
    if (!ReadText(AsText(text))) {
      return Status(Code::kCorrupt, "not a record of a resize")
          .At({.path = Path()});
    }
    frames = frames.subspan(cursor.position());
  }
  return Status();
}

void ResizeRecord::ReadRows(ByteView rows) {
  const std::size_t size = RowSize(found_hashes_);
  for (; !rows.empty(); rows = rows.subspan(size)) ReadRow(rows.data());
}

void ResizeRecord::ReadRow(const std::byte* row) {
  const auto hash = LoadLe<std::uint64_t>(row);
  bool has_files = false;
  const std::size_t each = found_hashes_ ? 13 : 5;
  for (std::size_t i = 0; i < plan_->outputs(); ++i) {
    has_files |= LoadLe<std::uint32_t>(row + kFilesInRow + each * i) > 0;
  }
  const auto sample = FindSample(hash);
  if (!sample) {
    // A later row of the same sample replaces an earlier one: rows without
    // files say that those of before are gone.
    if (has_files) {
      strays_.insert(hash);
    } else {
      strays_.erase(hash);
    }
    return;
  }
  const auto facts = LoadLe<std::uint64_t>(row + 8);
  // A complete tree has no facts in its rows: times differ between copies of
  // it. There the plan digest has compared names and sizes.
  const bool unchanged = complete_ || plan_->FactsHash(*sample) == facts;
  known_[*sample] = unchanged;
  rejects_.erase(*sample);
  if (unchanged || !has_files) {
    stale_.erase(*sample);
  } else {
    stale_.insert(*sample);
  }
  for (std::size_t i = 0; i < plan_->outputs(); ++i) {
    const std::byte* const file = row + kFilesInRow + each * i;
    const std::size_t at = *sample * plan_->outputs() + i;
    sizes_[at] = LoadLe<std::uint32_t>(file);
    flags_[at] = LoadLe<std::uint8_t>(file + 4);
    file_hashes_[at] = found_hashes_ ? LoadLe<std::uint64_t>(file + 5) : 0;
  }
}

std::optional<std::uint32_t> ResizeRecord::FindSample(
    std::uint64_t hash) const {
  const auto found =
      std::ranges::lower_bound(hashes_, std::pair(hash, std::uint32_t{0}));
  if (found == hashes_.end() || found->first != hash) return std::nullopt;
  return found->second;
}

// Once all rows are read.
Status ResizeRecord::CheckFound() {
  if (!strays_.empty()) {
    return Changed(
        "holds files of " + std::to_string(strays_.size()) +
            " images that the source no longer has; choose another folder, or "
            "remove this one",
        output_.path());
  }
  if (found_on_bad_ == on_bad_ || rejects_.empty()) return Status();
  if (complete_) {
    return Changed(
        "already holds the tree with its bad images dealt with otherwise "
        "(" +
            std::string(WordOf(found_on_bad_)) +
            "); choose another folder, or remove this one",
        output_.path());
  }
  // Bad images of an unfinished tree are judged again under the new choice, and
  // files that were kept of them are stale.
  for (const auto& [sample, reject] : std::exchange(rejects_, {})) {
    known_[sample] = false;
    stale_.insert(sample);
  }
  return Status();
}

bool ResizeRecord::ReadText(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return false;
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    std::uint64_t hash = 0;
    // std::from_chars reads no sign or blank in front and no locale, so only
    // numbers written here are taken.
    const auto [stop, error] =
        std::from_chars(line.data(), line.data() + line.size(), hash);
    if (error != std::errc()) return false;
    const auto at = static_cast<std::size_t>(stop - line.data()) + 1;
    const auto rejects = ParseRejectLines(line.substr(at));
    if (!rejects.ok() || rejects->size() != 1) return false;
    const auto sample = FindSample(hash);
    if (sample && known_[*sample]) rejects_[*sample] = rejects->front();
  }
  return true;
}

ResizedFile ResizeRecord::file(std::size_t sample, std::size_t output) const {
  const std::size_t at = sample * plan_->outputs() + output;
  return {sizes_[at], (flags_[at] & kUpscaled) != 0, (flags_[at] & kKept) != 0,
          file_hashes_[at]};
}

const Reject* ResizeRecord::reject(std::size_t sample) const {
  const auto found = rejects_.find(static_cast<std::uint32_t>(sample));
  return found == rejects_.end() ? nullptr : &found->second;
}

Status ResizeRecord::Begin() {
  // Written again and published at once, so that a record of frames cut off in
  // the middle is never appended to: bytes after such a frame are not read.
  SHARDINE_RETURN_IF_ERROR(WriteAll(false));
  SHARDINE_ASSIGN_OR_RETURN(file_, output_.storage().OpenForAppend(Path()));
  return Status();
}

void ResizeRecord::Add(std::uint32_t sample, std::span<const ResizedFile> files,
                       const Reject* reject) {
  known_[sample] = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t at = sample * plan_->outputs() + i;
    sizes_[at] = files[i].size;
    file_hashes_[at] = files[i].hash;
    flags_[at] = static_cast<std::uint8_t>((files[i].upscaled ? kUpscaled : 0) |
                                           (files[i].kept ? kKept : 0));
  }
  if (reject != nullptr) rejects_[sample] = *reject;
  added_.push_back(sample);
}

Status ResizeRecord::Append() {
  const std::vector<std::uint32_t> added = std::exchange(added_, {});
  return file_->Append(AsBytes(Frame(added, false)));
}

Status ResizeRecord::Complete() { return WriteAll(true); }

void ResizeRecord::RemoveIfNew() {
  if (existed_) return;
  // Leftovers do no harm.
  static_cast<void>(
      output_.storage().Remove(output_.PathOf(kResizeFolder)).ok());
  lock_.reset();
}

Status ResizeRecord::Unlock() { return lock_ ? lock_->Release() : Status(); }

std::string ResizeRecord::Header(bool complete) const {
  std::string header(kMagic);
  for (const Digest128& digest : {plan_->digest(), plan_->work_digest()}) {
    AppendLe(digest.low, header);
    AppendLe(digest.high, header);
  }
  AppendLe(static_cast<std::uint32_t>(plan_->outputs()), header);
  AppendLe(static_cast<std::uint8_t>(complete ? 1 : 0), header);
  AppendLe(static_cast<std::uint8_t>(on_bad_), header);
  AppendLe<std::uint16_t>(0, header);
  AppendSum(header);
  return header;
}

void ResizeRecord::AppendRow(std::uint32_t sample, bool complete,
                             std::string& rows) const {
  AppendLe(plan_->NameHash(sample), rows);
  AppendLe(complete ? std::uint64_t{0} : plan_->FactsHash(sample), rows);
  for (std::size_t i = 0; i < plan_->outputs(); ++i) {
    AppendLe(sizes_[sample * plan_->outputs() + i], rows);
    AppendLe(flags_[sample * plan_->outputs() + i], rows);
    AppendLe(file_hashes_[sample * plan_->outputs() + i], rows);
  }
}

std::string ResizeRecord::Frame(std::span<const std::uint32_t> samples,
                                bool complete) const {
  std::string text;
  for (const std::uint32_t sample : samples) {
    const Reject* const why = reject(sample);
    if (why != nullptr) {
      text += std::to_string(plan_->NameHash(sample)) + " " + RejectLine(*why);
    }
  }
  std::string frame;
  frame.reserve(16 + samples.size() * row_size() + text.size());
  AppendLe(static_cast<std::uint32_t>(samples.size()), frame);
  AppendLe(static_cast<std::uint32_t>(text.size()), frame);
  for (const std::uint32_t sample : samples) AppendRow(sample, complete, frame);
  frame += text;
  AppendSum(frame);
  return frame;
}

Status ResizeRecord::WriteAll(bool complete) {
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file,
                            AtomicFile::Create(output_.storage(), Path()));
  SHARDINE_RETURN_IF_ERROR(file.Append(AsBytes(Header(complete))));
  std::vector<std::uint32_t> samples;
  for (std::uint32_t i = 0; i < known_.size(); ++i) {
    if (known_[i]) samples.push_back(i);
    if (samples.empty()) continue;
    if (samples.size() < kFrameRows && i + 1 < known_.size()) continue;
    SHARDINE_RETURN_IF_ERROR(file.Append(AsBytes(Frame(samples, complete))));
    samples.clear();
  }
  return file.Publish();
}

}  // namespace shardine
