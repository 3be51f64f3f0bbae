// The header in front of the image in each record of recordio/mxnet. Byte
// layout and the meaning of each field: FORMAT.md, "Content".
#ifndef SHARDINE_FORMATS_RECORDIO_IRHEADER_H_
#define SHARDINE_FORMATS_RECORDIO_IRHEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

struct IrHeader {
  std::uint32_t flag = 0;  // number of float32 labels after the header
  float label = 0;
  std::uint64_t id = 0;
  std::uint64_t id2 = 0;
};

inline constexpr std::size_t kIrHeaderBytes = 24;

void AppendIrHeader(const IrHeader& header, std::string& to);
// REQUIRES: kIrHeaderBytes at `from`.
IrHeader LoadIrHeader(const std::byte* from);

// The bytes in front of the image, labels rounded to float32: one in the
// header, several after it, none as NaN.
void AppendRecordPrefix(std::uint64_t id, std::span<const Label> labels,
                        std::string& to);

struct RecordPrefix {
  std::uint64_t id = 0;
  std::size_t bytes = 0;  // where the image begins in the record
};

// The inverse: replaces `labels`. kCorrupt if `record` is too short for the
// header or its labels, kUnsupported for a NaN among several labels.
Result<RecordPrefix> ParseRecordPrefix(ByteView record,
                                       std::vector<Label>& labels);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_RECORDIO_IRHEADER_H_
