// One storage for all who make things with the same variables of services.
#ifndef SHARDINE_IO_STORAGES_BY_ENVIRONMENT_H_
#define SHARDINE_IO_STORAGES_BY_ENVIRONMENT_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/fork_mutex.h"
#include "remote/aws_profile.h"
#include "shardine/environment.h"

namespace shardine {

// Thread-safe, and of use in the child of a fork. Storages are never destroyed:
// who holds one keeps its variables, whatever the environment becomes.
template <typename Impl>
class StoragesByEnvironment {
 public:
  Impl& Of(const Environment& environment) {
    const std::string identity = IdentityOf(environment);
    if (Impl* const found = Find(identity)) return *found;
    auto made = std::make_unique<Impl>(environment);
    const std::lock_guard lock(ForkMutex());
    const auto [at, is_new] = storages_.emplace(identity, made.get());
    if (is_new) static_cast<void>(made.release());
    return *at->second;
  }

 private:
  Impl* Find(const std::string& identity) const {
    const std::lock_guard lock(ForkMutex());
    const auto found = storages_.find(identity);
    return found == storages_.end() ? nullptr : found->second;
  }

  // Guarded by ForkMutex().
  std::map<std::string, Impl*>& storages_ = *new std::map<std::string, Impl*>;
};

}  // namespace shardine

#endif  // SHARDINE_IO_STORAGES_BY_ENVIRONMENT_H_
