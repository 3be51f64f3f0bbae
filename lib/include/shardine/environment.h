// Environment: the environment variables of this process as they were at one
// moment. A program may change them at any time, and a thread that reads them
// meanwhile may read freed memory: so they are read once, by the thread that
// makes a dataset, a loader or a verb's job, and kept as a value.
#ifndef SHARDINE_ENVIRONMENT_H_
#define SHARDINE_ENVIRONMENT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace shardine {

// A value; copies share the variables. Thread-safe.
class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  // No variables.
  Environment() : Environment(Variables()) {}
  explicit Environment(Variables variables)
      : variables_(std::make_shared<const Variables>(std::move(variables))) {}

  // The variables as they are now. REQUIRES: no other thread changes them
  // meanwhile; in Python the interpreter's lock sees to that.
  static Environment Read();
  // The variables that were read last in this process, for settings of the
  // process as a whole.
  static Environment Latest();
  // The variables of the innermost EnvironmentScope of this thread; without
  // one, Read()'s.
  static Environment Current();
  // Null without a scope. Lives as long as that.
  static const Environment* InScope();

  // Empty where the variable is unset.
  std::string Of(std::string_view name) const;
  const Variables& variables() const { return *variables_; }

 private:
  std::shared_ptr<const Variables> variables_;
};

// From construction to destruction this thread makes things with these
// variables. Scopes may be nested.
class EnvironmentScope {
 public:
  explicit EnvironmentScope(Environment environment);
  ~EnvironmentScope();
  EnvironmentScope(const EnvironmentScope&) = delete;
  EnvironmentScope& operator=(const EnvironmentScope&) = delete;

 private:
  const Environment environment_;
  const Environment* const outer_;
};

// Runs `work`, in which a library reads variables by itself, while no thread
// changes them: under the keeper of SetEnvironmentKeeper(), or without one.
// REQUIRES: this thread holds no lock that it would wait for with.
void WithStillEnvironment(const std::function<void()>& work);

// `keep` runs its argument while other threads wait to change variables: in
// Python for the interpreter's lock. Called before other threads begin.
using EnvironmentKeeper = void (*)(const std::function<void()>& work);
void SetEnvironmentKeeper(EnvironmentKeeper keep);

}  // namespace shardine

#endif  // SHARDINE_ENVIRONMENT_H_
