#include "tfrecord/tfrecord_index.h"

#include "base/status_macros.h"
#include "io/byte_stream.h"
#include "tfrecord/tfrecord_framing.h"
#include "tfrecord/tfrecord_reader.h"

namespace shardine {
namespace {

// Replaces `line`.
void MakeLine(std::uint64_t offset, std::uint64_t size, std::string& line) {
  line = std::to_string(offset);
  line += ' ';
  line += std::to_string(size);
  line += '\n';
}

}  // namespace

Status TfRecordIndexWriter::Append(std::uint64_t offset, std::uint64_t size) {
  MakeLine(offset, size, line_);
  return file_.Append(AsBytes(line_));
}

Status CheckTfRecordIndex(ReadableStorage& storage, const std::string& path,
                          std::span<const std::uint64_t> record_offsets,
                          std::uint64_t shard_bytes) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  ByteStream stream(*file, Compression::kNone);
  const auto corrupt = [&](std::size_t record, const std::string& message) {
    return Status(Code::kCorrupt,
                  "line " + std::to_string(record + 1) + ": " + message)
        .At({.path = path, .offset = stream.position(), .record = record});
  };
  std::string line;
  for (std::size_t i = 0; i < record_offsets.size(); ++i) {
    const std::uint64_t end =
        i + 1 < record_offsets.size() ? record_offsets[i + 1] : shard_bytes;
    MakeLine(record_offsets[i], end - record_offsets[i], line);
    SHARDINE_ASSIGN_OR_RETURN(const ByteView found, stream.Peek(line.size()));
    if (found.empty()) {
      return corrupt(i, "the index ends, but the shard has " +
                            std::to_string(record_offsets.size()) + " records");
    }
    if (AsText(found) != line) {
      line.pop_back();
      return corrupt(i, "not \"" + line + "\", offset and size of the record");
    }
    stream.Advance(line.size());
  }
  SHARDINE_ASSIGN_OR_RETURN(const ByteView rest, stream.Peek(1));
  if (rest.empty()) return {};
  return corrupt(record_offsets.size(),
                 "the index goes on, but the shard has no more records");
}

Result<std::string> TfRecordIndexOf(const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(TfRecordReader reader, TfRecordReader::Open(file));
  if (reader.compressed()) {
    return Status(Code::kUnsupported,
                  "is compressed: an index has no places in it to tell")
        .At({.path = file.path()});
  }
  std::string text;
  std::string line;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const auto record, reader.Next());
    if (!record) return text;
    MakeLine(record->offset, record->data.size() + kTfRecordFraming, line);
    text += line;
  }
}

}  // namespace shardine
