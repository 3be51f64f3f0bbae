#include "io/s3_lease.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <fstream>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/random_token.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::chrono::seconds kRenewal{60};
constexpr std::int64_t kStaleSeconds = 300;
constexpr std::chrono::milliseconds kLookAtStop{50};

// The steady clock stands still while a machine sleeps.
std::int64_t SecondsWithSleep() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec;
}

// When it began, in ticks since the machine did: numbers of processes come
// again. 0: there is no such process, or it may not be looked at.
std::uint64_t StartOf(long process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  // After the name, which may have blanks and brackets.
  const std::size_t name = text.rfind(')');
  if (name == text.npos) return 0;
  std::istringstream words(text.substr(name + 1));
  std::string word;
  for (int i = 3; i <= 22; ++i) words >> word;
  return words ? std::strtoull(word.c_str(), nullptr, 10) : 0;
}

// Where a number of a process means the same process: this run of this machine,
// and one container of it.
std::string SpaceOfProcesses() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  struct stat facts;
  const bool known = stat("/proc/self/ns/pid", &facts) == 0;
  if (boot.empty() || !known) return "";
  return boot + "/" + std::to_string(facts.st_ino);
}

struct Holder {
  std::string token;  // tells it from all others
  std::string host;
  std::string space;
  long process = 0;
  std::uint64_t start = 0;

  static Holder Self() {
    char host[256] = {};
    static_cast<void>(gethostname(host, sizeof host - 1));
    const long process = getpid();
    return {.token = RandomToken(),
            .host = host,
            .space = SpaceOfProcesses(),
            .process = process,
            .start = StartOf(process)};
  }
  static Holder Parse(const std::string& text) {
    std::istringstream lines(text);
    Holder holder;
    std::string title;
    std::getline(lines, title);
    std::getline(lines, holder.token);
    std::getline(lines, holder.host);
    std::getline(lines, holder.space);
    lines >> holder.process >> holder.start;
    return lines ? holder : Holder();
  }
  std::string Text() const {
    return "shardine is at work here\n" + token + "\n" + host + "\n" + space +
           "\n" + std::to_string(process) + " " + std::to_string(start) + "\n";
  }
  // A process that cannot be looked at counts as alive: /proc can hide the
  // processes of other users.
  bool IsGone() const {
    if (space.empty() || space != SpaceOfProcesses() || process <= 0) {
      return false;
    }
    if (::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) {
      return true;
    }
    const std::uint64_t there = StartOf(process);
    return there != 0 && there != start;
  }
};

// How long ago the holder was heard of, by the clock of the service.
std::int64_t AgeOf(const HttpOutcome& outcome) {
  const auto renewed = ParseHttpDate(outcome.facts.modified);
  return renewed && outcome.date ? *outcome.date - *renewed : 0;
}

Status Refuse(const Holder& holder, const std::string& path) {
  const std::string who =
      holder.process > 0 ? "process " + std::to_string(holder.process) +
                               " of " + EscapeBytes(holder.host).substr(0, 64)
                         : "of which nothing is known";
  return Status(Code::kAlreadyExists,
                who + "; if it is gone, wait five minutes or remove " + path)
      .At({.path = path});
}

}  // namespace

Result<std::shared_ptr<S3Lease>> S3Lease::Take(S3Place place) {
  const Holder self = Holder::Self();
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome there, AskS3(place, {}));
  std::string condition = "if-none-match", value = "*";
  if (there.status.ok()) {
    const Holder holder = Holder::Parse(there.body);
    if (!holder.IsGone() && AgeOf(there) < kStaleSeconds) {
      return Refuse(holder, place.path);
    }
    condition = "if-match";
    value = there.facts.etag;
  } else if (there.http_status != kHttpNotFound) {
    return there.status;
  }
  std::shared_ptr<S3Lease> lease(new S3Lease(std::move(place), self.Text()));
  const Status put = lease->Put(lease->text_, condition, value);
  // Taken by another, or by this one, whose answer was lost.
  if (!put.ok() && put.code() != Code::kAlreadyExists) return put;
  // Without conditions, several may put it at once: the last one holds the
  // lease.
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome now, AskS3(lease->place_, {}));
  SHARDINE_RETURN_IF_ERROR(now.status);
  const Holder holder = Holder::Parse(now.body);
  if (holder.token != self.token) return Refuse(holder, lease->place_.path);
  lease->etag_ = now.facts.etag;
  const Status begun = lease->Begin();
  // Otherwise the next run of this very process would find the lease held.
  if (!begun.ok()) static_cast<void>(lease->Release().ok());
  SHARDINE_RETURN_IF_ERROR(begun);
  return lease;
}

S3Lease::~S3Lease() { Stop(); }

Status S3Lease::Begin() {
  renewed_ = SecondsWithSleep();
  SHARDINE_RETURN_IF_ERROR(Probe());
  try {
    thread_ = std::thread([this] { KeepRenewing(); });
  } catch (const std::system_error& error) {
    return Status(Code::kFailed,
                  std::string("no thread can be started: ") + error.what());
  }
  return Status();
}

void S3Lease::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status S3Lease::Release() {
  Stop();
  if (lost_) return Lost();
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome there, AskS3AtEnd(place_, {}));
  if (there.http_status == kHttpNotFound) return Status();
  SHARDINE_RETURN_IF_ERROR(there.status);
  if (!there.body.starts_with(text_)) {
    lost_ = true;
    return Lost();
  }
  S3Action removal{.method = "DELETE"};
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome outcome,
                            AskS3AtEnd(place_, removal));
  return outcome.status;
}

Status S3Lease::Lost() const {
  return Status(Code::kAlreadyExists,
                "another run of shardine took this folder over while this one "
                "gave no sign")
      .At({.path = place_.path});
}

Status S3Lease::Check() {
  if (lost_) return Lost();
  if (SecondsWithSleep() - renewed_ <= kRenewal.count()) return Status();
  return RenewInTurn();
}

Status S3Lease::Confirm() { return lost_ ? Lost() : RenewInTurn(); }

Status S3Lease::Put(const std::string& text, const std::string& condition,
                    const std::string& value) {
  S3Action action{.method = "PUT", .body = std::as_bytes(std::span(text))};
  if (!value.empty()) action.headers[condition] = value;
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome outcome, AskS3(place_, action));
  if (outcome.http_status == kHttpPreconditionFailed ||
      outcome.http_status == kHttpNotFound) {
    return Status(Code::kAlreadyExists,
                  "another run of shardine began to work on this folder")
        .At({.path = place_.path});
  }
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  etag_ = outcome.facts.etag;
  return Status();
}

// The same object once more, under a condition that is not true.
Status S3Lease::Probe() {
  const Status put = Put(text_, "if-none-match", "*");
  if (put.code() == Code::kAlreadyExists) return Status();
  SHARDINE_RETURN_IF_ERROR(put);
  weakness_ = "the service at " + place_.path +
              " knows no If-None-Match: of two runs that begin in the same "
              "moment neither is kept out";
  return Status();
}

// Compares the lease with the object at the service now.
Status S3Lease::Look(bool& is_ours) {
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome now, AskS3(place_, {}));
  is_ours = now.status.ok() && now.body.starts_with(text_);
  if (now.http_status != kHttpNotFound) {
    SHARDINE_RETURN_IF_ERROR(now.status);
  }
  if (is_ours) etag_ = now.facts.etag;
  return Status();
}

// A service that fails for a moment says nothing of the lease.
Status S3Lease::Renew() {
  bool is_ours = true;
  // Without a condition another's would be written over.
  const bool is_blind = !weakness_.empty() || etag_.empty();
  if (is_blind) SHARDINE_RETURN_IF_ERROR(Look(is_ours));
  for (int attempt = 0; is_ours && attempt < 2; ++attempt) {
    const std::int64_t now = SecondsWithSleep();
    const Status put =
        Put(text_ + std::to_string(++renewals_) + "\n", "if-match", etag_);
    if (put.ok()) {
      renewed_ = now;
      return put;
    }
    if (put.code() != Code::kAlreadyExists) return put;
    // An answer that was lost is followed by one that it is too late.
    SHARDINE_RETURN_IF_ERROR(Look(is_ours));
  }
  lost_ = true;
  return Lost();
}

Status S3Lease::RenewInTurn() {
  std::unique_lock lock(renewal_, std::defer_lock);
  while (!lock.try_lock_for(kLookAtStop)) {
    if (CurrentStop().stop_requested()) {
      return Status(Code::kCancelled, "writing was stopped");
    }
  }
  return lost_ ? Lost() : Renew();
}

// A renewal that cannot be sent may be sent the next time: four of them are
// lost before the lease is.
void S3Lease::KeepRenewing() {
  // A request that is under way ends with it.
  const StopScope scope(stop_.get_token());
  const auto is_stopped = [this] { return stop_.stop_requested(); };
  std::unique_lock lock(mutex_);
  while (!lost_ && !wake_.wait_for(lock, kRenewal, is_stopped)) {
    lock.unlock();
    try {
      static_cast<void>(RenewInTurn().ok());
    } catch (const std::exception&) {  // no memory for it now
    }
    lock.lock();
  }
}

}  // namespace shardine
