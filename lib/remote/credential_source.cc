#include "remote/credential_source.h"

#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fork_mutex.h"
#include "base/made_once.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"

namespace shardine {
namespace {

constexpr std::chrono::minutes kEarly{5};
constexpr std::chrono::milliseconds kLook{10};
constexpr std::chrono::seconds kBeforeEnd{10};
constexpr std::chrono::seconds kAfterEnd{1};

std::uint64_t fetch_count = 0;  // guarded by ForkMutex()

}  // namespace

std::shared_ptr<CredentialSource> CredentialSource::Of(Credentials fixed) {
  std::shared_ptr<CredentialSource> source(new CredentialSource(nullptr));
  source->last_ = FetchedCredentials{.credentials = std::move(fixed)};
  return source;
}

std::shared_ptr<CredentialSource> CredentialSource::Named(
    const std::string& name, Fetch fetch) {
  using Sources = std::map<std::string, std::shared_ptr<CredentialSource>>;
  static constinit MadeOnce<Sources> sources;
  const std::lock_guard lock(ForkMutex());
  std::shared_ptr<CredentialSource>& source = sources.Get()[name];
  if (source == nullptr) source.reset(new CredentialSource(std::move(fetch)));
  return source;
}

// An exception would end the process.
Result<FetchedCredentials> CredentialSource::FetchOrFail() const {
  try {
    return fetch_();
  } catch (const std::exception& error) {
    return Status(Code::kFailed, error.what());
  }
}

Status CredentialSource::FetchInTurn() {
  const TurnEnd end(fetching_);
  Result<FetchedCredentials> fetched = FetchOrFail();
  const std::lock_guard lock(ForkMutex());
  fetched_ = std::chrono::steady_clock::now();
  SHARDINE_RETURN_IF_ERROR(fetched.status());
  SHARDINE_RETURN_IF_ERROR(CheckCredentials(fetched->credentials));
  last_ = *std::move(fetched);
  ++fetch_count;
  return Status();
}

std::uint64_t CredentialSource::fetches() {
  const std::lock_guard lock(ForkMutex());
  return fetch_count;
}

// A failure is met again, and said, when the last ones have expired.
void CredentialSource::FetchAside(std::chrono::seconds pause) {
  {
    const std::lock_guard lock(ForkMutex());
    const auto now = std::chrono::steady_clock::now();
    if (fetched_ && now < *fetched_ + pause) return;
  }
  if (!fetching_.Take()) return;
  try {
    std::thread([self = shared_from_this()] {
      try {
        (void)self->FetchInTurn().ok();
      } catch (const std::exception&) {  // no memory for the credentials
      }
    }).detach();
  } catch (const std::system_error&) {
    fetching_.End();
  }
}

std::optional<FetchedCredentials> CredentialSource::Known() const {
  const std::lock_guard lock(ForkMutex());
  return last_;
}

Result<Credentials> CredentialSource::Get() {
  for (;;) {
    const auto known = Known();
    const auto now = std::chrono::system_clock::now();
    if (known && (!known->expires || now < *known->expires)) {
      return known->credentials;
    }
    if (fetching_.Take()) {
      SHARDINE_RETURN_IF_ERROR(FetchInTurn());
      // As they are: a clock that is wrong must not have them fetched for ever.
      return Known()->credentials;
    }
    if (CurrentStop().stop_requested()) {
      return Status(Code::kCancelled, "reading was stopped");
    }
    std::this_thread::sleep_for(kLook);
  }
}

Credentials CredentialSource::Last() {
  const auto known = Known();
  if (!known) return {};
  if (known->expires &&
      *known->expires - std::chrono::system_clock::now() < kEarly) {
    FetchAside(kBeforeEnd);
  }
  return known->credentials;
}

bool CredentialSource::Renew(const Credentials& expired) {
  if (fetch_ == nullptr) return false;
  const auto known = Known();
  if (known && known->credentials == expired) {
    FetchAside(kAfterEnd);
  }
  return true;
}

}  // namespace shardine
