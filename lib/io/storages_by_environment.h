// One storage for all callers with the same variables of services.
#ifndef SHARDINE_IO_STORAGES_BY_ENVIRONMENT_H_
#define SHARDINE_IO_STORAGES_BY_ENVIRONMENT_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/fork_mutex.h"
#include "base/made_once.h"
#include "remote/aws_profile.h"
#include "shardine/environment.h"

namespace shardine {

// Thread-safe, and of use in the child of a fork. Storages are never destroyed:
// the holder of one keeps its variables, whatever the environment becomes.
template <typename Impl>
class StoragesByEnvironment {
 public:
  Impl& Of(const Environment& environment) {
    const std::string identity = IdentityOf(environment);
    if (Impl* const found = Find(identity)) return *found;
    auto made = std::make_unique<Impl>(environment);
    const std::lock_guard lock(ForkMutex());
    const auto [at, is_new] = storages_.Get().emplace(identity, made.get());
    if (is_new) static_cast<void>(made.release());
    return *at->second;
  }

 private:
  Impl* Find(const std::string& identity) {
    const std::lock_guard lock(ForkMutex());
    const auto found = storages_.Get().find(identity);
    return found == storages_.Get().end() ? nullptr : found->second;
  }

  // Guarded by ForkMutex().
  MadeOnce<std::map<std::string, Impl*>> storages_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_STORAGES_BY_ENVIRONMENT_H_
