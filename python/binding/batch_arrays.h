// Arrays of a held batch's memory, which keep the batch alive.
#ifndef SHARDINE_BINDING_BATCH_ARRAYS_H_
#define SHARDINE_BINDING_BATCH_ARRAYS_H_

#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "binding/bindings.h"
#include "binding/python_batch.h"

namespace shardine::binding {

constexpr std::uint8_t CodeOf(nb::dlpack::dtype_code code) {
  return static_cast<std::uint8_t>(code);
}

nb::dlpack::dtype TypeOf(PixelType type);
nb::dlpack::dtype TypeOf(LabelType type);

// Not const in Python: the owner of the batch owns its memory.
template <typename T>
void* Writable(std::span<const T> values) {
  return const_cast<T*>(values.data());
}

inline PythonBatch& BatchOf(nb::handle self) {
  return nb::cast<PythonBatch&>(self);
}

// As its loader was asked to show arrays.
nb::object Shown(nb::handle self, nb::object array);

// An array of memory that `owner` keeps.
template <std::size_t kRank>
nb::object ArrayOf(nb::handle owner, void* data,
                   const std::array<std::size_t, kRank>& shape,
                   nb::dlpack::dtype type,
                   const std::array<std::int64_t, kRank>* strides = nullptr) {
  // Arrays of nothing have a place, too.
  static std::byte nothing[64];
  return nb::cast(
      nb::ndarray<nb::numpy>(
          data != nullptr ? data : nothing, kRank, shape.data(), owner,
          strides != nullptr ? strides->data() : nullptr, type),
      nb::rv_policy::reference);
}

template <std::size_t kRank>
nb::object View(nb::handle self, void* data,
                const std::array<std::size_t, kRank>& shape,
                nb::dlpack::dtype type,
                const std::array<std::int64_t, kRank>* strides = nullptr) {
  return Shown(self, ArrayOf<kRank>(self, data, shape, type, strides));
}

// One label for each sample, or a vector of them.
nb::object Labels(nb::handle self);

// The factors that samples are mixed by, their labels as weighted pairs; or
// None.
nb::object Mix(nb::handle self);
nb::object MixedLabels(nb::handle self);
// The targets of training: labels, weighted pairs of them, or shares.
nb::object Targets(nb::handle self);

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_BATCH_ARRAYS_H_
