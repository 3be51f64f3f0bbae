#include "load/read_ahead.h"

#include <tuple>
#include <utility>

#include "load/epoch_order.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

constexpr std::size_t kStretches = 2;

bool IsBefore(const StreamPosition& a, const StreamPosition& b) {
  return std::tie(a.epoch, a.position) < std::tie(b.epoch, b.position);
}

}  // namespace

bool ReadAhead::IsOfUse(const LoaderOptions& options, bool of_server) {
  const SampleOrder order = options.order.order;
  return options.fetch_bytes > 0 && !options.synthetic &&
         (!of_server || options.world == 1) &&
         (order == SampleOrder::kBlocks || order == SampleOrder::kSequential);
}

ReadAhead::ReadAhead(const LoadPlan& plan, const StreamPosition& from)
    : plan_(plan), from_(plan.steps().Canonical(from)), reached_(from_) {}

ReadAhead::Asked ReadAhead::Ask(const StreamPosition& place) const {
  const LoaderOptions& options = plan_.options();
  const SampleSource& source = plan_.source();
  const EpochOrder order(source.size(), options.order, options.seed,
                         place.epoch);
  const EpochOrder::Stretch stretch = order.StretchAt(place.position);
  Asked asked{.end = {place.epoch, stretch.end}, .blocks = {}};
  if (stretch.end == source.size()) asked.end = {place.epoch + 1, 0};
  const std::size_t blocks = stretch.blocks.size();
  asked.blocks.resize(blocks);
  const AheadUse use{plan_.wanted(), plan_.point_use()};
  const auto threads =
      plan_.of_server() ? static_cast<unsigned>(plan_.readers()) : 1U;
  // A server is asked for all blocks at a time: each takes several answers, one
  // after the other. A failure is found again by those who come to read.
  static_cast<void>(ParallelFor(blocks, threads, [&](std::size_t i) {
    AheadBytes& bytes = asked.blocks[i];
    // Several ranks hold nothing, as IsOfUse() says.
    const std::uint64_t held = options.world == 1 ? options.fetch_bytes : 0;
    bytes.room = held / kStretches / blocks;
    source.ReadAhead(stretch.blocks[i].first, stretch.blocks[i].samples, use,
                     bytes);
    return Status();
  }));
  return asked;
}

// False: stopped.
bool ReadAhead::WaitForRoom(std::deque<Asked>& asked) {
  std::unique_lock lock(mutex_);
  if (asked.size() == kStretches) awaited_ = asked.front().end;
  changed_.wait(lock, [&] {
    return stopped_ || asked.size() < kStretches ||
           !IsBefore(reached_, asked.front().end);
  });
  if (asked.size() == kStretches) asked.pop_front();
  return !stopped_;
}

void ReadAhead::Run() {
  std::deque<Asked> asked;
  StreamPosition next = from_;
  while (WaitForRoom(asked)) {
    asked.push_back(Ask(next));
    next = asked.back().end;
  }
}

void ReadAhead::Reached(const StreamPosition& place) {
  const std::lock_guard lock(mutex_);
  reached_ = place;
  // Readers come here with each batch: mostly nobody waits for that.
  if (!IsBefore(place, awaited_)) changed_.notify_all();
}

void ReadAhead::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace shardine
