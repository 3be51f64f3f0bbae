// WorkInOrder: pieces that a few threads make and the calling one takes, in
// their order.
#ifndef SHARDINE_PIPELINE_IN_ORDER_H_
#define SHARDINE_PIPELINE_IN_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "pipeline/sequencer.h"
#include "pipeline/worker_group.h"
#include "shardine/status.h"

namespace shardine {

struct OrderedWork {
  std::uint64_t count = 0;  // pieces
  unsigned threads = 1;     // 1: the calling one does all
  // The pieces that were begun and not yet taken have so many; a heavier one
  // goes alone.
  std::size_t most_bytes = std::size_t{64} << 20;
  std::function<std::size_t(std::uint64_t piece)> bytes;
};

// The two halves of the work: `make` runs in any thread, `take` in the calling
// one, and says by false that no more pieces are needed.
template <typename T>
struct OrderedSteps {
  std::function<Result<T>(std::uint64_t piece)> make;
  std::function<Result<bool>(std::uint64_t piece, T made)> take;
};

namespace internal {

template <typename T>
Status WorkAlone(std::uint64_t count, const OrderedSteps<T>& steps) {
  for (std::uint64_t piece = 0; piece < count; ++piece) {
    SHARDINE_ASSIGN_OR_RETURN(T made, steps.make(piece));
    SHARDINE_ASSIGN_OR_RETURN(const bool goes_on,
                              steps.take(piece, std::move(made)));
    if (!goes_on) break;
  }
  return Status();
}

}  // namespace internal

// The failure, of `make` or of `take`, that is first in the order of the
// pieces: none after it is taken. Makes do with fewer threads where the system
// has no more.
template <typename T>
Status WorkInOrder(const OrderedWork& work, const OrderedSteps<T>& steps) {
  const auto threads = std::min<std::uint64_t>(work.threads, work.count);
  const auto alone = [&] { return internal::WorkAlone(work.count, steps); };
  if (threads <= 1) return Guarded(alone);
  Sequencer<Result<T>> sequencer(work.count, work.most_bytes, work.bytes);
  WorkerGroup workers([&] { sequencer.Stop(); });
  const Status started = workers.Start(
      static_cast<std::size_t>(threads), [&](std::size_t) -> Status {
        while (const auto piece = sequencer.Reserve()) {
          std::optional<T> made;
          const Status status = Guarded([&]() -> Status {
            SHARDINE_ASSIGN_OR_RETURN(made, steps.make(*piece));
            return Status();
          });
          sequencer.Fill(*piece, status.ok() ? Result<T>(*std::move(made))
                                             : Result<T>(status));
        }
        return Status();
      });
  if (!started.ok()) return Guarded(alone);
  const Status taken = Guarded([&]() -> Status {
    for (std::uint64_t piece = 0; piece < work.count; ++piece) {
      auto made = sequencer.Next();
      if (!made) break;  // a worker failed, and will say why
      if (!made->ok()) return std::move(*made).status();
      SHARDINE_ASSIGN_OR_RETURN(const bool goes_on,
                                steps.take(piece, **std::move(made)));
      if (!goes_on) break;
    }
    return Status();
  });
  sequencer.Stop();
  const Status worked = workers.Join();
  return taken.ok() ? worked : taken;
}

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_IN_ORDER_H_
