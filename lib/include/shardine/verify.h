// Verify: is every bit of a dataset as it was packed?
#ifndef SHARDINE_VERIFY_H_
#define SHARDINE_VERIFY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/contents.h"
#include "shardine/field_roles.h"
#include "shardine/job.h"
#include "shardine/split_copies.h"
#include "shardine/status.h"

namespace shardine {

enum class VerifyLevel : std::uint8_t {
  kQuick,  // manifest, sizes of all files, sidecar headers
  kFull,   // every byte and checksum, framing, index against data; entry points
           // are found again in the images, and compared; groups that splits
           // were cut between lie in one split each
  kDeep,   // also decodes every image: a bad one is a finding, unless it is
           // known to have been kept when it was packed
};

struct VerifyOptions {
  // Dataset folder, and the variants that its manifest lists are verified with
  // it; or one shard file of any format.
  std::string target;
  VerifyLevel level = VerifyLevel::kFull;
  // Tree, or "train=DIR,val=DIR", whose files the images must equal, or empty.
  // Not of one shard file (kInvalidArgument); at level kQuick only names are
  // compared, which is noted.
  std::string against = {};
  // .lst or JSON list whose files the images must equal, as pack was given it;
  // `against` is then the folder that its paths are below. Samples of one file
  // have keys that are no paths, which only the list explains.
  std::string list = {};
  std::string list_root = {};  // SourceOptions::list_root
  // The fields of one shard file that are image, label and key.
  // kInvalidArgument: no record has one of them.
  FieldRoles roles = {};
  unsigned threads = 0;
};

struct VerifyResult {
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;  // looked at
  std::uint64_t bytes = 0;    // read
  // The contents of the dataset as its manifest says, or of the file. Empty
  // after a quick look at a file.
  DatasetContents contents;
  // Damage by split, shard, record; each names its place as well as it can.
  std::vector<Status> findings;
  // Facts that are no damage, but worth knowing: files that are not listed,
  // images of the tree that the dataset lacks, how many bad images were kept.
  std::vector<std::string> notes;
  // The images that the splits share, if nothing else was found; not of a quick
  // look.
  std::vector<SplitCopies> copies = {};
};

// A Status only when verification could not be done (no such target, I/O);
// damage is in `findings`.
Result<VerifyResult> Verify(const VerifyOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_VERIFY_H_
