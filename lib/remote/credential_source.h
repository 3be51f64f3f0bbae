// The sources of credentials, and their renewal: credentials of roles end after
// an hour, in the middle of an epoch.
#ifndef SHARDINE_REMOTE_CREDENTIAL_SOURCE_H_
#define SHARDINE_REMOTE_CREDENTIAL_SOURCE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/turn.h"
#include "remote/sigv4.h"
#include "shardine/status.h"

namespace shardine {

using WallTime = std::chrono::system_clock::time_point;

struct FetchedCredentials {
  Credentials credentials;
  std::optional<WallTime> expires =
      {};  // nullopt: it is not known that they do
};

// Thread-safe, and of use in the child of a fork.
class CredentialSource : public std::enable_shared_from_this<CredentialSource> {
 public:
  using Fetch = std::function<Result<FetchedCredentials>()>;

  // A source of credentials that never change.
  static std::shared_ptr<CredentialSource> Of(Credentials fixed);
  // The one of that name in this process, made if there is none: fetched
  // credentials serve every caller.
  static std::shared_ptr<CredentialSource> Named(const std::string& name,
                                                 Fetch fetch);

  // How often any of this process were fetched.
  static std::uint64_t fetches();

  // Fetches them if there are none that still hold; may wait, ends with the
  // stop of this thread's work.
  Result<Credentials> Get();
  // The last ones, at once; empty before Get() succeeded. From five minutes
  // before they expire others are fetched, on a thread of their own.
  Credentials Last();
  // The service says that these have expired: others are fetched in the same
  // way if Last() is still these. False: there are no others.
  bool Renew(const Credentials& expired);

 private:
  explicit CredentialSource(Fetch fetch) : fetch_(std::move(fetch)) {}
  std::optional<FetchedCredentials> Known() const;
  Result<FetchedCredentials> FetchOrFail() const;
  Status FetchInTurn();
  // Not sooner than so long after the last time: the same may come again.
  void FetchAside(std::chrono::seconds pause);

  const Fetch fetch_;  // empty: they never change
  Turn fetching_;
  // ForkMutex() guards this and all members below.
  std::optional<FetchedCredentials> last_;
  // When it was last tried, by a clock that is never set.
  std::optional<std::chrono::steady_clock::time_point> fetched_;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CREDENTIAL_SOURCE_H_
