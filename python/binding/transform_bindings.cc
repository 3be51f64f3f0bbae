#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/word_value.h"
#include "shardine/loader_words.h"
#include "shardine/mixing.h"
#include "shardine/transform.h"

namespace shardine::binding {

using namespace nb::literals;

namespace {

using Rgb = std::array<std::uint8_t, 3>;

// An operation that has a probability and nothing else.
template <typename T>
void DefineChance(nb::module_& module, const char* name) {
  nb::class_<T>(module, name).def(nb::init<double>(), "probability"_a);
}

Interpolation InterpolationOf(const std::string& word) {
  return WordValue<Interpolation>("interpolation", word);
}

// Operations whose pixels come from elsewhere in the image.
void RegisterMoves(nb::module_& module) {
  nb::class_<Affine>(module, "Affine")
      .def(
          "__init__",
          [](Affine* self, double angle, std::array<std::int32_t, 2> translate,
             double scale, std::array<double, 2> shear,
             const std::string& interpolation, OutsideColor fill,
             double probability) {
            new (self) Affine{
                angle, translate,  scale, shear, InterpolationOf(interpolation),
                fill,  probability};
          },
          "angle"_a, "translate"_a, "scale"_a, "shear"_a, "interpolation"_a,
          "fill"_a.none(), "probability"_a);
  nb::class_<RandomAffine>(module, "RandomAffine")
      .def(
          "__init__",
          [](RandomAffine* self, DrawnRange degrees,
             std::array<double, 2> translate, DrawnRange scale,
             DrawnRange shear_x, DrawnRange shear_y,
             const std::string& interpolation, OutsideColor fill,
             double probability) {
            new (self) RandomAffine{degrees, translate,
                                    scale,   shear_x,
                                    shear_y, InterpolationOf(interpolation),
                                    fill,    probability};
          },
          "degrees"_a, "translate"_a, "scale"_a, "shear_x"_a, "shear_y"_a,
          "interpolation"_a, "fill"_a.none(), "probability"_a);
  nb::class_<RandomRotation>(module, "RandomRotation")
      .def(
          "__init__",
          [](RandomRotation* self, DrawnRange degrees,
             const std::string& interpolation, OutsideColor fill,
             double probability) {
            new (self) RandomRotation{degrees, InterpolationOf(interpolation),
                                      fill, probability};
          },
          "degrees"_a, "interpolation"_a, "fill"_a.none(), "probability"_a);
}

// The operations on a sample of the policy at a place of the operations list.
template <typename T>
void DefineDrawn(nb::class_<T>& policy) {
  policy.def(
      "drawn",
      [](const T& self, std::uint64_t sample, std::uint32_t width,
         std::uint32_t height, std::uint64_t seed, std::uint64_t epoch,
         std::uint32_t operation, std::uint64_t repetition) {
        const auto drawn = ValueOrRaise(DrawnAugmentations(
            self, {seed, sample, epoch, width, height, operation, repetition}));
        std::vector<std::pair<std::string, double>> named;
        named.reserve(drawn.size());
        for (const auto& [kind, magnitude] : drawn) {
          named.emplace_back(WordOf(kind), magnitude);
        }
        return named;
      },
      "sample"_a, "width"_a, "height"_a, "seed"_a, "epoch"_a, "operation"_a,
      "repetition"_a);
}

void RegisterPolicies(nb::module_& module) {
  nb::class_<TrivialAugmentWide> trivial(module, "TrivialAugmentWide");
  trivial.def(
      "__init__",
      [](TrivialAugmentWide* self, std::uint32_t bins,
         const std::string& interpolation, OutsideColor fill) {
        new (self)
            TrivialAugmentWide{bins, InterpolationOf(interpolation), fill};
      },
      "num_magnitude_bins"_a, "interpolation"_a, "fill"_a.none());
  DefineDrawn(trivial);
  nb::class_<RandAugment> random(module, "RandAugment");
  random.def(
      "__init__",
      [](RandAugment* self, std::uint32_t num_ops, std::uint32_t magnitude,
         std::uint32_t bins, const std::string& interpolation,
         OutsideColor fill) {
        new (self) RandAugment{num_ops, magnitude, bins,
                               InterpolationOf(interpolation), fill};
      },
      "num_ops"_a, "magnitude"_a, "num_magnitude_bins"_a, "interpolation"_a,
      "fill"_a.none());
  DefineDrawn(random);
  nb::class_<AutoAugment> learned(module, "AutoAugment");
  learned.def(
      "__init__",
      [](AutoAugment* self, const std::string& policy,
         const std::string& interpolation, OutsideColor fill) {
        new (self) AutoAugment{WordValue<AutoAugmentTable>("policy", policy),
                               InterpolationOf(interpolation), fill};
      },
      "policy"_a, "interpolation"_a, "fill"_a.none());
  DefineDrawn(learned);
}

}  // namespace

// The public ones are the dataclasses of shardine.transforms; these are their
// native forms.
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
  nb::class_<RandomCrop>(module, "RandomCrop")
      .def(nb::init<std::uint32_t, std::uint32_t, std::array<std::uint32_t, 4>,
                    bool, Rgb>(),
           "width"_a, "height"_a, "padding"_a, "pad_if_needed"_a, "fill"_a);
}

void RegisterOperations(nb::module_& module) {
  DefineChance<RandomHorizontalFlip>(module, "RandomHorizontalFlip");
  DefineChance<RandomVerticalFlip>(module, "RandomVerticalFlip");
  nb::class_<ColorJitter>(module, "ColorJitter")
      .def(nb::init<DrawnRange, DrawnRange, DrawnRange, DrawnRange, double>(),
           "brightness"_a, "contrast"_a, "saturation"_a, "hue"_a,
           "probability"_a);
  DefineChance<RandomGrayscale>(module, "RandomGrayscale");
  DefineChance<RandomInvert>(module, "RandomInvert");
  nb::class_<RandomPosterize>(module, "RandomPosterize")
      .def(nb::init<std::uint32_t, double>(), "bits"_a, "probability"_a);
  nb::class_<RandomSolarize>(module, "RandomSolarize")
      .def(nb::init<double, double>(), "threshold"_a, "probability"_a);
  DefineChance<RandomAutocontrast>(module, "RandomAutocontrast");
  DefineChance<RandomEqualize>(module, "RandomEqualize");
  nb::class_<RandomAdjustSharpness>(module, "RandomAdjustSharpness")
      .def(nb::init<double, double>(), "factor"_a, "probability"_a);
  nb::class_<GaussianBlur>(module, "GaussianBlur")
      .def(nb::init<std::uint32_t, std::uint32_t, DrawnRange, double>(),
           "kernel_width"_a, "kernel_height"_a, "sigma"_a, "probability"_a);
  nb::class_<RandomErasing>(module, "RandomErasing")
      .def(nb::init<double, DrawnRange, DrawnRange, Rgb>(), "probability"_a,
           "scale"_a, "ratio"_a, "value"_a);
  nb::class_<Cutout>(module, "Cutout")
      .def(nb::init<std::uint32_t, Rgb, double>(), "side"_a, "value"_a,
           "probability"_a);
  nb::class_<Lighting>(module, "Lighting")
      .def(nb::init<double, double>(), "deviation"_a, "probability"_a);
  RegisterMoves(module);
  RegisterPolicies(module);
  nb::class_<MixUp>(module, "MixUp")
      .def(nb::init<double, double>(), "alpha"_a, "probability"_a);
  nb::class_<CutMix>(module, "CutMix")
      .def(nb::init<double, double>(), "alpha"_a, "probability"_a);
}

}  // namespace shardine::binding
