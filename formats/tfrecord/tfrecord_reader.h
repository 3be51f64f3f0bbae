// Reads the records of a TFRecord file one after the other, whatever their
// content is. Byte layout: FORMAT.md, "Framing".
#ifndef SHARDINE_FORMATS_TFRECORD_TFRECORD_READER_H_
#define SHARDINE_FORMATS_TFRECORD_TFRECORD_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "io/byte_stream.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Views: valid until the next call of Next().
struct TfRecord {
  std::uint64_t number = 0;  // from 0
  // Where its length begins; in a compressed file, in the plain contents.
  std::uint64_t offset = 0;
  ByteView data;
  // Where `data` lies in the file; nullopt where it is compressed.
  std::optional<std::uint64_t> data_offset;
};

// Strict: both checksums of each record, lengths against the rest of the file
// (of a compressed one: against the bound of ByteStream) before any
// allocation. Errors have path and record, and in plain files the byte where
// the record begins; they repeat when Next() is called again. "truncated
// record": the file ends inside it; "corrupted record": a checksum is wrong.
//
// Thread-compatible. The file must outlive the reader.
class TfRecordReader {
 public:
  // Looks at the head of the file to see whether it is compressed.
  static Result<TfRecordReader> Open(const RandomAccessFile& file);

  // nullopt at the clean end of the file.
  Result<std::optional<TfRecord>> Next();

  // After a failure of Next() by the checksum of a record's data: Next() goes
  // on after it. False: after any other.
  bool SkipDamaged();

  bool compressed() const { return stream_.compressed(); }

 private:
  TfRecordReader(const RandomAccessFile& file, Compression compression)
      : file_(&file), stream_(file, compression) {}

  // The length of the record whose header this is; checks it.
  Result<std::uint64_t> LengthIn(ByteView header) const;
  Status Corrupt(std::string message) const;

  const RandomAccessFile* file_;
  ByteStream stream_;
  std::uint64_t number_ = 0;   // of the next record
  std::uint64_t pending_ = 0;  // bytes of the record returned last
  std::uint64_t damaged_ = 0;  // bytes of a record with a wrong checksum
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFRECORD_READER_H_
