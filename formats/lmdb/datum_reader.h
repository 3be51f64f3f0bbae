// Reads a serialised Datum without copying its data, and without protobuf: the
// place of the data is wanted. datum.proto beside this file.
#ifndef SHARDINE_FORMATS_LMDB_DATUM_READER_H_
#define SHARDINE_FORMATS_LMDB_DATUM_READER_H_

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

struct DatumView {
  std::int32_t channels = 0;
  std::int32_t height = 0;
  std::int32_t width = 0;
  std::optional<std::size_t> data_at;  // offset of the data in the message
  ByteView data;
  std::optional<std::int32_t> label;
  bool encoded = false;
  // float_data: one piece of the message if it is packed, else gathered.
  ByteBuffer floats;
  std::optional<std::size_t> floats_at;
  bool has_unknown = false;  // fields that no Datum has
};

// Replaces `datum`. kCorrupt, with the offset in the message, for bytes that
// are no message of protocol buffers or have a known field in another form.
Status ReadDatum(ByteView message, DatumView& datum);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_DATUM_READER_H_
