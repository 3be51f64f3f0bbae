// One run at a time, where there is no lock that ends with its holder: an
// object that names its owner, renewed while the owner runs.
#ifndef SHARDINE_IO_S3_LEASE_H_
#define SHARDINE_IO_S3_LEASE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "io/s3_place.h"
#include "shardine/status.h"

namespace shardine {

// Thread-safe. A process that finds the object takes it over if its owner is
// gone from this machine, or if it was not renewed for five minutes by the
// clock of the service; else its holder is at work. The text changes at each
// renewal, so that a condition on an earlier text fails once the holder has
// given a sign. Where the service knows no conditions, two that take it in the
// same moment may both believe that they have it.
class S3Lease {
 public:
  // kAlreadyExists: another holder is at work; the message names it. Never
  // waits.
  static Result<std::shared_ptr<S3Lease>> Take(S3Place place);
  // The object stays, but for Release().
  ~S3Lease();

  // It is renewed no more, and the object is removed if it is still this one's;
  // also where the work was stopped. As Check() where it is not.
  Status Release();
  // kAlreadyExists: another process took it over. Asks the service where more
  // time than between renewals has passed, by a clock that counts sleep.
  Status Check();
  // The same, and asks in any case: before the step that ends the work.
  Status Confirm();
  // Empty where the service knows conditions.
  const std::string& weakness() const { return weakness_; }

 private:
  S3Lease(S3Place place, std::string text)
      : place_(std::move(place)), text_(std::move(text)) {}
  Status Put(const std::string& text, const std::string& condition,
             const std::string& value);
  Status Begin();
  Status Probe();
  Status Look(bool& is_ours);
  Status Renew();
  Status RenewInTurn();
  void KeepRenewing();
  void Stop();
  Status Lost() const;

  const S3Place place_;
  const std::string text_;  // before the number of the renewal
  std::string weakness_;
  std::timed_mutex renewal_;    // held while one is under way
  std::string etag_;            // of the last put text; guarded by renewal_
  std::uint64_t renewals_ = 0;  // guarded by renewal_
  std::atomic<std::int64_t> renewed_ = 0;  // seconds of a clock with sleep
  std::atomic<bool> lost_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_S3_LEASE_H_
