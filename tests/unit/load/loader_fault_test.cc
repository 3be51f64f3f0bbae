// Errors of a loader when a call to its storage fails or a thread throws, and
// its exact continuation when the fault is gone. Nothing waits.

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

#include "pipeline/worker_group.h"
#include "support/fault_sweep.h"
#include "unit/load/loader_fixture.h"
#include "unit/load/memory_dataset.h"

namespace shardine::loader_fault_test {
namespace {

constexpr auto kNoWait = std::chrono::seconds(10);

LoaderOptions Options(bool raw, unsigned threads) {
  LoaderOptions options;
  options.batch_size = 5;
  options.seed = 3;
  options.last_batch = LastBatch::kShort;
  if (!raw) options.transform = RandomResizedCrop{.width = 6, .height = 5};
  options.threads = threads;
  return options;
}

// The next batch, into `delivered`; false at the end of the epoch.
Result<bool> Take(Loader& loader, Delivered& delivered) {
  REQUIRE(loader.WaitFor(kNoWait));
  auto batch = loader.Next();
  if (!batch.ok()) return std::move(batch).status();
  if (batch->has_value()) delivered.Add(**batch);
  return batch->has_value();
}

using CheckFailure = std::function<void(const Status&)>;

// An epoch, beginning again from where it failed. Returns how often it did.
int TakeEpoch(Loader& loader, const CheckFailure& check, Delivered& delivered) {
  int failures = 0;
  while (true) {
    const LoaderState before = loader.State();
    const Result<bool> more = Take(loader, delivered);
    if (more.ok() && !*more) return failures;
    if (more.ok()) continue;
    ++failures;
    REQUIRE(failures < 10);
    check(more.status());
    // The failure lasts until the place is set again, and the place is the one
    // before it.
    REQUIRE(loader.WaitFor(kNoWait));
    REQUIRE(loader.Next().status().ToString() == more.status().ToString());
    REQUIRE(loader.State() == before);
    REQUIRE(loader.SetState(before).ok());
  }
}

Delivered Undisturbed(MemoryDataset& dataset, const LoaderOptions& options) {
  auto loader = Loader::Create(dataset.Open(), options);
  REQUIRE(loader.ok());
  return Drain(**loader);
}

MemoryDataset& SharedDataset() {
  static MemoryDataset dataset(33);
  return dataset;
}

void CheckIoFailure(const Status& status) {
  REQUIRE(status.code() == Code::kIo);
  REQUIRE(status.system_error() == 5);
  REQUIRE_FALSE(status.where().path.empty());
}

// A loader through the faulty storage; null if the fault was there first.
std::unique_ptr<Loader> Create(Storage& faulty, const LoaderOptions& options) {
  auto source = SharedDataset().TryOpen(faulty);
  if (!source.ok()) {
    CheckIoFailure(source.status());
    return nullptr;
  }
  auto loader = Loader::Create(
      std::make_shared<const Dataset>(*std::move(source)), options);
  if (loader.ok()) return *std::move(loader);
  CheckIoFailure(loader.status());
  return nullptr;
}

std::uint64_t CallsOfOpening(const LoaderOptions& options) {
  FaultStorage sound(SharedDataset().storage(), {.call = UINT64_MAX});
  REQUIRE(Create(sound, options) != nullptr);
  return sound.calls(Operation::kAny);
}

TEST_CASE("Each call of a loader that fails is an error, and no more than one",
          "[loader][fault]") {
  const bool raw = GENERATE(false, true);
  const unsigned threads = GENERATE(1u, 2u, 7u);
  const LoaderOptions options = Options(raw, threads);
  const Delivered whole = Undisturbed(SharedDataset(), options);
  REQUIRE(whole.ids.size() == 33);
  // An epoch takes fewer calls than the opening, of which sanitizers see fewer.
  constexpr std::uint64_t kEpochStep = 1 + kSweepStep / 5;
  const std::uint64_t opening = CallsOfOpening(options);
  const auto behind = [opening](std::uint64_t call) {
    return call < opening ? std::min(call + kSweepStep, opening)
                          : call + kEpochStep;
  };
  int failed = 0;
  for (std::uint64_t call = 0;; call = behind(call)) {
    INFO("call " << call << ", " << threads << " threads");
    FaultStorage faulty(SharedDataset().storage(),
                        {.operation = Operation::kAny, .call = call});
    const auto loader = Create(faulty, options);
    if (loader == nullptr) continue;
    Delivered delivered;
    const int failures = TakeEpoch(*loader, CheckIoFailure, delivered);
    REQUIRE(failures <= 1);
    REQUIRE(delivered == whole);
    failed += failures;
    if (!faulty.struck()) break;
  }
  // How many calls an epoch takes depends on how far threads read ahead.
  CHECK(failed >= 20 / static_cast<int>(kEpochStep));
}

TEST_CASE("A storage that is gone for good fails a loader again and again",
          "[loader][fault]") {
  const bool raw = GENERATE(false, true);
  // Not samples that are bad: nothing makes them gray.
  LoaderOptions options = Options(raw, 2);
  options.on_bad = OnBadSample::kGray;
  for (std::uint64_t call = 0; call < 60; call += 3) {
    INFO("call " << call);
    FaultStorage dying(SharedDataset().storage(),
                       {.call = call, .effect = Fault::Effect::kCrash});
    const auto loader = Create(dying, options);
    if (loader == nullptr) continue;
    Delivered delivered;
    Result<bool> more = true;
    while (more.ok() && *more) more = Take(*loader, delivered);
    if (more.ok()) continue;  // it had all it needed
    for (int again = 0; again < 3; ++again) {
      CheckIoFailure(more.status());
      REQUIRE(loader->SetState(loader->State()).ok());
      more = Take(*loader, delivered);
      REQUIRE_FALSE(more.ok());
    }
  }
}

// Reads pass until, once it is armed, the chosen one throws.
class ThrowingStorage final : public FaultStorage {
 public:
  explicit ThrowingStorage(Storage& below)
      : FaultStorage(below, {.call = UINT64_MAX}) {}

  void Arm(int read) { left_ = read; }

  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    auto file = FaultStorage::Open(path);
    if (!file.ok()) return std::move(file).status();
    return std::unique_ptr<RandomAccessFile>(
        std::make_unique<File>(*std::move(file), left_));
  }

 private:
  class File final : public RandomAccessFile {
   public:
    File(std::unique_ptr<RandomAccessFile> below, std::atomic<int>& left)
        : below_(std::move(below)), left_(left) {}
    Result<std::size_t> ReadAt(std::uint64_t offset,
                               std::span<std::byte> out) const override {
      if (left_.fetch_sub(1) == 0) throw std::runtime_error("out of luck");
      return below_->ReadAt(offset, out);
    }
    std::uint64_t size() const override { return below_->size(); }
    const std::string& path() const override { return below_->path(); }

   private:
    std::unique_ptr<RandomAccessFile> below_;
    std::atomic<int>& left_;
  };

  std::atomic<int> left_ = INT32_MAX;
};

TEST_CASE("A thread that throws is an error with its words, and no wait",
          "[loader][fault]") {
  const bool raw = GENERATE(false, true);
  const unsigned threads = GENERATE(1u, 2u, 7u);
  const LoaderOptions options = Options(raw, threads);
  const Delivered whole = Undisturbed(SharedDataset(), options);
  int thrown = 0;
  for (int read = 0; read < 80; read += static_cast<int>(kSweepStep)) {
    INFO("read " << read << ", " << threads << " threads");
    ThrowingStorage storage(SharedDataset().storage());
    auto loader = Loader::Create(SharedDataset().Open(storage), options);
    REQUIRE(loader.ok());
    storage.Arm(read);
    Delivered delivered;
    thrown += TakeEpoch(
        **loader,
        [](const Status& status) {
          REQUIRE(status.code() == Code::kFailed);
          REQUIRE(status.message() == "unexpected failure: out of luck");
        },
        delivered);
    REQUIRE(delivered == whole);
    loader->reset();
  }
  // How many reads an epoch takes depends on how far threads read ahead.
  CHECK(thrown > 20 / static_cast<int>(kSweepStep));
}

// No new thread gets its stack while this lives.
class NoThreads {
 public:
  NoThreads() {
    REQUIRE(pthread_getattr_default_np(&before_) == 0);
    pthread_attr_t huge;
    REQUIRE(pthread_attr_init(&huge) == 0);
    REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 46) == 0);
    REQUIRE(pthread_setattr_default_np(&huge) == 0);
  }
  ~NoThreads() { (void)pthread_setattr_default_np(&before_); }

 private:
  pthread_attr_t before_{};
};

TEST_CASE("A loader that gets no threads says so, and goes on when it does",
          "[loader][fault]") {
  const bool raw = GENERATE(false, true);
  const Delivered whole = Undisturbed(SharedDataset(), Options(raw, 2));
  auto loader = Loader::Create(SharedDataset().Open(), Options(raw, 2));
  REQUIRE(loader.ok());
  {
    const NoThreads nobody;
    REQUIRE((*loader)->WaitFor(kNoWait));
    const Status status = (*loader)->Next().status();
    CHECK(status.code() == Code::kFailed);
    CHECK(status.message().starts_with("no thread can be started: "));
  }
  REQUIRE((*loader)->SetState((*loader)->State()).ok());
  CHECK(Drain(**loader) == whole);
}

TEST_CASE("A loader goes on with the threads that the system has",
          "[loader][fault]") {
  const bool raw = GENERATE(false, true);
  const unsigned threads = GENERATE(1u, 2u, 3u, 9u);
  INFO((raw ? "raw, " : "") << threads << " threads");
  const Delivered whole = Undisturbed(SharedDataset(), Options(raw, 7));
  auto loader = Loader::Create(SharedDataset().Open(), Options(raw, 7));
  REQUIRE(loader.ok());
  const ThreadShortage shortage(threads);
  REQUIRE((*loader)->SetState((*loader)->State()).ok());
  REQUIRE((*loader)->WaitFor(kNoWait));
  if (!raw && threads == 1) {
    CHECK_THAT((*loader)->Next().status().message(),
               Catch::StartsWith("no thread can be started: "));
    return;
  }
  CHECK(Drain(**loader) == whole);
}

TEST_CASE("A loader whose threads threw can be stopped, and destroyed",
          "[loader][fault]") {
  for (int read = 0; read < 20; ++read) {
    ThrowingStorage storage(SharedDataset().storage());
    auto loader =
        Loader::Create(SharedDataset().Open(storage), Options(false, 2));
    REQUIRE(loader.ok());
    storage.Arm(read);
    REQUIRE((*loader)->WaitFor(kNoWait));
    if (read % 2 == 0) {
      (*loader)->Stop();
      CHECK((*loader)->Next().status().code() == Code::kCancelled);
    }
  }
}

}  // namespace
}  // namespace shardine::loader_fault_test
