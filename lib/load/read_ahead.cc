#include "load/read_ahead.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "base/wide_integer.h"
#include "load/epoch_order.h"
#include "load/epoch_sampling.h"
#include "load/node_order.h"
#include "pipeline/parallel_for.h"

namespace shardine {
namespace {

constexpr std::size_t kStretches = 2;

std::vector<std::vector<std::uint64_t>> GroupsOf(
    const EpochOrder::Stretch& stretch, const SampleChoice& choice) {
  std::vector<std::vector<std::uint64_t>> groups;
  for (const EpochOrder::Block& block : stretch.blocks) {
    std::vector<std::uint64_t>& group = groups.emplace_back(block.samples);
    std::iota(group.begin(), group.end(), block.first);
    if (choice.is_all()) continue;
    for (std::uint64_t& number : group) number = choice(number);
    std::ranges::sort(group);
  }
  return groups;
}

bool IsBefore(const StreamPosition& a, const StreamPosition& b) {
  return std::tie(a.epoch, a.position) < std::tie(b.epoch, b.position);
}

}  // namespace

bool ReadAhead::IsOfUse(const LoaderOptions& options) {
  const SampleOrder order = options.order.order;
  return options.fetch_bytes > 0 && !options.synthetic &&
         std::holds_alternative<RepeatedSampling>(options.sampling) &&
         (order == SampleOrder::kBlocks || order == SampleOrder::kSequential);
}

ReadAhead::ReadAhead(const LoadPlan& plan, const StreamPosition& from)
    : plan_(plan), from_(plan.steps().Canonical(from)), reached_(from_) {}

// The samples of this rank in the steps that begin from `from` on and before
// `end`, which becomes the place behind them.
std::vector<ReadAhead::Group> ReadAhead::GroupsOfSteps(
    StreamPosition from, StreamPosition& end) const {
  std::map<std::uint64_t, Group> groups;
  std::vector<Slot> slots;
  while (IsBefore(from, end)) {
    // There is one: a plan without any is refused.
    const std::optional<Step> step = plan_.StepAt(from);
    from = plan_.steps().Canonical(step->from);
    if (!IsBefore(from, end)) break;
    slots.resize(step->slice.count);
    plan_.SlotsOf(*step, 0, slots);
    for (const Slot& slot : slots) {
      groups[slot.position / plan_.options().order.block].push_back(
          slot.position);
    }
    from = plan_.steps().Canonical(step->behind);
  }
  end = from;
  std::vector<Group> sorted;
  for (auto& [block, group] : groups) {
    std::ranges::sort(group);
    sorted.push_back(std::move(group));
  }
  return sorted;
}

StreamPosition ReadAhead::EndAt(std::uint64_t epoch, std::uint64_t end) const {
  if (end == plan_.sampling().size()) return {epoch + 1, 0};
  return {epoch, end};
}

ReadAhead::Asked ReadAhead::Ask(const StreamPosition& place) const {
  const LoaderOptions& options = plan_.options();
  const SampleSource& source = plan_.source();
  const SampleChoice& choice = plan_.choice();
  const NodeSharing sharing = plan_.SharingOf(place.epoch);
  Asked asked;
  std::vector<Group> groups;
  if (plan_.buckets() != nullptr) {
    // A step takes its samples from this stretch of the order and the ones
    // before it.
    const OrderOptions& order = options.order;
    const std::uint64_t blocks =
        order.order == SampleOrder::kBlocks ? order.window : 1;
    const Wide stretch = Wide{order.block} * blocks;
    asked.end = {place.epoch,
                 place.position + static_cast<std::uint64_t>(std::min<Wide>(
                                      stretch, plan_.sampling().size()))};
    groups = GroupsOfSteps(place, asked.end);
  } else if (sharing.nodes > 1) {
    NodeOrder order(choice.size(), options.order, sharing, options.seed,
                    place.epoch);
    asked.end = EndAt(place.epoch, order.EndOfStretch(place.position));
    groups = GroupsOfSteps(place, asked.end);
  } else {
    const EpochOrder::Stretch stretch = plan_.sampling().StretchAt(place);
    asked.end = EndAt(place.epoch, stretch.end);
    groups = plan_.of_server() && options.world > 1
                 ? GroupsOfSteps(place, asked.end)
                 : GroupsOf(stretch, choice);
  }
  asked.groups.resize(groups.size());
  std::uint64_t samples = 0;
  for (const Group& group : groups) samples += group.size();
  const AheadUse use{plan_.wanted(), plan_.point_use()};
  const auto threads =
      plan_.of_server() ? static_cast<unsigned>(plan_.readers()) : 1U;
  // A server is asked for all groups at a time: each takes several answers, one
  // after the other. A failure is found again by the readers.
  static_cast<void>(ParallelFor(groups.size(), threads, [&](std::size_t i) {
    AheadBytes& bytes = asked.groups[i];
    bytes.room = options.fetch_bytes / kStretches / samples * groups[i].size();
    source.ReadAhead(groups[i], use, bytes);
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
  // Readers come here with each batch: mostly no thread waits for that.
  if (!IsBefore(place, awaited_)) changed_.notify_all();
}

void ReadAhead::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace shardine
