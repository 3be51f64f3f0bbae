#include "shardine/environment.h"

#include <unistd.h>

#include <mutex>
#include <utility>

#include "base/fork_mutex.h"

namespace shardine {
namespace {

thread_local const Environment* current_environment = nullptr;

// Guarded by ForkMutex(); null until variables were read.
const Environment* latest = nullptr;

EnvironmentKeeper keeper = nullptr;

}  // namespace

Environment Environment::Read() {
  Variables variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view text = *each;
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  Environment read(std::move(variables));
  const std::lock_guard lock(ForkMutex());
  delete std::exchange(latest, new Environment(read));
  return read;
}

Environment Environment::Latest() {
  {
    const std::lock_guard lock(ForkMutex());
    if (latest != nullptr) return *latest;
  }
  return Current();
}

const Environment* Environment::InScope() { return current_environment; }

Environment Environment::Current() {
  return current_environment == nullptr ? Read() : *current_environment;
}

std::string Environment::Of(std::string_view name) const {
  const auto found = variables_->find(name);
  return found == variables_->end() ? std::string() : found->second;
}

EnvironmentScope::EnvironmentScope(Environment environment)
    : environment_(std::move(environment)),
      outer_(std::exchange(current_environment, &environment_)) {}

EnvironmentScope::~EnvironmentScope() { current_environment = outer_; }

void WithStillEnvironment(const std::function<void()>& work) {
  if (keeper == nullptr) {
    work();
  } else {
    keeper(work);
  }
}

void SetEnvironmentKeeper(EnvironmentKeeper keep) { keeper = keep; }

}  // namespace shardine
