#include "shard/companion_folder.h"

#include "io/storage.h"

namespace shardine {

std::string InCompanionFolder(const std::string& shard) {
  const std::string name = FileNameOf(shard);
  return shard.substr(0, shard.size() - name.size()) + kCompanionFolder + "/" +
         name;
}

}  // namespace shardine
