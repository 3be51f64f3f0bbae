#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/bound_options.h"
#include "binding/interruptible.h"
#include "binding/python_batch.h"
#include "binding/released_lock.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

// The turn of the caller that moves a loader while the interpreter's lock is
// released. A second caller is refused, not made to wait.
class Turn {
 public:
  // The flag needs no atomic: it is read and written with the interpreter's
  // lock held.
  explicit Turn(bool& taken) : taken_(taken) {
    if (taken) {
      throw std::runtime_error(
          "another thread is waiting for this loader: it has one consumer");
    }
    taken_ = true;
  }
  ~Turn() { taken_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  bool& taken_;
};

// A loader and how its batches are shown.
class BoundLoader {
 public:
  BoundLoader(std::shared_ptr<Dataset> dataset, const BoundOptions& options)
      : dataset_(std::move(dataset)), view_(options.view(*dataset_)) {
    LoaderOptions complete = options.Complete();
    complete.on_warning = [this](const std::string& sentence) {
      warnings_.push_back(sentence);
    };
    // Orders by the headers' facts read all of them.
    loader_ = ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
      return Loader::Create(dataset_, complete, stop);
    }));
  }

  // In a process forked off there are no threads to wait for.
  ~BoundLoader() {
    if (getpid() != process_) {
      // Its threads stayed in the other process: joining them would wait
      // forever, so the memory is left to the end of the process.
      static_cast<void>(loader_.release());
      return;
    }
    const ReleasedLock released;
    loader_.reset();
  }

  BoundLoader(const BoundLoader&) = delete;
  BoundLoader& operator=(const BoundLoader&) = delete;

  // nullptr at the end of the epoch.
  std::unique_ptr<PythonBatch> Next() {
    CheckProcess();
    const Turn turn(taken_);
    // An interruption of the wait must not cost the batch that came meanwhile.
    for (bool ready = false; !ready;) {
      ready = Wait();
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    // It is ready: with the lock held, no thread sees the place half changed.
    std::optional<Batch> taken = ValueOrRaise(loader_->Next());
    if (!taken) return nullptr;
    auto held = PythonBatch::Make(*std::move(taken), dataset_, view_);
    // A batch that no caller gets was not handed out.
    if (!held.ok()) loader_->TakeBack(held.status());
    auto batch = ValueOrRaise(std::move(held));
    Warn();
    return batch;
  }

  void BeginIteration() {
    CheckProcess();
    const Turn turn(taken_);
    const ReleasedLock released;
    loader_->BeginIteration();
  }

  void SetEpoch(std::uint64_t epoch) {
    CheckProcess();
    const Turn turn(taken_);
    const ReleasedLock released;
    loader_->SetEpoch(epoch);
  }

  void SetState(const std::string& order_digest, std::uint64_t seed,
                std::uint64_t epoch, std::uint64_t position,
                std::uint32_t nodes, std::uint64_t node_samples,
                const std::string& order,
                const std::vector<std::uint64_t>& bucket_samples) {
    CheckProcess();
    const Turn turn(taken_);
    const auto digest = Digest128::FromHex(order_digest);
    if (!digest) throw nb::value_error("order_digest: not 32 hex digits");
    const Status status = [&] {
      const ReleasedLock released;
      return loader_->SetState({*digest, seed, epoch, position, nodes,
                                node_samples, order, bucket_samples});
    }();
    if (!status.ok()) Raise(status);
  }

  void WriteTrace(const nb::bytes& path) const {
    const std::string text(path.c_str(), path.size());
    const Status status = [&] {
      const ReleasedLock released;
      return loader_->WriteTrace(text);
    }();
    if (!status.ok()) Raise(status);
  }

  void Stop() {
    // The threads are the parent's: a forked child must not wait for them.
    if (getpid() != process_) return;
    const ReleasedLock released;
    loader_->Stop();
  }

  const Loader& loader() const { return *loader_; }

 private:
  // A filter may make an error of it: then the batch counts as taken, as it
  // does where a callback raises.
  void Warn() {
    for (const std::string& sentence : std::exchange(warnings_, {})) {
      // Level 2: the warning names the line that iterates, not the
      // iterator's.
      if (PyErr_WarnEx(PyExc_RuntimeWarning, sentence.c_str(), 2) != 0) {
        throw nb::python_error();
      }
    }
  }

  bool Wait() {
    const ReleasedLock released;
    return loader_->WaitFor(kSignalInterval);
  }

  void CheckProcess() const {
    if (getpid() == process_) return;
    throw std::runtime_error(
        "this loader is of another process: make one in each (a DataLoader "
        "around it takes num_workers=0: its threads are the workers)");
  }

  std::shared_ptr<const Dataset> dataset_;
  BatchView view_;
  std::vector<std::string> warnings_;  // of the loader, which none has heard
  std::unique_ptr<Loader> loader_;
  bool taken_ = false;  // a Turn
  const pid_t process_ = getpid();
};

nb::dict StateOf(const BoundLoader& self) {
  const LoaderState state = self.loader().State();
  nb::dict dict;
  dict["order_digest"] = state.order_digest.ToHex();
  dict["seed"] = state.seed;
  dict["epoch"] = state.epoch;
  dict["position"] = state.position;
  if (state.nodes > 1) {
    dict["nodes"] = state.nodes;
    dict["node_samples"] = state.node_samples;
  }
  if (!state.order.empty()) dict["order"] = state.order;
  if (!state.bucket_samples.empty()) {
    dict["bucket_samples"] = state.bucket_samples;
  }
  return dict;
}

}  // namespace

void RegisterLoader(nb::module_& module) {
  nb::class_<BoundLoader>(module, "Loader")
      .def(nb::init<std::shared_ptr<Dataset>, const BoundOptions&>(),
           "dataset"_a, "options"_a)
      .def("next", &BoundLoader::Next,
           nb::sig("def next(self) -> Batch | None"))
      .def("begin_iteration", &BoundLoader::BeginIteration)
      .def("set_epoch", &BoundLoader::SetEpoch, "epoch"_a)
      .def("set_state", &BoundLoader::SetState, "order_digest"_a, "seed"_a,
           "epoch"_a, "position"_a, "nodes"_a = 1, "node_samples"_a = 0,
           "order"_a = "", "bucket_samples"_a = std::vector<std::uint64_t>())
      .def("state", &StateOf)
      .def("stop", &BoundLoader::Stop)
      .def("write_trace", &BoundLoader::WriteTrace, "path"_a)
      .def("stats",
           [](const BoundLoader& self) { return self.loader().stats(); })
      .def_prop_ro(
          "buckets",
          [](const BoundLoader& self) {
            using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
            std::vector<Row> rows;
            for (const auto& [bucket, samples] : self.loader().buckets()) {
              rows.emplace_back(bucket.height, bucket.width, samples);
            }
            return rows;
          })
      .def_prop_ro("steps",
                   [](const BoundLoader& self) { return self.loader().size(); })
      .def_prop_ro(
          "steps_left",
          [](const BoundLoader& self) { return self.loader().steps_left(); })
      .def_prop_ro("epoch", [](const BoundLoader& self) {
        return self.loader().epoch();
      });
}

}  // namespace shardine::binding
