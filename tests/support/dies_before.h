// A storage whose process is killed just before a file gets its name.
#ifndef SHARDINE_SUPPORT_DIES_BEFORE_H_
#define SHARDINE_SUPPORT_DIES_BEFORE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine {

// Dies before it gives a name to that file.
class DiesBefore : public FaultStorage {
 public:
  DiesBefore(MemoryStorage& below, std::string path)
      : FaultStorage(below,
                     {.operation = Operation::kLock, .call = UINT64_MAX}),
        path_(std::move(path)) {}
  Status Rename(const std::string& from, const std::string& to) override {
    if (dead_ || to == path_) return Die();
    return FaultStorage::Rename(from, to);
  }
  Status Remove(const std::string& path) override {
    return dead_ ? Die() : FaultStorage::Remove(path);
  }

 private:
  Status Die() {
    dead_ = true;
    return Status::FromErrno(5, "die", path_);
  }
  const std::string path_;
  bool dead_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_SUPPORT_DIES_BEFORE_H_
