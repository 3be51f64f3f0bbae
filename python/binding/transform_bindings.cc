#include "binding/bindings.h"
#include "shardine/transform.h"

namespace shardine::binding {

using namespace nb::literals;

// The public ones are the dataclasses of shardine.transforms; these are what
// they turn into.
void RegisterTransforms(nb::module_& module) {
  nb::class_<RandomResizedCrop>(module, "RandomResizedCrop")
      .def(
          "__init__",
          [](RandomResizedCrop* self, std::uint32_t width, std::uint32_t height,
             double min_scale, double max_scale, double min_ratio,
             double max_ratio, double flip) {
            new (self)
                RandomResizedCrop{width,     height,    min_scale, max_scale,
                                  min_ratio, max_ratio, flip};
          },
          "width"_a, "height"_a, "min_scale"_a, "max_scale"_a, "min_ratio"_a,
          "max_ratio"_a, "flip"_a);
  nb::class_<CenterCrop>(module, "CenterCrop")
      .def(
          "__init__",
          [](CenterCrop* self, std::uint32_t width, std::uint32_t height,
             std::uint32_t resize) {
            new (self) CenterCrop{width, height, resize};
          },
          "width"_a, "height"_a, "resize"_a);
  nb::class_<Resize>(module, "Resize")
      .def(
          "__init__",
          [](Resize* self, std::uint32_t width, std::uint32_t height) {
            new (self) Resize{width, height};
          },
          "width"_a, "height"_a);
  nb::class_<FixedCrop>(module, "FixedCrop")
      .def(
          "__init__",
          [](FixedCrop* self, std::uint32_t x, std::uint32_t y,
             std::uint32_t box_width, std::uint32_t box_height,
             std::uint32_t width, std::uint32_t height) {
            new (self) FixedCrop{x, y, box_width, box_height, width, height};
          },
          "x"_a, "y"_a, "box_width"_a, "box_height"_a, "width"_a, "height"_a);
}

}  // namespace shardine::binding
