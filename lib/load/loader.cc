#include "shardine/loader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/stderr_line.h"
#include "io/atomic_file.h"
#include "io/attempt_storage.h"
#include "io/replaced_file.h"
#include "io/storage_for.h"
#include "load/bad_report.h"
#include "load/batch_buffers.h"
#include "load/load_pipeline.h"
#include "load/load_plan.h"
#include "load/loader_history.h"
#include "load/state_check.h"

namespace shardine {
namespace {

double Seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

StageStats Describe(const char* name, const StageTimes& times) {
  return {.name = name,
          .items = times.items,
          .bytes = times.bytes,
          .busy = Seconds(times.busy),
          .waiting_for_input = Seconds(times.waiting_for_input),
          .waiting_for_output = Seconds(times.waiting_for_output),
          .p50 = Seconds(times.p50),
          .p95 = Seconds(times.p95),
          .p99 = Seconds(times.p99)};
}

StageSeconds SecondsOf(const StageStats& stage) {
  return {.busy = stage.busy,
          .waiting_for_input = stage.waiting_for_input,
          .waiting_for_output = stage.waiting_for_output};
}

LoaderMoment MomentOf(const LoaderStats& stats) {
  LoaderMoment moment{
      .seconds = stats.seconds, .images = stats.images, .bytes = stats.bytes};
  moment.read = SecondsOf(stats.stages.front());
  moment.deliver = SecondsOf(stats.stages.back());
  if (stats.stages.size() > 2) moment.decode = SecondsOf(stats.stages[1]);
  return moment;
}

}  // namespace

struct Loader::Parts {
  explicit Parts(const LoaderOptions& options)
      : meters(options.trace_events), report(options.on_bad) {
    KeepRemoteTries(options.trace_events);
  }

  // `begun`: how the epoch that the place is in the middle of is shared; null:
  // as it was.
  void MoveTo(const StreamPosition& place, const NodeSharing* begun = nullptr);
  // In buckets: to the place where they have handed out these samples.
  void MoveTo(std::uint64_t epoch, const BucketPlan::Counts& counts);
  void EndPipeline();
  // After a batch: to the next epoch, if it was the last one.
  void Advance(const StreamPosition& behind);
  void SetPlace(const StreamPosition& to);
  StreamPosition PlaceOf();  // for any thread
  Result<ReadyBatch> Take();
  // Reports bad samples. `from`: where the batch began.
  void Report(const StreamPosition& from, const ReadyBatch& ready);
  bool WaitFor(std::chrono::nanoseconds time);
  bool StartPipeline();
  double Elapsed() const;  // seconds since the first Next()
  LoaderStats Sums() const;
  StageClock::time_point BeginWaiting();
  void EndWaiting(StageClock::time_point begin);

  std::shared_ptr<const Dataset> dataset;
  std::unique_ptr<LoadPlan> plan;
  BatchPool pool;
  LoadMeters meters;
  StageMeter deliver;
  const TraceRecorder::Lane consumer = meters.trace.LaneOf("consumer");
  std::atomic<std::uint64_t> batches = 0;
  std::atomic<std::uint64_t> images = 0;
  std::atomic<std::uint64_t> bad = 0;
  std::atomic<std::uint64_t> unsupported = 0;
  BadReport report;
  LoaderHistory history;
  std::atomic<StageClock::rep> first_next = 0;  // since the clock's epoch

  // The place of the next batch that Next() returns. The consumer alone writes
  // it and how its epoch is shared, both under `mutex`.
  StreamPosition place;
  bool taken = false;         // batches of the place's epoch were handed out
  bool ended = false;         // an epoch's end that Next() has not said yet
  StreamPosition last_place;  // both before the last batch
  bool last_taken = false;
  Status failure;
  std::mutex mutex;  // of members that other threads read or Stop() touches
  // Guarded by mutex; null before the first Next() from a place.
  std::shared_ptr<LoadPipeline> pipeline;
  bool stopped = false;
};

void Loader::Parts::Advance(const StreamPosition& behind) {
  ended = plan->steps().StepsLeft(behind) == 0;
  taken = !ended;
  SetPlace(ended ? plan->steps().Next(behind) : behind);
}

void Loader::Parts::SetPlace(const StreamPosition& to) {
  const std::lock_guard lock(mutex);
  place = to;
}

StreamPosition Loader::Parts::PlaceOf() {
  const std::lock_guard lock(mutex);
  return place;
}

void Loader::Parts::MoveTo(const StreamPosition& to, const NodeSharing* begun) {
  taken = false;
  ended = false;
  const bool stays = begun == nullptr || *begun == plan->SharingOf(place.epoch);
  // The batch that failed has left the pipeline.
  if (failure.ok() && to == place && stays) return;
  EndPipeline();
  const std::lock_guard lock(mutex);
  place = to;
  if (to.position == 0) {
    plan->ShareEpoch(to.epoch, std::nullopt);
  } else if (begun != nullptr) {
    plan->ShareEpoch(to.epoch, *begun);
  }
}

void Loader::Parts::MoveTo(std::uint64_t epoch,
                           const BucketPlan::Counts& counts) {
  taken = false;
  ended = false;
  if (failure.ok() && plan->buckets()->IsAt(place, epoch, counts)) return;
  EndPipeline();
  const std::lock_guard lock(mutex);
  place = plan->MoveBucketsTo(epoch, counts);
}

void Loader::Parts::EndPipeline() {
  failure = Status();
  std::shared_ptr<LoadPipeline> old;
  {
    const std::lock_guard lock(mutex);
    old = std::move(pipeline);
  }
  // Joining its threads may take long, and Stop() must not wait for that; but
  // the plan, which they read, does.
  old.reset();
}

void Loader::Parts::Report(const StreamPosition& from,
                           const ReadyBatch& ready) {
  const LoaderOptions& options = plan->options();
  const std::uint64_t steps = plan->steps().StepsOfEpochAt(from);
  const auto said = report.Add({.epoch = from.epoch,
                                .samples = ready.samples,
                                .samples_of_epoch = steps * options.batch_size,
                                .ends_epoch = ended,
                                .bad = ready.bad});
  for (const std::string& sentence : said) {
    if (options.on_warning) {
      options.on_warning(sentence);
    } else {
      SayWithoutWaiting("shardine: " + sentence + "\n");
    }
  }
}

bool Loader::Parts::StartPipeline() {
  const std::lock_guard lock(mutex);
  // Stop() may come between two calls; a pipeline that was started after it
  // would never be stopped.
  if (stopped) return false;
  if (pipeline == nullptr) {
    pipeline = std::make_shared<LoadPipeline>(*plan, place, pool, meters);
  }
  return true;
}

StageClock::time_point Loader::Parts::BeginWaiting() {
  const auto begin = StageClock::now();
  if (first_next == 0) first_next = begin.time_since_epoch().count();
  return begin;
}

void Loader::Parts::EndWaiting(StageClock::time_point begin) {
  const auto end = StageClock::now();
  deliver.AddWaitForInput(end - begin);
  meters.trace.Add(consumer, "wait for a batch", begin, end, batches);
}

bool Loader::Parts::WaitFor(std::chrono::nanoseconds time) {
  // In all these cases Next() answers at once.
  if (ended || !failure.ok() || plan->steps().StepsLeft(place) == 0 ||
      !StartPipeline()) {
    return true;
  }
  const auto begin = BeginWaiting();
  const bool ready = pipeline->WaitFor(time);
  EndWaiting(begin);
  return ready;
}

Result<ReadyBatch> Loader::Parts::Take() {
  if (!failure.ok()) return failure;
  if (!StartPipeline())
    return Status(Code::kCancelled, "the loader was stopped");
  const auto begin = BeginWaiting();
  Result<ReadyBatch> ready = pipeline->Next();
  EndWaiting(begin);
  // The failure is said again by each call until the loader is moved: a caller
  // that continues after an error must not get batches with one missing.
  if (!ready.ok()) failure = ready.status();
  return ready;
}

Loader::Loader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Loader::~Loader() = default;

Result<std::unique_ptr<Loader>> Loader::Create(
    std::shared_ptr<const Dataset> dataset, const LoaderOptions& options,
    const std::stop_token& stop) {
  auto parts = std::make_unique<Parts>(options);
  parts->dataset = std::move(dataset);
  SHARDINE_ASSIGN_OR_RETURN(
      parts->plan, LoadPlan::Make(parts->dataset->source(), options, stop));
  parts->place = parts->plan->steps().Begin(0);
  return std::unique_ptr<Loader>(new Loader(std::move(parts)));
}

std::uint64_t Loader::size() const {
  return parts_->plan->steps().StepsOfEpochAt(parts_->PlaceOf());
}

std::uint64_t Loader::steps_left() const {
  return parts_->plan->steps().StepsLeft(parts_->PlaceOf());
}

std::uint64_t Loader::epoch() const { return parts_->PlaceOf().epoch; }

std::uint64_t Loader::StepsOf(std::uint64_t epoch) const {
  return parts_->plan->steps().StepsOf(epoch);
}

std::vector<BucketSamples> Loader::buckets() const {
  std::vector<BucketSamples> buckets;
  const BucketPlan* const plan = parts_->plan->buckets();
  if (plan == nullptr) return buckets;
  for (const Bucket& bucket : parts_->plan->options().buckets) {
    buckets.push_back({bucket, plan->samples()[buckets.size()]});
  }
  return buckets;
}

bool Loader::WaitFor(std::chrono::nanoseconds time) {
  return parts_->WaitFor(time);
}

Result<std::optional<Batch>> Loader::Next() {
  Parts& parts = *parts_;
  const StepWalk& steps = parts.plan->steps();
  if (std::exchange(parts.ended, false)) return std::optional<Batch>();
  // With kRoll this is an epoch that a step before it ran over.
  if (steps.StepsLeft(parts.place) == 0) {
    parts.SetPlace(steps.Next(parts.place));
    return std::optional<Batch>();
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadyBatch ready, parts.Take());
  parts.last_place = parts.place;
  parts.last_taken = parts.taken;
  const StreamPosition from = parts.place;
  parts.Advance(ready.behind);
  parts.batches.fetch_add(1, std::memory_order_relaxed);
  parts.images.fetch_add(ready.buffers->shape.samples,
                         std::memory_order_relaxed);
  parts.bad.fetch_add(ready.bad.count, std::memory_order_relaxed);
  parts.unsupported.fetch_add(ready.bad.unsupported, std::memory_order_relaxed);
  if (parts.history.IsDue(parts.Elapsed())) {
    parts.history.Add(MomentOf(parts.Sums()));
  }
  parts.Report(from, ready);
  return std::optional<Batch>(Batch(std::move(ready.buffers)));
}

void Loader::BeginIteration() {
  const StepWalk& steps = parts_->plan->steps();
  const StreamPosition place = parts_->place;
  // A loop that was left in the middle of an epoch is not taken up there: its
  // next iteration is the next epoch, as if it had been walked to its end.
  parts_->MoveTo(parts_->taken ? steps.Next(steps.EndOf(place)) : place);
}

void Loader::SetEpoch(std::uint64_t epoch) {
  const bool is_there = parts_->place.epoch == epoch && !parts_->taken;
  if (const BucketPlan* const buckets = parts_->plan->buckets();
      buckets != nullptr && !is_there) {
    return parts_->MoveTo(epoch, buckets->CountsOfBegin(epoch));
  }
  parts_->MoveTo(is_there ? parts_->place : parts_->plan->steps().Begin(epoch));
}

LoaderState Loader::State() const {
  const std::lock_guard lock(parts_->mutex);
  return StateAt(*parts_->plan, parts_->place);
}

Status Loader::SetState(const LoaderState& state) {
  const LoadPlan& plan = *parts_->plan;
  SHARDINE_RETURN_IF_ERROR(CheckState(plan, state));
  if (const BucketPlan* const buckets = plan.buckets()) {
    parts_->MoveTo(state.epoch, CountsIn(state, *buckets));
    return {};
  }
  const StepWalk& steps = plan.steps();
  const StreamPosition place = {state.epoch, state.position};
  // The rest may be empty, or with kDrop less than a step of these ranks.
  const bool is_over = steps.StepsLeft(place) == 0;
  const NodeSharing begun{state.nodes, state.node_samples};
  parts_->MoveTo(is_over ? steps.Next(place) : place, &begun);
  return {};
}

void Loader::TakeBack(const Status& why) {
  parts_->SetPlace(parts_->last_place);
  parts_->taken = parts_->last_taken;
  parts_->ended = false;
  parts_->failure = why;
}

void Loader::Stop() {
  std::shared_ptr<LoadPipeline> pipeline;
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stopped = true;
    pipeline = parts_->pipeline;
  }
  if (pipeline != nullptr) pipeline->Stop();
}

Status Loader::WriteTrace(const std::string& path) const {
  const TraceRecorder& trace = parts_->meters.trace;
  if (!trace.recording()) {
    return Status(Code::kInvalidArgument, "trace_events: 0: nothing was kept");
  }
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage, OutputStorageFor(path));
  SHARDINE_RETURN_IF_ERROR(
      CheckReplacesKind(*storage, path, kTraceBeginning, "trace"));
  OwnAttempt own(*storage, path);  // each rank may have this path
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(own, path));
  SHARDINE_RETURN_IF_ERROR(
      file.Append(AsBytes(trace.ToJson(KeptRemoteTries()))));
  return file.Publish();
}

double Loader::Parts::Elapsed() const {
  const StageClock::rep first = first_next;
  if (first == 0) return 0;
  const StageClock::duration since =
      StageClock::now().time_since_epoch() - StageClock::duration(first);
  return std::chrono::duration<double>(since).count();
}

LoaderStats Loader::Parts::Sums() const {
  LoaderStats stats;
  stats.seconds = Elapsed();
  stats.batches = batches;
  stats.images = images;
  stats.bad = bad;
  stats.unsupported = unsupported;
  stats.refused_entry_points = meters.refused_entry_points;
  stats.stages.push_back(Describe("read", meters.read.times()));
  if (plan->options().transform) {
    stats.stages.push_back(Describe("decode", meters.decode.times()));
  }
  StageStats delivered = Describe("deliver", deliver.times());
  delivered.items = stats.batches;
  // The caller's time between two calls is its own work. The clock is read at
  // different moments, so the difference may be below zero.
  delivered.busy = std::max(stats.seconds - delivered.waiting_for_input, 0.0);
  if (stats.seconds > 0) {
    stats.waiting_for_data =
        std::min(delivered.waiting_for_input / stats.seconds, 1.0);
  }
  stats.stages.push_back(std::move(delivered));
  stats.bytes = stats.stages.front().bytes;
  return stats;
}

LoaderStats Loader::stats() const {
  // The moments come first: the sums are of a later one.
  std::vector<LoaderMoment> history = parts_->history.moments();
  LoaderStats stats = parts_->Sums();
  if (stats.seconds > 0) history.push_back(MomentOf(stats));
  stats.history = std::move(history);
  stats.remote = RemoteStatsOfProcess();
  return stats;
}

}  // namespace shardine
