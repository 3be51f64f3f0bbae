#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/field_text.h"
#include "binding/interruptible.h"
#include "binding/name_text.h"
#include "binding/released_lock.h"
#include "binding/word_value.h"
#include "shardine/dataset.h"
#include "shardine/pack_words.h"
#include "shardine/printable.h"
#include "shardine/select.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;
using DatasetPointer = std::shared_ptr<const Dataset>;

// Python cannot change a class that has no setters.
std::shared_ptr<Dataset> Unlocked(const DatasetPointer& dataset) {
  return std::const_pointer_cast<Dataset>(dataset);
}

std::shared_ptr<Dataset> Open(const nb::bytes& path,
                              const DatasetOptions& options) {
  // Copied while the interpreter's lock is held; the call below lets go of it.
  const std::string text = TextOf(path);
  return Unlocked(ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
    return Dataset::Open(text, options, BuiltinFormats(), stop);
  })));
}

std::shared_ptr<Dataset> OpenShards(const std::vector<nb::bytes>& shards,
                                    const DatasetOptions& options) {
  std::vector<std::string> paths;
  for (const nb::bytes& shard : shards) paths.push_back(TextOf(shard));
  return Unlocked(ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
    return Dataset::OpenShards(paths, options, BuiltinFormats(), stop);
  })));
}

std::shared_ptr<Dataset> Concatenate(
    const std::vector<std::shared_ptr<Dataset>>& datasets) {
  return Unlocked(
      ValueOrRaise(Dataset::Concatenate({datasets.begin(), datasets.end()})));
}

std::vector<std::uint64_t> PositionsWhere(const Dataset& dataset,
                                          const std::string& condition) {
  return ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
    return SelectWhere(dataset, condition, stop);
  }));
}

nb::object LabelOf(const Label& label) {
  if (label.is_integer()) return nb::int_(label.integer());
  return nb::float_(label.real());
}

nb::tuple LabelsOf(std::span<const Label> labels) {
  nb::list list;
  for (const Label& label : labels) list.append(LabelOf(label));
  return nb::tuple(list);
}

nb::bytes BytesOf(std::string_view bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

// (dtype, shape, bytes), from which NumPy makes an array. The memory is
// writable, so that arrays are. A text has a str in place of bytes.
nb::tuple FieldOf(const FieldView& field, bool is_text) {
  nb::list shape;
  for (const std::uint64_t side : field.shape) shape.append(side);
  const auto* data = reinterpret_cast<const char*>(field.bytes.data());
  nb::object bytes;
  if (field.dtype == kBytesDtype && is_text) {
    bytes = nb::str(data, field.bytes.size());
  } else if (field.dtype == kBytesDtype) {
    bytes = nb::bytes(data, field.bytes.size());
  } else {
    bytes = nb::bytearray(data, field.bytes.size());
  }
  return nb::make_tuple(nb::str(field.dtype.data(), field.dtype.size()),
                        nb::tuple(shape), bytes);
}

void CheckText(const FieldView& field, bool is_text, const std::string& key) {
  if (!is_text || field.dtype != kBytesDtype) return;
  const std::string_view text(reinterpret_cast<const char*>(field.bytes.data()),
                              field.bytes.size());
  if (IsText(text)) return;
  Raise(NoText(field.name).At({.key = key}));
}

// Returns the result of work(stop token). Local files are read at once; a
// server's answer may take minutes, which Ctrl-C must end.
template <typename Work>
auto Waited(const Dataset& dataset, const Work& work) {
  if (dataset.path().find("://") != std::string::npos) {
    return Interruptible(work);
  }
  const ReleasedLock released;
  return work(std::stop_token());
}

// (id, key, labels, {name: field})
nb::tuple PartsOf(const Dataset& dataset, const Sample& sample) {
  const std::vector<std::string>& texts = dataset.text_fields();
  nb::dict fields;
  for (const FieldView& field : sample.fields) {
    const bool is_text = std::ranges::binary_search(texts, field.name);
    CheckText(field, is_text, sample.key);
    fields[nb::str(field.name.data(), field.name.size())] =
        FieldOf(field, is_text);
  }
  return nb::make_tuple(sample.id, NameText(sample.key),
                        LabelsOf(sample.labels), fields);
}

nb::tuple Read(const Dataset& dataset, std::uint64_t position) {
  if (position >= dataset.size()) throw nb::index_error();
  auto read = Waited(dataset, [&](const std::stop_token& stop) {
    return dataset.Read(position, stop);
  });
  return PartsOf(dataset, ValueOrRaise(std::move(read)));
}

// The same of many, each as it was read; the first failure is raised.
nb::list ReadMany(const Dataset& dataset,
                  const std::vector<std::uint64_t>& positions) {
  for (const std::uint64_t position : positions) {
    if (position >= dataset.size()) throw nb::index_error();
  }
  auto read = Waited(dataset, [&](const std::stop_token& stop) {
    return dataset.ReadMany(positions, stop);
  });
  nb::list samples;
  for (Result<Sample>& sample : read) {
    samples.append(PartsOf(dataset, ValueOrRaise(std::move(sample))));
  }
  return samples;
}

nb::object Key(const Dataset& dataset, std::uint64_t position) {
  if (position >= dataset.size()) throw nb::index_error();
  auto key = Waited(dataset, [&](const std::stop_token& stop) {
    return dataset.Key(position, stop);
  });
  return NameText(ValueOrRaise(std::move(key)));
}

void CheckRange(const Dataset& dataset, std::uint64_t first,
                std::uint64_t count) {
  if (first <= dataset.size() && count <= dataset.size() - first) return;
  throw nb::index_error();
}

// The keys of the samples [first, first + count), which no other call gives
// without reading the samples or looking each up alone.
nb::list KeyRange(const Dataset& dataset, std::uint64_t first,
                  std::uint64_t count) {
  CheckRange(dataset, first, count);
  std::vector<std::uint64_t> positions(count);
  std::iota(positions.begin(), positions.end(), first);
  std::vector<std::string> keys;
  const Status status = Waited(dataset, [&](const std::stop_token& stop) {
    return dataset.Keys(positions, keys, stop);
  });
  if (!status.ok()) Raise(status);
  nb::list list;
  for (const std::string& key : keys) list.append(NameText(key));
  return list;
}

nb::list LabelRange(const Dataset& dataset, std::uint64_t first,
                    std::uint64_t count) {
  CheckRange(dataset, first, count);
  std::vector<std::vector<Label>> labels;
  const Status status = Waited(dataset, [&](const std::stop_token& stop) {
    return dataset.Labels(first, count, labels, stop);
  });
  if (!status.ok()) Raise(status);
  nb::list list;
  for (const std::vector<Label>& each : labels) list.append(LabelsOf(each));
  return list;
}

}  // namespace

void RegisterDataset(nb::module_& module) {
  nb::class_<FieldRoles>(module, "FieldRoles")
      .def(
          "__init__",
          [](FieldRoles* self, std::string image, std::string label,
             std::string key, bool one_hot,
             std::optional<std::vector<std::string>> fields) {
            new (self) FieldRoles{std::move(image), std::move(label),
                                  std::move(key), one_hot, std::move(fields)};
          },
          "image"_a, "label"_a, "key"_a, "one_hot"_a, "fields"_a.none());
  nb::class_<DatasetOptions>(module, "DatasetOptions")
      .def(
          "__init__",
          [](DatasetOptions* self, std::string split, std::string variant,
             const nb::bytes& labels, const std::string& labels_by,
             bool labels_for_all, const nb::bytes& cache,
             std::uint64_t cache_bytes, std::vector<std::string> text_fields,
             std::vector<std::int64_t> compact_labels, FieldRoles roles) {
            new (self)
                DatasetOptions{std::move(split),
                               std::move(variant),
                               TextOf(labels),
                               WordValue<MatchBy>("labels_by", labels_by),
                               labels_for_all,
                               TextOf(cache),
                               cache_bytes,
                               std::move(text_fields),
                               std::move(compact_labels),
                               std::move(roles)};
          },
          "split"_a, "variant"_a, "labels"_a, "labels_by"_a, "labels_for_all"_a,
          "cache"_a, "cache_bytes"_a, "text_fields"_a, "compact_labels"_a,
          "roles"_a);
  nb::class_<DatasetClass>(module, "DatasetClass")
      .def_prop_ro("name",
                   [](const DatasetClass& self) { return BytesOf(self.name); })
      .def_ro("label", &DatasetClass::label);
  nb::class_<Dataset>(module, "Dataset")
      .def_static("open", &Open, "path"_a, "options"_a)
      .def_static("open_shards", &OpenShards, "shards"_a, "options"_a)
      .def_static("concatenate", &Concatenate, "datasets"_a)
      .def("__len__", &Dataset::size)
      .def("read", &Read, "position"_a)
      .def("read_many", &ReadMany, "positions"_a)
      .def("key", &Key, "position"_a,
           nb::sig("def key(self, position: int) -> str"))
      .def("keys", &KeyRange, "first"_a, "count"_a,
           nb::sig("def keys(self, first: int, count: int) -> list[str]"))
      .def("labels", &LabelRange, "first"_a, "count"_a,
           nb::sig("def labels(self, first: int, count: int) -> list[tuple]"))
      .def("where", &PositionsWhere, "condition"_a)
      .def_prop_ro("split", &Dataset::split)
      .def_prop_ro("variant", &Dataset::variant)
      .def_prop_ro("text_fields", &Dataset::text_fields)
      .def_prop_ro("classes", &Dataset::classes)
      .def_prop_ro(
          "order_digest",
          [](const Dataset& self) { return self.order_digest().ToHex(); })
      .def_prop_ro(
          "indexes",
          [](const Dataset& self) {
            nb::list paths;
            for (const std::string& path : self.indexes()) {
              paths.append(BytesOf(path));
            }
            return paths;
          },
          nb::sig("def indexes(self) -> list[bytes]"))
      .def_prop_ro("warnings", [](const Dataset& self) {
        std::vector<std::string> lines;
        for (const std::string& warning : self.warnings()) {
          lines.push_back(MessageLine(warning));
        }
        return lines;
      });
}

}  // namespace shardine::binding
