#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "binding/bindings.h"
#include "binding/bound_options.h"
#include "binding/interruptible.h"
#include "binding/word_value.h"
#include "shardine/array_layout_words.h"
#include "shardine/image_words.h"
#include "shardine/label_survey.h"

namespace shardine::binding {
namespace {

using Class = nb::class_<BoundOptions>;

// All but Normalize, which Python has as mean and std, and the function of a
// program, which would wait for the interpreter in each of the threads.
template <typename Mean, typename Function, typename... Others>
std::variant<Others...> WithoutTwo(
    const std::variant<Mean, Function, Others...>&);
using BoundOperation = decltype(WithoutTwo(std::declval<PixelOperation>()));

std::vector<PixelOperation> OperationsOf(
    const std::vector<BoundOperation>& values) {
  std::vector<PixelOperation> operations;
  operations.reserve(values.size() + 1);
  for (const BoundOperation& value : values) {
    operations.push_back(std::visit(
        [](const auto& each) { return PixelOperation(each); }, value));
  }
  return operations;
}

// `at` is where the options hold it.
template <typename At>
void DefineWord(Class& options, const char* name, At at) {
  using T = std::remove_cvref_t<decltype(at(std::declval<BoundOptions&>()))>;
  options.def_prop_rw(
      name, [at](BoundOptions& self) { return WordOf(at(self)); },
      [name, at](BoundOptions& self, const std::string& word) {
        at(self) = WordValue<T>(name, word);
      });
}

// None where there is no value.
template <typename T>
void DefineOptionalWord(Class& options, const char* name,
                        std::optional<T> BoundOptions::*member) {
  using Word = std::optional<std::string>;
  options.def_prop_rw(
      name,
      [member](BoundOptions& self) {
        return self.*member ? Word(WordOf(*(self.*member))) : Word();
      },
      [name, member](BoundOptions& self, const Word& word) {
        (self.*member).reset();
        if (word) self.*member = WordValue<T>(name, *word);
      },
      nb::for_setter(nb::arg("value").none()));
}

template <typename At>
void DefineValue(Class& options, const char* name, At at) {
  using T = std::remove_cvref_t<decltype(at(std::declval<BoundOptions&>()))>;
  options.def_prop_rw(
      name, [at](BoundOptions& self) { return at(self); },
      [at](BoundOptions& self, const T& value) { at(self) = value; });
}

void DefineStream(Class& options) {
  DefineValue(
      options, "batch_size",
      [](auto& o) -> auto& { return o.loader.batch_size; });
  DefineWord(
      options, "order", [](auto& o) -> auto& { return o.loader.order.order; });
  DefineValue(
      options, "block", [](auto& o) -> auto& { return o.loader.order.block; });
  DefineValue(
      options, "window",
      [](auto& o) -> auto& { return o.loader.order.window; });
  DefineValue(
      options, "nodes", [](auto& o) -> auto& { return o.loader.order.nodes; });
  DefineValue(
      options, "seed", [](auto& o) -> auto& { return o.loader.seed; });
  DefineValue(
      options, "rank", [](auto& o) -> auto& { return o.loader.rank; });
  DefineValue(
      options, "world", [](auto& o) -> auto& { return o.loader.world; });
  options.def(
      "set_positions",
      [](BoundOptions& self, std::vector<std::uint64_t> values) {
        self.loader.positions =
            std::make_shared<const std::vector<std::uint64_t>>(
                std::move(values));
      },
      nb::arg("values"));
  options.def(
      "set_buckets",
      [](BoundOptions& self,
         const std::vector<std::array<std::uint32_t, 2>>& values) {
        self.loader.buckets.clear();
        for (const auto& [height, width] : values) {
          self.loader.buckets.push_back({height, width});
        }
      },
      nb::arg("values"));
  options.def_prop_rw(
      "sampling", [](BoundOptions& self) { return self.loader.sampling; },
      [](BoundOptions& self, const Sampling& value) {
        self.loader.sampling = value;
      });
  DefineWord(
      options, "last_batch",
      [](auto& o) -> auto& { return o.loader.last_batch; });
}

void DefineContent(Class& options) {
  options.def_prop_rw(
      "transform", [](BoundOptions& self) { return self.geometry; },
      [](BoundOptions& self, const std::optional<Geometry>& value) {
        self.geometry = value;
      },
      nb::for_setter(nb::arg("value").none()));
  options.def(
      "set_operations",
      [](BoundOptions& self, const std::vector<BoundOperation>& values) {
        self.operations = OperationsOf(values);
      },
      nb::arg("values"));
  options.def(
      "add_view",
      [](BoundOptions& self, const Geometry& geometry,
         const std::vector<BoundOperation>& values) {
        self.more_views.emplace_back(geometry, OperationsOf(values));
      },
      nb::arg("geometry"), nb::arg("operations"));
  DefineValue(
      options, "has_views", [](auto& o) -> auto& { return o.has_views; });
  DefineValue(
      options, "image", [](auto& o) -> auto& { return o.loader.image; });
  DefineWord(
      options, "image_layout",
      [](auto& o) -> auto& { return o.loader.image_layout; });
  DefineValue(
      options, "fields", [](auto& o) -> auto& { return o.loader.fields; });
  DefineWord(
      options, "layout", [](auto& o) -> auto& { return o.layout; });
  DefineWord(
      options, "dtype", [](auto& o) -> auto& { return o.loader.pixels.type; });
  DefineValue(
      options, "mean", [](auto& o) -> auto& { return o.normalize.mean; });
  DefineValue(
      options, "std", [](auto& o) -> auto& { return o.normalize.std; });
  DefineWord(
      options, "filter",
      [](auto& o) -> auto& { return o.loader.pixels.filter; });
  DefineValue(
      options, "apply_exif",
      [](auto& o) -> auto& { return o.loader.pixels.apply_exif; });
  DefineValue(
      options, "gray", [](auto& o) -> auto& { return o.loader.gray; });
  options.def_prop_rw(
      "shown_as", [](BoundOptions& self) { return self.shown_as; },
      [](BoundOptions& self, nb::object value) {
        self.shown_as = std::move(value);
      },
      nb::for_setter(nb::arg("value").none()));
  // None stands for the type that the dataset's first sample suggests: options
  // are made before there is a dataset.
  DefineOptionalWord(options, "label_dtype", &BoundOptions::labels);
  DefineOptionalWord(options, "ragged", &BoundOptions::ragged);
  DefineValue(
      options, "text", [](auto& o) -> auto& { return o.texts; });
}

void DefineMix(Class& options) {
  options.def_prop_rw(
      "mix", [](BoundOptions& self) { return self.loader.mix.choices; },
      [](BoundOptions& self, const std::vector<MixChoice>& value) {
        self.loader.mix.choices = value;
      });
  DefineWord(
      options, "mix_per", [](auto& o) -> auto& { return o.loader.mix.per; });
  DefineValue(
      options, "mix_apply",
      [](auto& o) -> auto& { return o.loader.mix.apply; });
  DefineValue(
      options, "one_hot",
      [](auto& o) -> auto& { return o.loader.one_hot.classes; });
  DefineValue(
      options, "label_smoothing",
      [](auto& o) -> auto& { return o.loader.one_hot.smoothing; });
}

void DefineFollow(Class& options) {
  options.def(
      "add_follow",
      [](BoundOptions& self, const std::string& name, const std::string& kind,
         const std::string& boxes) {
        self.loader.follow.fields.push_back(
            {name, WordValue<FollowKind>("follow", kind), boxes});
      },
      nb::arg("name"), nb::arg("kind"), nb::arg("boxes"));
  DefineValue(
      options, "mask_fill",
      [](auto& o) -> auto& { return o.loader.follow.mask_fill; });
  DefineValue(
      options, "min_visible",
      [](auto& o) -> auto& { return o.loader.follow.min_visible; });
  DefineValue(
      options, "pad_to",
      [](auto& o) -> auto& { return o.loader.follow.pad_to; });
}

void DefineRun(Class& options) {
  DefineWord(
      options, "on_bad", [](auto& o) -> auto& { return o.loader.on_bad; });
  DefineWord(
      options, "unsupported",
      [](auto& o) -> auto& { return o.loader.unsupported; });
  DefineWord(
      options, "entry_points",
      [](auto& o) -> auto& { return o.loader.entry_points; });
  DefineValue(
      options, "threads", [](auto& o) -> auto& { return o.loader.threads; });
  DefineValue(
      options, "readers", [](auto& o) -> auto& { return o.loader.readers; });
  DefineValue(
      options, "prefetch", [](auto& o) -> auto& { return o.loader.prefetch; });
  DefineValue(
      options, "fetch_bytes",
      [](auto& o) -> auto& { return o.loader.fetch_bytes; });
  DefineFollow(options);
  DefineValue(
      options, "fields_stay",
      [](auto& o) -> auto& { return o.loader.fields_stay; });
  DefineValue(
      options, "synthetic",
      [](auto& o) -> auto& { return o.loader.synthetic; });
  DefineValue(
      options, "trace_events",
      [](auto& o) -> auto& { return o.loader.trace_events; });
}

}  // namespace

namespace {

std::vector<std::string> TextsOf(const Dataset& dataset,
                                 const std::vector<std::string>& more) {
  std::vector<std::string> texts = dataset.text_fields();
  texts.insert(texts.end(), more.begin(), more.end());
  std::ranges::sort(texts);
  return texts;
}

// Trainers take class numbers as int64 and targets as float32, and should not
// have to name the dataset's: the loader's own labels decide.
LabelType LabelsOf(const Dataset& dataset, const LoaderOptions& options) {
  const auto survey =
      ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
        return SurveyLabels(dataset, options.positions, stop);
      }));
  if (survey.are_integers) return LabelType::kInt64;
  if (!survey.float32_is_exact) return LabelType::kFloat64;
  if (survey.rounded) {
    const std::string text =
        "labels such as " + survey.rounded->ToString() +
        " are rounded to float32; label_dtype=\"float64\" gives them as they "
        "are, \"float32\" says that this is meant";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 3) != 0) {
      throw nb::python_error();
    }
  }
  return LabelType::kFloat32;
}

}  // namespace

LoaderOptions BoundOptions::Complete() const {
  LoaderOptions options = loader;
  options.ragged = ragged.has_value();
  // Channels last is NHWC in memory: only its view has other strides.
  options.pixels.layout =
      layout == ImageLayout::kNchw ? PixelLayout::kNchw : PixelLayout::kNhwc;
  const bool normalizes = normalize != Normalize();
  options.more_views = more_views;
  if (geometry) {
    options.transform = Transform(*geometry, operations);
    if (!normalizes) return options;
    options.transform->operations.emplace_back(normalize);
    for (Transform& view : options.more_views) {
      view.operations.emplace_back(normalize);
    }
  } else if (normalizes) {
    throw nb::value_error("mean, std: without a transform there are no pixels");
  }
  return options;
}

BatchView BoundOptions::view(const Dataset& dataset) const {
  return {.layout = layout,
          .type = loader.pixels.type,
          .labels = labels ? *labels : LabelsOf(dataset, loader),
          .raw = !geometry,
          .has_views = has_views,
          .mixes = !loader.mix.choices.empty(),
          .mix_applied = loader.mix.apply,
          .classes = loader.one_hot.classes,
          .image = loader.image,
          .ragged = ragged.value_or(RaggedForm::kOffsets),
          .texts = TextsOf(dataset, texts),
          .shown_as = shown_as};
}

void RegisterOptions(nb::module_& module) {
  Class options(module, "LoaderOptions");
  options.def(nb::init<>());
  DefineStream(options);
  DefineContent(options);
  DefineMix(options);
  DefineRun(options);
}

}  // namespace shardine::binding
