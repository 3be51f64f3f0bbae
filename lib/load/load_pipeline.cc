#include "load/load_pipeline.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "load/batch_mixer.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

// Slots that go through a queue together: few enough to share the work of a
// batch, enough that the queue costs nothing.
constexpr std::uint32_t kChunkSlots = 8;
// Readers of a server that begin before any answer has come.
constexpr std::size_t kFirstReaders = 16;

std::size_t DecodersOf(const LoaderOptions& options) {
  return options.transform ? ThreadCount(options.threads) : 0;
}

// Beside the batch that is being filled, one or more are ready, and small
// batches are so many that no thread is idle.
std::size_t MaxJobs(const LoadPlan& plan) {
  const LoaderOptions& options = plan.options();
  if (options.prefetch > 0) return std::size_t{options.prefetch} + 1;
  const std::size_t slots =
      2 * kChunkSlots * (plan.readers() + DecodersOf(options));
  return 2 + slots / options.batch_size;
}

StageClock::time_point Now() { return StageClock::now(); }

}  // namespace

struct LoadPipeline::Job {
  Step step;
  std::shared_ptr<BatchBuffers> buffers;
  std::uint32_t left = 0;  // slots; guarded by the pipeline's mutex
  // The first slot that failed; guarded by the pipeline's mutex.
  std::uint32_t failed_slot = UINT32_MAX;
  Status failure;
  BadSamples bad;                       // guarded by the pipeline's mutex
  std::uint32_t bad_slot = UINT32_MAX;  // of bad.first, the same
  BatchMixer mixer;                     // once all slots are set
};

struct LoadPipeline::Chunk {
  explicit Chunk(std::shared_ptr<BlockPool> blocks)
      : payloads(std::move(blocks)) {}

  PayloadArena payloads;  // those that do not stay in the batch
  std::shared_ptr<Job> job;
  std::uint64_t turn = 0;  // when its slots are wanted, among all chunks
  std::uint32_t count = 0;
  std::array<Slot, kChunkSlots> slots;
  std::array<SampleRead, kChunkSlots> reads;
  std::array<Status, kChunkSlots> statuses;
};

LoadPipeline::LoadPipeline(const LoadPlan& plan, const StreamPosition& from,
                           BatchPool& pool, LoadMeters& meters)
    : plan_(plan),
      pool_(pool),
      meters_(meters),
      max_jobs_(MaxJobs(plan)),
      // The queues have no bound of their own: there are only as many chunks as
      // Start() makes, and each is in one place.
      free_(SIZE_MAX),
      read_(SIZE_MAX),
      next_(from),
      ahead_(plan, from),
      workers_([this] { Stop(); }) {
  failure_ = Guarded([this] { return Start(); });
}

// One of each kind first: with these two a loader works, however few threads
// the system has for more.
Status LoadPipeline::Start() {
  const StopScope scope(reading_.get_token());
  const std::size_t readers = plan_.readers();
  const std::size_t decoders = DecodersOf(plan_.options());
  // Each reader has a chunk to fill, each decoder one in hand and one waiting.
  // Only the first few of many readers begin, at least enough for the first
  // batch: it is not to share the link with all later ones.
  const std::size_t first = std::max<std::size_t>(
      kFirstReaders, plan_.options().batch_size / kChunkSlots);
  unmade_ = readers + 2 * decoders;
  for (std::size_t i = 0; i < std::min(readers, first) + 2 * decoders; ++i) {
    MakeChunk();
  }
  const auto read = [this](std::size_t i) {
    const auto lane = meters_.trace.LaneOf("reader " + std::to_string(i));
    return [this, lane](std::size_t) {
      ReadLoop(lane);
      return Status();
    };
  };
  const auto decode = [this](std::size_t i) {
    const auto lane = meters_.trace.LaneOf("decoder " + std::to_string(i));
    return [this, lane](std::size_t) {
      DecodeLoop(lane);
      return Status();
    };
  };
  SHARDINE_RETURN_IF_ERROR(workers_.Start(1, read(0)));
  if (decoders > 0) SHARDINE_RETURN_IF_ERROR(workers_.Start(1, decode(0)));
  for (std::size_t i = 1; i < std::max(readers, decoders); ++i) {
    // Fewer threads than wanted load more slowly, which is no failure.
    if (i < decoders && !workers_.Start(1, decode(i)).ok()) break;
    if (i < readers && !workers_.Start(1, read(i)).ok()) break;
  }
  if (!ReadAhead::IsOfUse(plan_.options())) return {};
  // Without this thread samples come all the same, perhaps more slowly.
  static_cast<void>(workers_.Start(1, [this](std::size_t) {
    ahead_.Run();
    return Status();
  }));
  return {};
}

// One more to fill, as long as there are not all of them.
void LoadPipeline::MakeChunk() {
  std::size_t left = unmade_.load();
  while (left > 0 && !unmade_.compare_exchange_weak(left, left - 1)) {
  }
  if (left > 0) free_.Push(std::make_unique<Chunk>(pool_.blocks()), 1);
}

LoadPipeline::~LoadPipeline() { Stop(); }

void LoadPipeline::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  ahead_.Stop();
  reading_.request_stop();
  free_.Stop();
  read_.Stop();
}

// REQUIRES: mutex_ is held. Whether Next() has something to return.
bool LoadPipeline::IsReady() const {
  return stopped_ || !failure_.ok() ||
         (!jobs_.empty() && jobs_.front()->left == 0);
}

bool LoadPipeline::WaitFor(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return IsReady(); });
}

Result<ReadyBatch> LoadPipeline::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return IsReady(); });
  if (!failure_.ok()) return failure_;
  if (stopped_) {
    // A thread that fails stops the others; its failure is the reason.
    Status failure = workers_.failure();
    if (!failure.ok()) return failure;
    return Status(Code::kCancelled, "the loader was stopped");
  }
  const std::shared_ptr<Job> job = std::move(jobs_.front());
  jobs_.pop_front();
  changed_.notify_all();
  lock.unlock();
  // Only when all slots of the batch are done is the first one that failed
  // known: by slot, not by time, so that each run reports the same sample.
  if (!job->failure.ok()) return job->failure;
  return ReadyBatch{std::move(job->buffers), job->step.behind,
                    job->step.slice.count, std::move(job->bad)};
}

// REQUIRES: mutex_ is held. False if there is no step any more.
bool LoadPipeline::BeginJob() {
  std::optional<Step> step = plan_.StepAt(next_);
  if (!step) return false;
  auto job = std::make_shared<Job>();
  job->step = *step;
  job->buffers = pool_.Get();
  job->buffers->Reset(step->shape, plan_.layout());
  job->buffers->epoch = step->from.epoch;
  job->buffers->padding = step->slice.padding;
  job->left = step->slice.count;
  next_ = step->behind;
  ahead_.Reached(step->from);
  taken_ = 0;
  jobs_.push_back(std::move(job));
  // Nobody will finish a batch without slots, as a rank may have at the end of
  // an epoch.
  if (step->slice.count == 0) changed_.notify_all();
  return true;
}

// Plans the next slots into the chunk. Blocks while enough batches are on their
// way. False: no more, or stopped.
bool LoadPipeline::TakeWork(Chunk& chunk) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (stopped_ || exhausted_) return false;
    if (!jobs_.empty() && taken_ < jobs_.back()->step.slice.count) break;
    if (jobs_.size() >= max_jobs_) {
      changed_.wait(lock);
    } else if (!BeginJob()) {
      exhausted_ = true;
    }
  }
  chunk.job = jobs_.back();
  chunk.turn = turns_++;
  const std::uint32_t first = taken_;
  chunk.count = std::min(kChunkSlots, chunk.job->step.slice.count - first);
  taken_ += chunk.count;
  lock.unlock();
  plan_.SlotsOf(chunk.job->step, first,
                std::span(chunk.slots).first(chunk.count));
  return true;
}

void LoadPipeline::ReadLoop(TraceRecorder::Lane lane) {
  // Without a transform there are no decoders, and readers fill the slots
  // themselves.
  SlotFiller filler(plan_.options());
  while (true) {
    const auto begin = Now();
    std::optional<std::unique_ptr<Chunk>> chunk = free_.Pop();
    if (!chunk || !TakeWork(**chunk)) return;
    const auto end = Now();
    meters_.read.AddWaitForOutput(end - begin);
    meters_.trace.Add(lane, "wait for room", begin, end,
                      (*chunk)->slots[0].position);
    if (!plan_.options().synthetic) ReadChunk(**chunk, lane);
    MakeChunk();
    if (plan_.options().transform) {
      const std::uint64_t turn = (*chunk)->turn;
      PushWork({turn, *std::move(chunk), nullptr});
    } else {
      FillChunk(filler, **chunk, lane);
      free_.Push(*std::move(chunk), 1);
    }
  }
}

// Work is decoded in the order of requests, not of arrival: the consumer waits
// for the oldest batch.
void LoadPipeline::PushWork(Work work) {
  read_.Push(std::move(work), 1,
             [](const Work& a, const Work& b) { return a.turn < b.turn; });
}

void LoadPipeline::ReadChunk(Chunk& chunk, TraceRecorder::Lane lane) {
  chunk.payloads.Clear();
  PayloadArena* const arena = plan_.layout()->keeps_payloads()
                                  ? &chunk.job->buffers->payloads
                                  : &chunk.payloads;
  std::array<std::uint64_t, kChunkSlots> positions;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    positions[i] = chunk.slots[i].position;
    chunk.reads[i].arena = arena;
    chunk.reads[i].wanted = &plan_.wanted();
  }
  const auto begin = Now();
  plan_.source().ReadMany(std::span(positions).first(chunk.count),
                          plan_.point_use(),
                          std::span(chunk.reads).first(chunk.count),
                          std::span(chunk.statuses).first(chunk.count));
  const auto end = Now();
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    bytes += chunk.reads[i].payload.size();
  }
  meters_.read.AddBusy(end - begin, chunk.count, bytes);
  // They were waited for together: each took as long as all.
  for (const std::uint64_t position : std::span(positions).first(chunk.count)) {
    meters_.trace.Add(lane, "read", begin, end, position);
  }
}

void LoadPipeline::DecodeLoop(TraceRecorder::Lane lane) {
  const bool proves = plan_.options().entry_points == EntryPointTrust::kProved;
  SlotFiller filler(plan_.options(),
                    proves ? &plan_.source().proved() : nullptr);
  while (true) {
    const auto begin = Now();
    std::optional<Work> work = read_.Pop();
    if (!work) return;
    const auto end = Now();
    meters_.decode.AddWaitForInput(end - begin);
    if (work->mixed != nullptr) {
      Mix(*work->mixed, lane);
      continue;
    }
    meters_.trace.Add(lane, "wait for samples", begin, end,
                      work->chunk->slots[0].position);
    FillChunk(filler, *work->chunk, lane);
    free_.Push(std::move(work->chunk), 1);
  }
}

void LoadPipeline::FillChunk(SlotFiller& filler, Chunk& chunk,
                             TraceRecorder::Lane lane) {
  Job& job = *chunk.job;
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    const auto begin = Now();
    const std::size_t bytes = chunk.reads[i].payload.size();
    Status status = filler.Fill(chunk.slots[i], std::move(chunk.statuses[i]),
                                plan_.source(), chunk.reads[i], *job.buffers);
    if (plan_.options().transform) {
      const auto end = Now();
      meters_.decode.AddBusy(end - begin, 1, bytes);
      meters_.trace.Add(lane, "decode", begin, end, chunk.slots[i].position);
    }
    if (status.ok()) {
      NoteBad(filler, chunk.slots[i], job);
      continue;
    }
    status.Annotate(plan_.source().WhereIs(chunk.slots[i].position));
    const std::lock_guard lock(mutex_);
    if (chunk.slots[i].number >= job.failed_slot) continue;
    job.failed_slot = chunk.slots[i].number;
    job.failure = std::move(status);
  }
  meters_.refused_entry_points += filler.TakeRefused();
  Finish(chunk, lane);
}

// Notes a tolerated sample. The first one by its slot is named, so that each
// run names the same.
void LoadPipeline::NoteBad(SlotFiller& filler, const Slot& slot, Job& job) {
  std::optional<SlotFiller::Tolerated> bad = filler.TakeTolerated();
  if (!bad) return;
  {
    const std::lock_guard lock(mutex_);
    if (bad->is_unsupported) {
      ++job.bad.unsupported;
      return;
    }
    ++job.bad.count;
    if (slot.number >= job.bad_slot) return;
    job.bad_slot = slot.number;
  }
  bad->why.Annotate(plan_.source().WhereIs(slot.position));
  const std::lock_guard lock(mutex_);
  if (slot.number == job.bad_slot) job.bad.first = std::move(bad->why);
}

void LoadPipeline::Finish(Chunk& chunk, TraceRecorder::Lane lane) {
  // The chunk waits in the queue after this, and must not keep a batch alive
  // there.
  const std::shared_ptr<Job> job = std::move(chunk.job);
  std::unique_lock lock(mutex_);
  if (job->left > chunk.count) {
    job->left -= chunk.count;
    return;
  }
  const bool failed = !job->failure.ok();
  // The thread that sets the last slots completes the batch before it is
  // announced; the other threads need not wait meanwhile.
  lock.unlock();
  if (failed) return Deliver(*job);
  job->buffers->Complete();
  const LoaderOptions& options = plan_.options();
  // Noise that is mixed with itself stays noise.
  const bool mixes = options.mix.apply && !options.synthetic;
  const std::size_t pieces = mixes ? job->mixer.Begin(*job->buffers) : 0;
  if (pieces == 0) return Deliver(*job);
  // Mixing a large batch takes one thread longer than all of them need for the
  // next batch.
  for (std::size_t i = 1; i < std::min(pieces, DecodersOf(options)); ++i) {
    PushWork({chunk.turn, nullptr, job});
  }
  Mix(*job, lane);
}

void LoadPipeline::Mix(Job& job, TraceRecorder::Lane lane) {
  const auto begin = Now();
  const bool all = job.mixer.Mix();
  const auto end = Now();
  meters_.decode.AddBusy(end - begin, 0, 0);
  meters_.trace.Add(lane, "mix", begin, end, job.step.from.position);
  if (all) Deliver(job);
}

void LoadPipeline::Deliver(Job& job) {
  const std::lock_guard lock(mutex_);
  job.left = 0;
  changed_.notify_all();
}

}  // namespace shardine
