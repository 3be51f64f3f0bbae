// Makes fields of the files of a sample: plain bytes, or the array in an .npy.
#ifndef SHARDINE_FORMATS_WEBDATASET_SAMPLE_FIELDS_H_
#define SHARDINE_FORMATS_WEBDATASET_SAMPLE_FIELDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shard/format.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class SampleFields {
 public:
  void Clear();
  // `offset` of the bytes in the file; kNowhere if they are not in it as such.
  // `bytes` must stay valid.
  void AddBytes(std::string name, ByteView bytes, std::uint64_t offset);
  // The same of a whole .npy file. Copies only arrays that are not in C order
  // and little-endian. Fails as ParseNpyHeader does.
  Status AddNpy(std::string name, ByteView file, std::uint64_t offset);

  // By ascending name. Valid until the next Clear(). kUnsupported if two have
  // one name.
  Result<std::span<const ScannedField>> Sorted();

 private:
  struct Field {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
    ByteView bytes;
    Extent extent;
    ByteBuffer converted;
  };

  std::vector<Field> fields_;
  std::vector<ScannedField> views_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_SAMPLE_FIELDS_H_
