#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "binding/bindings.h"
#include "shardine/phase_schedule.h"

namespace shardine::binding {

using namespace nb::literals;

void RegisterSchedule(nb::module_& module) {
  nb::class_<ScheduledPhase>(module, "ScheduledPhase")
      .def_ro("first_epoch", &ScheduledPhase::first_epoch)
      .def_ro("size", &ScheduledPhase::size)
      .def_ro("batch_size", &ScheduledPhase::batch_size)
      .def_ro("train_suffix", &ScheduledPhase::train_suffix)
      .def_ro("validation_suffix", &ScheduledPhase::validation_suffix)
      .def_ro("min_scale", &ScheduledPhase::min_scale)
      .def_ro("rectangular", &ScheduledPhase::rectangular)
      .def_ro("only_batch_changes", &ScheduledPhase::only_batch_changes);
  module.def(
      "parse_phases",
      [](const std::string& json) {
        return ValueOrRaise(ParsePhaseSchedule(json)).phases;
      },
      "json"_a);
}

}  // namespace shardine::binding
