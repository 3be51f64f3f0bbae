#include "binding/batch_arrays.h"

namespace shardine::binding {
namespace {

nb::object LabelArray(nb::handle self, std::vector<std::byte>& labels) {
  const PythonBatch& held = BatchOf(self);
  const std::size_t samples = held.batch.size();
  const std::size_t each = held.batch.labels_per_sample();
  const nb::dlpack::dtype type = TypeOf(held.view.labels);
  if (each == 1) return View<1>(self, labels.data(), {samples}, type);
  return View<2>(self, labels.data(), {samples, each}, type);
}

nb::object Weights(nb::handle self) {
  std::vector<float>& weights = BatchOf(self).mix.weights;
  return View<1>(self, weights.data(), {weights.size()}, nb::dtype<float>());
}

nb::object Shares(nb::handle self) {
  const PythonBatch& held = BatchOf(self);
  return View<2>(self, Writable(held.batch.one_hot()),
                 {held.batch.size(), held.view.classes}, nb::dtype<float>());
}

// The public ones are named tuples of Python.
nb::object NamedTuple(const char* name) {
  return nb::module_::import_("shardine.mixing").attr(name);
}

}  // namespace

nb::dlpack::dtype TypeOf(PixelType type) {
  using Kind = nb::dlpack::dtype_code;
  switch (type) {
    case PixelType::kFloat32:
      return {CodeOf(Kind::Float), 32, 1};
    case PixelType::kFloat16:
      return {CodeOf(Kind::Float), 16, 1};
    case PixelType::kUint8:
      break;
  }
  return {CodeOf(Kind::UInt), 8, 1};
}

nb::dlpack::dtype TypeOf(LabelType type) {
  switch (type) {
    case LabelType::kFloat32:
      return nb::dtype<float>();
    case LabelType::kFloat64:
      return nb::dtype<double>();
    case LabelType::kInt64:
      break;
  }
  return nb::dtype<std::int64_t>();
}

nb::object Shown(nb::handle self, nb::object array) {
  const nb::object& shown_as = BatchOf(self).view.shown_as;
  return shown_as.is_none() ? array : shown_as(array);
}

nb::object Labels(nb::handle self) {
  return LabelArray(self, BatchOf(self).labels);
}

nb::object Mix(nb::handle self) {
  PythonBatch& held = BatchOf(self);
  if (!held.view.mixes) return nb::none();
  MixView& mix = held.mix;
  const nb::object partners =
      View<1>(self, mix.partners.data(), {mix.partners.size()},
              nb::dtype<std::int64_t>());
  const nb::object boxes =
      View<2>(self, mix.boxes.data(), {mix.partners.size(), 4},
              nb::dtype<std::int32_t>());
  return NamedTuple("MixFactors")(Weights(self), partners, boxes);
}

nb::object MixedLabels(nb::handle self) {
  PythonBatch& held = BatchOf(self);
  if (!held.view.mixes) return nb::none();
  return NamedTuple("MixedLabels")(
      Labels(self), LabelArray(self, held.mix.labels), Weights(self));
}

nb::object Targets(nb::handle self) {
  const BatchView& view = BatchOf(self).view;
  if (view.classes > 0) return Shares(self);
  return view.mixes ? MixedLabels(self) : Labels(self);
}

}  // namespace shardine::binding
