// DatasetContents: how many samples of a dataset have a label, an image and
// other fields.
#ifndef SHARDINE_CONTENTS_H_
#define SHARDINE_CONTENTS_H_

#include <cstdint>
#include <map>
#include <string>

namespace shardine {

struct DatasetContents {
  std::uint64_t samples = 0;
  std::uint64_t labelled = 0;
  std::uint64_t deep = 0;  // images of 16 bits a channel
  // How many samples have it, by name: the image, and fields. A dataset that is
  // read lists the fields that some samples lack, an index all of them; the
  // first hundred by name.
  std::map<std::string, std::uint64_t> fields = {};

  // Some sample has no label, no image, or not all fields.
  bool lacks() const;
};

// "3 of 4 samples have a label, 3 of 4 an image; fields \"caption\" (2 of 4)".
std::string ToString(const DatasetContents& contents);

}  // namespace shardine

#endif  // SHARDINE_CONTENTS_H_
