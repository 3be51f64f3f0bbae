#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "binding/bindings.h"
#include "binding/interruptible.h"
#include "binding/released_lock.h"
#include "binding/verb_options.h"
#include "binding/verb_run.h"
#include "shardine/keep.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

class BoundKeep {
 public:
  BoundKeep(const nb::dict& options, const nb::object& tell,
            const std::string& split, std::uint32_t rank, std::uint32_t world) {
    const KeepOptions keep{.pack = ReadPack(options),
                           .split = split,
                           .rank = rank,
                           .world = world};
    keep_ =
        RunVerb(tell, [&](const Job& job) { return Keep::Begin(keep, job); });
  }
  ~BoundKeep() {
    if (getpid() != process_) {
      // Its thread stayed in the other process.
      static_cast<void>(keep_.release());
      return;
    }
    const ReleasedLock released;
    keep_.reset();
  }
  BoundKeep(const BoundKeep&) = delete;
  BoundKeep& operator=(const BoundKeep&) = delete;

  std::shared_ptr<Dataset> dataset() const {
    return std::const_pointer_cast<Dataset>(keep_->dataset());
  }
  void Check() const {
    if (getpid() != process_) return;
    const Status failure = keep_->failure();
    if (!failure.ok()) Raise(failure);
  }
  bool Finish(double seconds) {
    if (getpid() != process_) return false;
    const auto patience = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds));
    return ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
      return keep_->Finish(patience, stop);
    }));
  }
  void Stop() {
    if (getpid() == process_) keep_->Stop();
  }
  bool is_complete() const { return keep_->is_complete(); }

 private:
  std::unique_ptr<Keep> keep_;
  const pid_t process_ = getpid();
};

}  // namespace

void RegisterKeep(nb::module_& module) {
  nb::class_<BoundKeep>(module, "Keep")
      .def(nb::init<const nb::dict&, const nb::object&, const std::string&,
                    std::uint32_t, std::uint32_t>(),
           "options"_a, "tell"_a.none(), "split"_a, "rank"_a, "world"_a)
      .def("dataset", &BoundKeep::dataset)
      .def("check", &BoundKeep::Check)
      .def("finish", &BoundKeep::Finish, "seconds"_a)
      .def("stop", &BoundKeep::Stop)
      .def_prop_ro("complete", &BoundKeep::is_complete);
}

}  // namespace shardine::binding
