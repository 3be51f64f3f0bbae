#include "pack/part_file.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "pack/part_header.h"
#include "shard/content_digest.h"

namespace shardine {
namespace {

constexpr std::string_view kMagic = "shardine part 1\n";
constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 30;
// Samples, content digest and the digest of all checksums.
constexpr std::uint64_t kEndBytes = 8 + 16 + 16;
// A frame has the number of its bytes before them and a checksum after.
constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kChecksumBytes = 8;

// The type of plain bytes that are text; no other file has such a type.
constexpr std::string_view kTextDtype = "|T";

enum Flag : std::uint8_t { kHasKey = 1, kHasId = 2 };

void AppendText(std::string_view text, std::string& to) {
  AppendLe(static_cast<std::uint32_t>(text.size()), to);
  to += text;
}

void AppendDigest(const Digest128& digest, std::string& to) {
  AppendLe(digest.low, to);
  AppendLe(digest.high, to);
}

void AppendLabel(const Label& label, std::string& to) {
  AppendLe(static_cast<std::uint8_t>(label.is_integer() ? 0 : 1), to);
  AppendLe(label.is_integer() ? label.integer()
                              : std::bit_cast<std::int64_t>(label.real()),
           to);
}

void AppendField(const FieldView& field, std::string& to) {
  AppendText(field.name, to);
  AppendText(field.is_text ? kTextDtype : field.dtype, to);
  AppendLe(static_cast<std::uint32_t>(field.shape.size()), to);
  for (const std::uint64_t axis : field.shape) AppendLe(axis, to);
  AppendLe(static_cast<std::uint64_t>(field.bytes.size()), to);
  to += AsText(field.bytes);
}

bool ReadText(ByteCursor& cursor, std::string_view& text) {
  std::uint32_t size = 0;
  ByteView bytes;
  if (!cursor.Read(size) || !cursor.ReadBytes(size, bytes)) return false;
  text = AsText(bytes);
  return true;
}

bool ReadLabel(ByteCursor& cursor, std::vector<Label>& labels) {
  std::uint8_t is_real = 0;
  std::int64_t bits = 0;
  if (!cursor.Read(is_real) || !cursor.Read(bits) || is_real > 1) return false;
  if (is_real == 0) {
    labels.emplace_back(bits);
    return true;
  }
  const auto real = std::bit_cast<double>(bits);
  if (std::isnan(real)) return false;
  labels.push_back(Label::FromReal(real));
  return true;
}

bool ReadDigest(ByteCursor& cursor, Digest128& digest) {
  return cursor.Read(digest.low) && cursor.Read(digest.high);
}

}  // namespace

PartFileWriter::PartFileWriter(std::unique_ptr<WritableFile> file)
    : file_(std::make_unique<BufferedFile>(std::move(file))) {}

Result<PartFileWriter> PartFileWriter::Begin(
    Storage& storage, const std::string& path,
    const DatasetWriterOptions& options) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Create(path));
  PartFileWriter writer(std::move(file));
  SHARDINE_RETURN_IF_ERROR(writer.file_->Append(AsBytes(kMagic)));
  SHARDINE_RETURN_IF_ERROR(writer.AppendFrame(PartHeaderText(options)));
  return writer;
}

Status PartFileWriter::AppendFrame(std::string_view bytes) {
  // The number of the frame goes into its checksum: one that is in another's
  // place is damage.
  const std::uint64_t checksum = Xxh3_64(AsBytes(bytes), frames_++);
  chain_.UpdateLe(checksum);
  std::byte number[8];
  StoreLe(static_cast<std::uint64_t>(bytes.size()), number);
  SHARDINE_RETURN_IF_ERROR(file_->Append(number));
  SHARDINE_RETURN_IF_ERROR(file_->Append(AsBytes(bytes)));
  StoreLe(checksum, number);
  return file_->Append(number);
}

Status PartFileWriter::Append(std::string_view split,
                              const CheckedSample& sample) {
  const SampleView& view = sample.view;
  frame_.clear();
  const int flags =
      (sample.has_key ? kHasKey : 0) + (sample.has_id ? kHasId : 0);
  AppendLe(static_cast<std::uint8_t>(flags), frame_);
  AppendLe(sample.has_id ? view.id : 0, frame_);
  AppendText(split, frame_);
  AppendText(sample.has_key ? view.key : "", frame_);
  AppendLe(static_cast<std::uint32_t>(view.labels.size()), frame_);
  for (const Label& label : view.labels) AppendLabel(label, frame_);
  AppendLe(static_cast<std::uint32_t>(view.fields.size()), frame_);
  for (const FieldView& field : view.fields) AppendField(field, frame_);
  SHARDINE_RETURN_IF_ERROR(AppendFrame(frame_));
  ++totals_.samples;
  totals_.content_digest += sample.digest;
  return Status();
}

Status PartFileWriter::Finish() {
  std::string end;
  AppendLe(std::uint64_t{0}, end);  // no frame is empty
  AppendLe(totals_.samples, end);
  AppendDigest(totals_.content_digest, end);
  AppendDigest(chain_.Digest(), end);
  SHARDINE_RETURN_IF_ERROR(file_->Append(AsBytes(end)));
  return file_->Finish();
}

Result<std::unique_ptr<PartFileReader>> PartFileReader::Open(
    ReadableStorage& storage, const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Open(path));
  std::unique_ptr<PartFileReader> reader(new PartFileReader(std::move(file)));
  SHARDINE_RETURN_IF_ERROR(reader->ReadBeginning().At({.path = path}));
  return reader;
}

Status PartFileReader::ReadBeginning() {
  const std::uint64_t size = file_->size();
  const Status no_part(Code::kCorrupt, "is no file of a part, or cut off");
  if (size < kMagic.size() + kLengthBytes + kEndBytes) return no_part;
  SHARDINE_ASSIGN_OR_RETURN(const ByteView magic,
                            window_.Read(0, kMagic.size()));
  if (AsText(magic) != kMagic) return no_part;
  at_ = kMagic.size();
  SHARDINE_ASSIGN_OR_RETURN(const ByteView header, ReadFrame());
  if (header.size() > kMaxHeader) return no_part;
  SHARDINE_ASSIGN_OR_RETURN(options_, ParsePartHeader(AsText(header)));
  std::byte end[kEndBytes];
  SHARDINE_RETURN_IF_ERROR(file_->ReadExactly(size - kEndBytes, end));
  ByteCursor cursor(end);
  if (!cursor.Read(totals_.samples) ||
      !ReadDigest(cursor, totals_.content_digest)) {
    return no_part;
  }
  return Status();
}

// Empty at the end.
Result<ByteView> PartFileReader::ReadFrame() {
  begun_ = at_;
  SHARDINE_ASSIGN_OR_RETURN(const ByteView number,
                            window_.Read(at_, kLengthBytes));
  const auto length = LoadLe<std::uint64_t>(number.data());
  at_ += kLengthBytes;
  if (length == 0) return ByteView();
  const std::uint64_t rest = file_->size() - at_;
  if (rest < kChecksumBytes || length > rest - kChecksumBytes) {
    return Status(Code::kCorrupt, "file ends early").At({.offset = begun_});
  }
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes,
                            window_.Read(at_, length + kChecksumBytes));
  const ByteView frame = bytes.first(static_cast<std::size_t>(length));
  const auto checksum = LoadLe<std::uint64_t>(frame.data() + frame.size());
  if (Xxh3_64(frame, frames_) != checksum) {
    return Status(Code::kCorrupt, "checksum differs").At({.offset = begun_});
  }
  ++frames_;
  chain_.UpdateLe(checksum);
  at_ += length + kChecksumBytes;
  return frame;
}

Where PartFileReader::where() const {
  Where where{.path = file_->path(), .offset = begun_};
  // The first frame is the header.
  if (frames_ > 1) where.record = frames_ - 2;
  return where;
}

Result<const NewSample*> PartFileReader::Next() {
  auto frame = ReadFrame();
  if (!frame.ok()) {
    return std::move(frame).status().At(
        {.path = file_->path(), .record = frames_ - 1});
  }
  if (frame->empty()) {
    SHARDINE_RETURN_IF_ERROR(
        CheckEnd().At({.path = file_->path(), .offset = begun_}));
    return nullptr;
  }
  if (!ParseSample(*frame)) {
    return Status(Code::kCorrupt, "is no sample").At(where());
  }
  ++read_.samples;
  read_.content_digest += ContentDigest(labels_, fields_);
  return &sample_;
}

Status PartFileReader::CheckEnd() {
  SHARDINE_ASSIGN_OR_RETURN(const ByteView end, window_.Read(at_, kEndBytes));
  ByteCursor cursor(end);
  PartTotals totals;
  Digest128 chain;
  const bool whole =
      at_ + kEndBytes == file_->size() && cursor.Read(totals.samples) &&
      ReadDigest(cursor, totals.content_digest) && ReadDigest(cursor, chain);
  if (whole && totals == read_ && chain == chain_.Digest()) return Status();
  return Status(Code::kCorrupt,
                "samples are missing, or differ from what was written");
}

bool PartFileReader::ParseSample(ByteView frame) {
  ByteCursor cursor(frame);
  std::uint8_t flags = 0;
  std::uint64_t id = 0;
  std::string_view key;
  std::uint32_t count = 0;
  labels_.clear();
  fields_.clear();
  shapes_.clear();
  if (!cursor.Read(flags) || flags > kHasKey + kHasId || !cursor.Read(id) ||
      !ReadText(cursor, sample_.split) || !ReadText(cursor, key) ||
      !cursor.Read(count)) {
    return false;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!ReadLabel(cursor, labels_)) return false;
  }
  if (!cursor.Read(count)) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!ParseField(cursor)) return false;
  }
  if (!cursor.done()) return false;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    fields_[i].shape = shapes_[i];
  sample_.key = std::nullopt;
  if ((flags & kHasKey) != 0) sample_.key = key;
  sample_.id = std::nullopt;
  if ((flags & kHasId) != 0) sample_.id = id;
  sample_.labels = labels_;
  sample_.fields = fields_;
  return true;
}

bool PartFileReader::ParseField(ByteCursor& cursor) {
  FieldView field;
  std::uint32_t rank = 0;
  if (!ReadText(cursor, field.name) || !ReadText(cursor, field.dtype) ||
      !cursor.Read(rank)) {
    return false;
  }
  field.is_text = field.dtype == kTextDtype;
  if (field.is_text) field.dtype = kBytesDtype;
  // The content digest takes fields by ascending name.
  if (!fields_.empty() && field.name <= fields_.back().name) return false;
  std::vector<std::uint64_t>& shape = shapes_.emplace_back();
  for (std::uint32_t i = 0; i < rank; ++i) {
    std::uint64_t axis = 0;
    if (!cursor.Read(axis)) return false;
    shape.push_back(axis);
  }
  std::uint64_t size = 0;
  if (!cursor.Read(size) || !cursor.ReadBytes(size, field.bytes)) return false;
  fields_.push_back(field);
  return true;
}

}  // namespace shardine
