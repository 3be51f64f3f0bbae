#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <string>

#include "binding/bindings.h"
#include "shardine/loader_stats.h"

namespace shardine::binding {
namespace {

std::string SecondsOf(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

}  // namespace

void RegisterStats(nb::module_& module) {
  nb::class_<StageStats>(module, "StageStats",
                         "Sums over the threads of a stage; in seconds.")
      .def_ro("name", &StageStats::name)
      .def_ro("items", &StageStats::items)
      .def_ro("bytes", &StageStats::bytes)
      .def_ro("busy", &StageStats::busy)
      .def_ro("waiting_for_input", &StageStats::waiting_for_input)
      .def_ro("waiting_for_output", &StageStats::waiting_for_output)
      .def_ro("p50", &StageStats::p50)
      .def_ro("p95", &StageStats::p95)
      .def_ro("p99", &StageStats::p99)
      .def("__repr__", [](const StageStats& stage) {
        return "<shardine.StageStats " + stage.name + ": " +
               std::to_string(stage.items) + " items, " +
               SecondsOf(stage.busy) + " s busy>";
      });
  nb::class_<LoaderStats>(module, "LoaderStats",
                          "What each stage did and waited for.")
      .def_ro("seconds", &LoaderStats::seconds)
      .def_ro("batches", &LoaderStats::batches)
      .def_ro("images", &LoaderStats::images)
      .def_ro("bytes", &LoaderStats::bytes)
      .def_ro("bad", &LoaderStats::bad)
      .def_ro("refused_entry_points", &LoaderStats::refused_entry_points)
      .def_ro("waiting_for_data", &LoaderStats::waiting_for_data)
      .def_ro("stages", &LoaderStats::stages)
      .def_prop_ro("images_per_second", &LoaderStats::images_per_second)
      .def_prop_ro("megabytes_per_second", &LoaderStats::megabytes_per_second)
      .def_prop_ro("bottleneck", &LoaderStats::Bottleneck)
      .def("__repr__", [](const LoaderStats& stats) {
        return "<shardine.LoaderStats: " + std::to_string(stats.images) +
               " images, " + std::to_string(stats.batches) + " batches; " +
               stats.Bottleneck() + ">";
      });
}

}  // namespace shardine::binding
