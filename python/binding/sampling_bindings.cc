#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "shardine/sampling.h"

namespace shardine::binding {

using namespace nb::literals;

// The native classes that python/shardine/samplings.py makes of its own.
void RegisterSamplings(nb::module_& module) {
  nb::class_<RepeatedSampling>(module, "RepeatedSampling")
      .def(
          "__init__",
          [](RepeatedSampling* self, std::uint32_t times,
             std::uint64_t samples) {
            new (self) RepeatedSampling{times, samples};
          },
          "times"_a, "samples"_a);
  nb::class_<ClassBalancedSampling>(module, "ClassBalancedSampling")
      .def(
          "__init__",
          [](ClassBalancedSampling* self, std::uint64_t samples,
             bool replacement) {
            new (self) ClassBalancedSampling{samples, replacement};
          },
          "samples"_a, "replacement"_a);
  nb::class_<ClassWeightedSampling>(module, "ClassWeightedSampling")
      .def(
          "__init__",
          [](ClassWeightedSampling* self,
             std::vector<std::pair<std::int64_t, double>> weights,
             std::uint64_t samples, bool replacement) {
            new (self)
                ClassWeightedSampling{std::move(weights), samples, replacement};
          },
          "weights"_a, "samples"_a, "replacement"_a);
  nb::class_<WeightedSampling>(module, "WeightedSampling")
      .def(
          "__init__",
          [](WeightedSampling* self, std::vector<double> weights,
             std::uint64_t samples, bool replacement) {
            new (self) WeightedSampling{
                std::make_shared<const std::vector<double>>(std::move(weights)),
                samples, replacement};
          },
          "weights"_a, "samples"_a, "replacement"_a);
  nb::class_<MixedSampling>(module, "MixedSampling")
      .def(
          "__init__",
          [](MixedSampling* self, std::vector<std::uint64_t> sizes,
             std::vector<double> weights, std::uint64_t samples) {
            new (self)
                MixedSampling{std::move(sizes), std::move(weights), samples};
          },
          "sizes"_a, "weights"_a, "samples"_a);
  nb::class_<EpisodeSampling>(module, "EpisodeSampling")
      .def(
          "__init__",
          [](EpisodeSampling* self, std::uint32_t way, std::uint32_t shot,
             std::uint32_t query, std::uint64_t episodes) {
            new (self) EpisodeSampling{way, shot, query, episodes};
          },
          "way"_a, "shot"_a, "query"_a, "episodes"_a);
}

}  // namespace shardine::binding
