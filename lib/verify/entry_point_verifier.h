// EntryPointVerifier: checks the entry points of one shard of a dataset against
// its sidecar, the manifest and the images.
#ifndef SHARDINE_VERIFY_ENTRY_POINT_VERIFIER_H_
#define SHARDINE_VERIFY_ENTRY_POINT_VERIFIER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "dataset/dataset_reader.h"
#include "io/readable_storage.h"
#include "shard/entry_point_file.h"
#include "shardine/status.h"

namespace shardine {

// Damage is returned as a finding, and ends the use of the damaged file.
// Thread-compatible. All references must outlive the verifier.
class EntryPointVerifier {
 public:
  EntryPointVerifier(ReadableStorage& storage, const DatasetReader& dataset,
                     const DatasetReader::ShardRef& ref)
      : storage_(storage), dataset_(dataset), ref_(ref) {}

  // Its header. A shard without any, or whose file is absent, is no finding.
  Status Open(const ShardIndex& index);
  // All of the file.
  Status CheckFile(const ShardIndex& index);
  // Compares the file's points of the sample with `found`, those of its image,
  // whose payload has that CRC.
  Status CheckImage(std::uint64_t record, std::uint32_t payload_crc,
                    const std::string& found);

  // Whether there are points that images are to be compared with.
  bool in_use() const { return points_ != nullptr; }
  EntryPointCounts counts() const;  // by the header

 private:
  ReadableStorage& storage_;
  const DatasetReader& dataset_;
  const DatasetReader::ShardRef& ref_;
  std::unique_ptr<EntryPointFile> points_;  // null if there is none to use
  ByteBuffer stored_;                       // of one sample
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_ENTRY_POINT_VERIFIER_H_
