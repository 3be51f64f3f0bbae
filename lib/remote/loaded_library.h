// LoadedLibrary: the functions of a library that is loaded when it is needed.
#ifndef SHARDINE_REMOTE_LOADED_LIBRARY_H_
#define SHARDINE_REMOTE_LOADED_LIBRARY_H_

#include <mutex>
#include <optional>

#include "base/fork_mutex.h"
#include "shardine/environment.h"
#include "shardine/status.h"

namespace shardine {

// Thread-safe; a variable that is never destroyed.
template <typename Library>
class LoadedLibrary {
 public:
  using Loaded = Result<const Library*>;

  // The result of the first call of `load`. Libraries read variables while they
  // are loaded and begin. A fork waits meanwhile: its child would find a
  // library that is half begun.
  Loaded Get(Loaded (*load)()) {
    if (const auto loaded = Known()) return *loaded;
    WithStillEnvironment([this, load] {
      const std::lock_guard lock(ForkMutex());
      if (loaded_ == nullptr) loaded_ = new Loaded(load());
    });
    return *Known();
  }

 private:
  std::optional<Loaded> Known() const {
    const std::lock_guard lock(ForkMutex());
    return loaded_ == nullptr ? std::nullopt : std::optional(*loaded_);
  }

  const Loaded* loaded_ = nullptr;  // guarded by ForkMutex()
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_LOADED_LIBRARY_H_
