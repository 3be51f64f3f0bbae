#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/bound_options.h"
#include "shardine/image_words.h"

namespace shardine::binding {
namespace {

using Class = nb::class_<BoundOptions>;

// An option that is one of some words. ValueError names them.
template <typename T>
struct Words {
  const char* option;
  std::vector<std::pair<const char*, T>> words;

  T Value(const std::string& given) const {
    std::string names;
    for (const auto& [name, value] : words) {
      if (given == name) return value;
      names += names.empty() ? "" : ", ";
      names += name;
    }
    const std::string message =
        std::string(option) + ": \"" + given + "\" is none of " + names;
    // The word is the caller's argument, so this is Python's ValueError and
    // none of the library's errors.
    throw nb::value_error(message.c_str());
  }

  std::string Word(T wanted) const {
    for (const auto& [name, value] : words) {
      if (value == wanted) return name;
    }
    return "";
  }
};

// Those of the command line.
template <typename T>
Words<T> WordsOf(const char* option) {
  Words<T> words{option, {}};
  for (const auto& [value, word] : EnumWords<T>::kWords) {
    words.words.emplace_back(word, value);
  }
  return words;
}

// `at` is where the options hold it.
template <typename T, typename At>
void DefineWord(Class& options, Words<T> words, At at) {
  options.def_prop_rw(
      words.option,
      [words, at](BoundOptions& self) { return words.Word(at(self)); },
      [words, at](BoundOptions& self, const std::string& word) {
        at(self) = words.Value(word);
      });
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
  DefineWord<SampleOrder>(
      options,
      {"order",
       {{"shuffle", SampleOrder::kShuffle},
        {"blocks", SampleOrder::kBlocks},
        {"sequential", SampleOrder::kSequential},
        {"ratio", SampleOrder::kRatio}}},
      [](auto& o) -> auto& { return o.loader.order.order; });
  DefineValue(
      options, "block", [](auto& o) -> auto& { return o.loader.order.block; });
  DefineValue(
      options, "window",
      [](auto& o) -> auto& { return o.loader.order.window; });
  DefineValue(
      options, "seed", [](auto& o) -> auto& { return o.loader.seed; });
  DefineValue(
      options, "rank", [](auto& o) -> auto& { return o.loader.rank; });
  DefineValue(
      options, "world", [](auto& o) -> auto& { return o.loader.world; });
  DefineWord<LastBatch>(
      options,
      {"last_batch",
       {{"drop", LastBatch::kDrop},
        {"short", LastBatch::kShort},
        {"pad", LastBatch::kPad},
        {"roll", LastBatch::kRoll}}},
      [](auto& o) -> auto& { return o.loader.last_batch; });
}

void DefineContent(Class& options) {
  options.def_prop_rw(
      "transform", [](BoundOptions& self) { return self.geometry; },
      [](BoundOptions& self, const std::optional<Geometry>& value) {
        self.geometry = value;
      },
      nb::for_setter(nb::arg("value").none()));
  DefineValue(
      options, "fields", [](auto& o) -> auto& { return o.loader.fields; });
  DefineWord<ImageLayout>(
      options,
      {"layout",
       {{"channels_last", ImageLayout::kChannelsLast},
        {"nhwc", ImageLayout::kNhwc},
        {"nchw", ImageLayout::kNchw}}},
      [](auto& o) -> auto& { return o.layout; });
  DefineWord<PixelType>(
      options,
      {"dtype",
       {{"uint8", PixelType::kUint8},
        {"float32", PixelType::kFloat32},
        {"float16", PixelType::kFloat16}}},
      [](auto& o) -> auto& { return o.loader.pixels.type; });
  DefineValue(
      options, "mean", [](auto& o) -> auto& { return o.normalize.mean; });
  DefineValue(
      options, "std", [](auto& o) -> auto& { return o.normalize.std; });
  DefineWord<Filter>(
      options, WordsOf<Filter>("filter"),
      [](auto& o) -> auto& { return o.loader.pixels.filter; });
  DefineValue(
      options, "apply_exif",
      [](auto& o) -> auto& { return o.loader.pixels.apply_exif; });
  const Words<LabelType> labels = {"label_dtype",
                                   {{"int64", LabelType::kInt64},
                                    {"float32", LabelType::kFloat32},
                                    {"float64", LabelType::kFloat64}}};
  // None stands for the type that the dataset's first sample suggests: options
  // are made before there is a dataset.
  using Word = std::optional<std::string>;
  options.def_prop_rw(
      labels.option,
      [labels](BoundOptions& self) {
        return self.labels ? Word(labels.Word(*self.labels)) : Word();
      },
      [labels](BoundOptions& self, const Word& word) {
        self.labels.reset();
        if (word) self.labels = labels.Value(*word);
      },
      nb::for_setter(nb::arg("value").none()));
}

void DefineRun(Class& options) {
  DefineWord<OnBadSample>(
      options,
      {"on_bad",
       {{"fail", OnBadSample::kFail},
        {"drop", OnBadSample::kDrop},
        {"gray", OnBadSample::kGray}}},
      [](auto& o) -> auto& { return o.loader.on_bad; });
  DefineWord<EntryPointTrust>(
      options,
      {"entry_points",
       {{"trusted", EntryPointTrust::kTrusted},
        {"proved", EntryPointTrust::kProved},
        {"unused", EntryPointTrust::kUnused}}},
      [](auto& o) -> auto& { return o.loader.entry_points; });
  DefineValue(
      options, "threads", [](auto& o) -> auto& { return o.loader.threads; });
  DefineValue(
      options, "readers", [](auto& o) -> auto& { return o.loader.readers; });
  DefineValue(
      options, "prefetch", [](auto& o) -> auto& { return o.loader.prefetch; });
  DefineValue(
      options, "synthetic",
      [](auto& o) -> auto& { return o.loader.synthetic; });
  DefineValue(
      options, "trace_events",
      [](auto& o) -> auto& { return o.loader.trace_events; });
}

}  // namespace

namespace {

// Trainers take class numbers as int64 and targets as float32, and nobody wants
// to say which of them a dataset has: the first sample tells.
LabelType LabelsOf(const Dataset& dataset) {
  if (dataset.size() == 0) return LabelType::kInt64;
  const auto first = dataset.Read(0);
  // What is damaged there is for whoever streams it.
  if (!first.ok()) return LabelType::kInt64;
  const bool is_number =
      first->labels.size() == 1 && first->labels[0].is_integer();
  return is_number || first->labels.empty() ? LabelType::kInt64
                                            : LabelType::kFloat32;
}

}  // namespace

LoaderOptions BoundOptions::Complete() const {
  LoaderOptions options = loader;
  // Channels last is NHWC in memory: only its view has other strides.
  options.pixels.layout =
      layout == ImageLayout::kNchw ? PixelLayout::kNchw : PixelLayout::kNhwc;
  const bool normalizes = normalize != Normalize();
  if (geometry) {
    options.transform = *geometry;
    if (normalizes) options.transform->operations = {normalize};
  } else if (normalizes) {
    throw nb::value_error("mean, std: without a transform there are no pixels");
  }
  return options;
}

BatchView BoundOptions::view(const Dataset& dataset) const {
  return {.layout = layout,
          .type = loader.pixels.type,
          .labels = labels ? *labels : LabelsOf(dataset),
          .raw = !geometry};
}

void RegisterOptions(nb::module_& module) {
  Class options(module, "LoaderOptions");
  options.def(nb::init<>());
  DefineStream(options);
  DefineContent(options);
  DefineRun(options);
}

}  // namespace shardine::binding
