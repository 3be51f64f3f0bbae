// Makes room in a cache folder once its limits are reached.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <thread>

#include "cache/cache_folder.h"

namespace shardine {
namespace {

constexpr char kLockName[] = "lock";
constexpr std::chrono::seconds kLookAgain{1};

std::int64_t Now() {
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

struct CacheFolder::Survey {
  std::vector<CachedFileInfo> files;  // that count
  std::uint64_t used = 0;
  std::uint64_t free = 0;     // that an unprivileged user can write
  std::uint64_t reserve = 0;  // of them not to be written

  bool HasRoom(std::uint64_t bytes, std::uint64_t limit) const {
    return used <= limit && bytes <= limit - used && free >= reserve &&
           bytes <= free - reserve;
  }
};

bool CacheFolder::Counts(const CachedFileInfo& file) const {
  return limits_.holds_payloads || file.kind == CachedKind::kCompanion;
}

CacheFolder::Survey CacheFolder::Measure() const {
  Survey survey;
  struct statvfs disk;
  if (::fstatvfs(folder_.get(), &disk) == 0) {
    survey.free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    survey.reserve = std::uint64_t{disk.f_blocks} / 100 *
                     limits_.reserve_percent * disk.f_frsize;
  }
  for (CachedFileInfo& file : List()) {
    if (!Counts(file)) continue;
    survey.used += file.bytes;
    survey.files.push_back(std::move(file));
  }
  return survey;
}

void CacheFolder::Evict(Survey& survey, std::uint64_t wanted) const {
  const CacheDescriptor lock(
      ::openat(folder_.get(), kLockName,
               O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  // One process at a time; others see its result when they look next.
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
  survey = Measure();
  const std::int64_t now = Now();
  // A time in the future, to a minute, comes from a wrong clock: the file
  // counts as the oldest.
  for (CachedFileInfo& file : survey.files) {
    constexpr std::int64_t kMinute = 60'000'000'000;
    if (file.used_ns > now + kMinute) file.used_ns = 0;
  }
  std::ranges::sort(survey.files, {}, &CachedFileInfo::used_ns);
  const std::int64_t unused_since =
      now - std::chrono::nanoseconds(limits_.in_use).count();
  // More than is needed now, so that not each write comes here.
  const std::uint64_t goal = limits_.bytes / 10 * 9;
  for (const CachedFileInfo& file : survey.files) {
    if (survey.HasRoom(wanted, goal) || file.used_ns > unused_since) break;
    static_cast<void>(Remove(file.name).ok());
    survey.used -= file.bytes;
    survey.free += file.bytes;
  }
}

// Nothing: the folder has to be measured first.
std::optional<bool> CacheFolder::Grant(std::uint64_t bytes) {
  const std::lock_guard lock(ForkMutex());
  if (is_broken_ || std::chrono::steady_clock::now() < full_until_) {
    return false;
  }
  if (bytes > granted_) return std::nullopt;
  granted_ -= bytes;
  under_way_ += bytes;
  return true;
}

// The bytes under way. No more are granted until the folder is measured.
std::uint64_t CacheFolder::TakeGrants() {
  const std::lock_guard lock(ForkMutex());
  granted_ = 0;
  return under_way_;
}

bool CacheFolder::MakeRoom(std::uint64_t bytes) {
  constexpr std::uint64_t kLeastStep = 16 << 10;
  constexpr std::uint64_t kMostStep = 64 << 20;
  constexpr std::chrono::milliseconds kLook{1};
  for (;;) {
    if (const auto granted = Grant(bytes)) return *granted;
    if (measuring_.Take()) break;
    std::this_thread::sleep_for(kLook);
  }
  const TurnEnd end(measuring_);
  // Another thread may have ended between.
  if (const auto granted = Grant(bytes)) return *granted;
  const std::uint64_t step =
      std::clamp(limits_.bytes / 64, kLeastStep, kMostStep);
  const std::uint64_t wanted = std::max(bytes, step);
  // The folder does not hold yet the bytes granted to other processes.
  const std::uint64_t limit = limits_.bytes - limits_.bytes / 16;
  // Writes that end from now on count twice, at most.
  const std::uint64_t under_way = TakeGrants();
  Survey survey = Measure();
  if (!survey.HasRoom(under_way + wanted, limit)) {
    Evict(survey, under_way + wanted);
  }
  const std::lock_guard lock(ForkMutex());
  if (survey.HasRoom(under_way + wanted, limit)) {
    granted_ = wanted - bytes;
  }
  if (granted_ > 0 || survey.HasRoom(under_way + bytes, limit)) {
    under_way_ += bytes;
    return true;
  }
  full_until_ = std::chrono::steady_clock::now() + kLookAgain;
  return false;
}

void CacheFolder::EndWrite(std::uint64_t bytes) {
  const std::lock_guard lock(ForkMutex());
  under_way_ -= bytes;
}

}  // namespace shardine
