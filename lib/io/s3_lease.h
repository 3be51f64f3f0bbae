// One run at a time, where there is no lock that ends with its holder: an
// object that says who works, renewed while he does.
#ifndef SHARDINE_IO_S3_LEASE_H_
#define SHARDINE_IO_S3_LEASE_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "io/s3_place.h"
#include "shardine/status.h"

namespace shardine {

// Thread-safe. Whoever finds the object takes it over if its process is gone
// from this machine, or if it was not renewed for five minutes by the clock of
// the service; else its holder is at work. Where the service knows no
// conditions, two that take it in the same moment may both believe that they
// have it.
class S3Lease {
 public:
  // kAlreadyExists: somebody is at work, who is named. Never waits.
  static Result<std::shared_ptr<S3Lease>> Take(S3Place place);
  // The object stays, but for Release().
  ~S3Lease();

  // It is renewed no more, and the object is removed; also where the work was
  // stopped.
  Status Release();
  // kAlreadyExists: somebody took it over.
  Status Check() const;
  // Empty where the service knows conditions.
  const std::string& weakness() const { return weakness_; }

 private:
  S3Lease(S3Place place, std::string text)
      : place_(std::move(place)), text_(std::move(text)) {}
  Status Put(const std::string& condition, const std::string& value);
  Status Probe();
  bool IsOurs();
  void Renew();
  void Stop();

  const S3Place place_;
  const std::string text_;
  std::string weakness_;
  std::string etag_;  // of what was put last
  std::atomic<bool> lost_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace shardine

#endif  // SHARDINE_IO_S3_LEASE_H_
