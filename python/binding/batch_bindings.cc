#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binding/batch_arrays.h"
#include "binding/bindings.h"
#include "binding/name_text.h"
#include "binding/python_batch.h"
#include "binding/released_lock.h"
#include "shardine/sample.h"

namespace shardine::binding {
namespace {

nb::str StrOf(std::string_view text) {
  return nb::str(text.data(), text.size());
}

nb::object Pixels(nb::handle self, std::size_t view = 0) {
  const PythonBatch& held = BatchOf(self);
  const BatchShape shape = held.batch.shape(view);
  const std::size_t n = shape.samples;
  const std::size_t h = shape.height;
  const std::size_t w = shape.width;
  const std::size_t c = shape.channels;
  void* const data = held.batch.pixels(view).data();
  const nb::dlpack::dtype type = TypeOf(held.view.type);
  if (held.view.layout == ImageLayout::kNhwc) {
    return View<4>(self, data, {n, h, w, c}, type);
  }
  if (held.view.layout == ImageLayout::kNchw) {
    return View<4>(self, data, {n, c, h, w}, type);
  }
  // The memory is NHWC and the shape NCHW: PyTorch knows such an array as
  // channels_last, without a copy.
  const std::array<std::int64_t, 4> strides = {
      static_cast<std::int64_t>(h * w * c), 1, static_cast<std::int64_t>(w * c),
      static_cast<std::int64_t>(c)};
  return View<4>(self, data, {n, c, h, w}, type, &strides);
}

// One image of a raw batch, which memoryviews show. A memoryview holds the
// record, and the record the batch: the memory stays as long as a view of it
// exists.
struct Record {
  std::span<const std::byte> bytes;
  nb::object batch;
};

int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  const Record& record = *nb::inst_ptr<Record>(self);
  return PyBuffer_FillInfo(view, self,
                           const_cast<std::byte*>(record.bytes.data()),
                           static_cast<Py_ssize_t>(record.bytes.size()),
                           /*readonly=*/1, flags);
}

bool IsAbsent(const BatchField& field, std::size_t sample) {
  return !field.present.empty() && field.present[sample] == 0;
}

nb::list Records(nb::handle self, const BatchField& field) {
  const std::vector<std::string>& texts = BatchOf(self).view.texts;
  const bool is_text = std::ranges::binary_search(texts, field.name);
  nb::list records;
  for (std::size_t i = 0; i < field.bytes.size(); ++i) {
    const std::span<const std::byte> bytes = field.bytes[i];
    if (IsAbsent(field, i)) {
      records.append(nb::none());
      continue;
    }
    if (is_text) {
      records.append(
          nb::str(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      continue;
    }
    const nb::object record = nb::cast(Record{bytes, nb::borrow(self)});
    records.append(nb::steal(PyMemoryView_FromObject(record.ptr())));
  }
  return records;
}

// All values of a field. NumPy knows all types that fields have.
nb::object Values(nb::handle self, const BatchField& field) {
  const nb::object bytes =
      ArrayOf<1>(self, field.values.data(), {field.values.size()},
                 nb::dtype<std::uint8_t>());
  return bytes.attr("view")(StrOf(field.dtype));
}

nb::list ShapeOf(std::span<const std::uint64_t> shape) {
  nb::list sides;
  for (const std::uint64_t side : shape) sides.append(side);
  return sides;
}

nb::object Array(nb::handle self, const BatchField& field) {
  nb::list shape = ShapeOf(field.shape);
  shape.insert(0, BatchOf(self).batch.size());
  return Shown(self, Values(self, field).attr("reshape")(shape));
}

// An array for each sample, over the memory of all.
nb::list Arrays(nb::handle self, const BatchField& field) {
  const nb::object values = Values(self, field);
  nb::list arrays;
  for (std::size_t i = 0; i < field.shapes.size(); ++i) {
    if (IsAbsent(field, i)) {
      arrays.append(nb::none());
      continue;
    }
    const nb::object own = values[nb::slice(
        field.offsets[i], field.offsets[i + 1], std::uint64_t{1})];
    arrays.append(Shown(self, own.attr("reshape")(ShapeOf(field.shapes[i]))));
  }
  return arrays;
}

// A row for each sample; rows have one length, and the product of each is the
// number of elements, whatever the number of axes.
nb::object Shapes(const BatchField& field) {
  std::size_t axes = field.shape.size();
  for (const auto& shape : field.shapes) axes = std::max(axes, shape.size());
  nb::list sides;
  for (std::size_t i = 0; i < field.shapes.size(); ++i) {
    const auto& shape = field.shapes[i];
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::uint64_t beyond = IsAbsent(field, i) ? 0 : 1;
      sides.append(axis < shape.size() ? shape[axis] : beyond);
    }
  }
  const nb::object numpy = nb::module_::import_("numpy");
  return numpy.attr("array")(sides, numpy.attr("int64"))
      .attr("reshape")(field.shapes.size(), axes);
}

nb::object InOnePiece(nb::handle self, const BatchField& field) {
  const nb::object offsets =
      View<1>(self, Writable(field.offsets), {field.offsets.size()},
              nb::dtype<std::int64_t>());
  const nb::object present =
      View<1>(self, Writable(field.present), {field.present.size()},
              {CodeOf(nb::dlpack::dtype_code::Bool), 8, 1});
  return nb::module_::import_("shardine.ragged")
      .attr("Ragged")(Shown(self, Values(self, field)), offsets,
                      Shown(self, Shapes(field)), present);
}

nb::object FieldOf(nb::handle self, const BatchField& field) {
  if (field.dtype == kBytesDtype) return Records(self, field);
  if (field.offsets.empty()) return Array(self, field);
  if (BatchOf(self).view.ragged == RaggedForm::kList)
    return Arrays(self, field);
  return InOnePiece(self, field);
}

nb::dict Fields(nb::handle self) {
  nb::dict fields;
  for (const BatchField& field : BatchOf(self).batch.fields()) {
    const nb::str name = StrOf(field.name);
    const nb::object value = FieldOf(self, field);
    if (!field.follows || !BatchOf(self).view.has_views) {
      fields[name] = value;
    } else if (field.view == 0) {
      fields[name] = nb::make_tuple(value);
    } else {
      fields[name] = nb::object(fields[name]) + nb::make_tuple(value);
    }
  }
  return fields;
}

nb::object Images(nb::handle self) {
  const PythonBatch& held = BatchOf(self);
  if (!held.view.raw) return Pixels(self);
  for (const BatchField& field : held.batch.fields()) {
    if (field.name == held.view.image) return FieldOf(self, field);
  }
  return nb::none();
}

// A tuple with the part of each view of the samples.
template <typename Of>
nb::object OfViews(nb::handle self, const Of& of) {
  nb::list views;
  for (std::size_t i = 0; i < BatchOf(self).batch.views(); ++i) {
    views.append(of(i));
  }
  return nb::tuple(views);
}

nb::object Views(nb::handle self) {
  if (BatchOf(self).view.raw) return nb::tuple();
  return OfViews(self, [&](std::size_t view) { return Pixels(self, view); });
}

// A batch as a tuple. Images that are yet to be mixed come with their mixing
// factors, so that no caller takes them for mixed ones.
nb::tuple Contents(nb::handle self) {
  const BatchView& view = BatchOf(self).view;
  const nb::object images = view.has_views ? Views(self) : Images(self);
  if (!view.mixes || view.mix_applied) {
    return nb::make_tuple(images, Targets(self));
  }
  return nb::make_tuple(images, Targets(self), Mix(self));
}

nb::object Ids(nb::handle self) {
  const PythonBatch& held = BatchOf(self);
  return View<1>(self, Writable(held.batch.ids()), {held.batch.size()},
                 nb::dtype<std::int64_t>());
}

nb::object Positions(nb::handle self) {
  const PythonBatch& held = BatchOf(self);
  return View<1>(self, Writable(held.batch.positions()), {held.batch.size()},
                 nb::dtype<std::int64_t>());
}

nb::object Repetitions(nb::handle self) {
  const PythonBatch& held = BatchOf(self);
  return View<1>(self, Writable(held.batch.repetitions()), {held.batch.size()},
                 nb::dtype<std::int64_t>());
}

nb::object Bad(nb::handle self) {
  const PythonBatch& held = BatchOf(self);
  return View<1>(self, Writable(held.batch.bad()), {held.batch.size()},
                 {CodeOf(nb::dlpack::dtype_code::Bool), 8, 1});
}

nb::object BoxesOf(nb::handle self, std::size_t view) {
  std::vector<std::int32_t>& boxes = BatchOf(self).boxes[view];
  return View<2>(self, boxes.data(), {boxes.size() / 5, 5},
                 nb::dtype<std::int32_t>());
}

nb::object Boxes(nb::handle self) { return BoxesOf(self, 0); }

nb::object ViewBoxes(nb::handle self) {
  return OfViews(self, [&](std::size_t view) { return BoxesOf(self, view); });
}

std::vector<std::string> ReadKeys(const PythonBatch& held) {
  for (const std::uint64_t position : held.batch.positions()) {
    // The owner of the array can write to it.
    if (position >= held.dataset->size()) {
      throw nb::index_error("positions: written over with one that is not");
    }
  }
  std::vector<std::string> texts;
  const Status status = [&] {
    const ReleasedLock released;
    return held.dataset->Keys(held.batch.positions(), texts);
  }();
  if (!status.ok()) Raise(status);
  return texts;
}

nb::list BatchKeys(const PythonBatch& held) {
  nb::list keys;
  for (const std::string& key : ReadKeys(held)) keys.append(NameText(key));
  return keys;
}

nb::list KeyBytes(const PythonBatch& held) {
  nb::list keys;
  for (const std::string& key : ReadKeys(held)) {
    keys.append(nb::bytes(key.data(), key.size()));
  }
  return keys;
}

// Python shows a batch: shardine/looking.py.
nb::object Looked(const char* how, nb::handle self) {
  return nb::module_::import_("shardine.looking").attr(how)(self);
}

// The members that a trainer takes.
void DefineContents(nb::class_<PythonBatch>& batch) {
  batch
      .def("__len__", [](const PythonBatch& self) { return self.batch.size(); })
      .def(
          "__iter__", [](nb::handle self) { return nb::iter(Contents(self)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator"),
          "Unpacks as images, targets, which are labels unless the loader has "
          "mix or one_hot; where it has views=[...] as views, targets; with "
          "mix_apply=False as images, targets, mix.")
      .def_prop_ro("images", &Images, nb::sig("def images(self) -> typing.Any"),
                   "The pixels, as layout and dtype of the loader say; with "
                   "raw=True the loader's field `image`: a list of "
                   "memoryviews, one for each image, or arrays; without either "
                   "that field if it is among `fields`, or None.")
      .def_prop_ro("views", &Views,
                   nb::sig("def views(self) -> tuple[typing.Any, ...]"),
                   "The pixels of each view, of which `images` are the first; "
                   "none with raw=True.")
      .def_prop_ro("fields", &Fields,
                   nb::sig("def fields(self) -> dict[str, typing.Any]"),
                   "The fields that were asked for: an array each, or a list "
                   "of memoryviews where they are bytes; arrays that are "
                   "ragged as the loader's `ragged` says. With views=[...] a "
                   "field that follows the image is a tuple of one for each "
                   "view.")
      .def_prop_ro("labels", &Labels, nb::sig("def labels(self) -> typing.Any"),
                   "One for each sample, or a row of them: n x labels, n x 0 "
                   "without any; of label_dtype.")
      .def_prop_ro("targets", &Targets,
                   nb::sig("def targets(self) -> typing.Any"),
                   "What is trained towards: labels; where the loader has mix, "
                   "mixed_labels; where it has one_hot, float32, n x classes: "
                   "the shares of all classes, mixed where it has mix.")
      .def_prop_ro("mixed_labels", &MixedLabels,
                   nb::sig("def mixed_labels(self) -> "
                           "shardine.mixing.MixedLabels | None"),
                   "The labels as weighted pairs; None without mix.")
      .def_prop_ro("mix", &Mix,
                   nb::sig("def mix(self) -> "
                           "shardine.mixing.MixFactors | None"),
                   "What each image is mixed of, or with mix_apply=False is to "
                   "be; None without mix.");
}

// The identity and the outcome of each sample.
void DefineSamples(nb::class_<PythonBatch>& batch) {
  batch
      .def_prop_ro("ids", &Ids, nb::sig("def ids(self) -> typing.Any"),
                   "int64.")
      .def_prop_ro("positions", &Positions,
                   nb::sig("def positions(self) -> typing.Any"),
                   "int64: where in the dataset, as dataset[position].")
      .def_prop_ro("repetitions", &Repetitions,
                   nb::sig("def repetitions(self) -> typing.Any"),
                   "int64: of a sample that comes several times an epoch "
                   "(Loader(sampling=...)), which time this is: a number that "
                   "no other of them has, and by which draws differ; else 0.")
      .def_prop_ro("boxes", &Boxes, nb::sig("def boxes(self) -> typing.Any"),
                   "int32, n x 5: x, y, width, height of the part that was "
                   "used, in pixels of the image, and how it was flipped: 0 "
                   "not, 1 from left to right, 2 upside down, 3 both. The part "
                   "is all that was resampled: of CenterCrop with resize= and "
                   "of RectVal the whole image, whose middle is cut "
                   "afterwards. 0 x 5 with raw=True.")
      .def_prop_ro("view_boxes", &ViewBoxes,
                   nb::sig("def view_boxes(self) -> tuple[typing.Any, ...]"),
                   "Such boxes of each view.")
      .def_prop_ro("bad", &Bad, nb::sig("def bad(self) -> typing.Any"),
                   "bool: gray because it could not be read or decoded.")
      .def_prop_ro("keys", &BatchKeys, nb::sig("def keys(self) -> list[str]"),
                   "Read when asked for; bytes that are not UTF-8 stand as "
                   "surrogates.")
      .def_prop_ro("key_bytes", &KeyBytes,
                   nb::sig("def key_bytes(self) -> list[bytes]"),
                   "The same, byte for byte.");
}

// Members of the batch as a whole.
void DefineWhole(nb::class_<PythonBatch>& batch) {
  batch
      .def(
          "__repr__",
          [](nb::handle self) { return Looked("batch_line", self); },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "_repr_html_",
          [](nb::handle self) { return Looked("batch_page", self); },
          nb::sig("def _repr_html_(self) -> str"),
          "For a notebook: its first images.")
      .def_prop_ro(
          "padding",
          [](const PythonBatch& self) { return self.batch.padding(); },
          "So many samples at the end were delivered before; of "
          "last_batch=\"pad\".")
      .def_prop_ro("epoch",
                   [](const PythonBatch& self) { return self.batch.epoch(); });
}

}  // namespace

void RegisterBatch(nb::module_& module) {
  static PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void*>(GetBuffer)}, {0, nullptr}};
  nb::class_<Record>(module, "Record", nb::type_slots(slots));
  nb::class_<PythonBatch> batch(
      module, "Batch",
      "Samples of one step, in memory that stays valid as long as the batch or "
      "an array of it lives: NumPy arrays, or tensors where the loader has "
      "arrays=\"torch\". `images, labels = batch` are batch.images and "
      "batch.targets; len() is the number of samples.\n"
      R"(
>>> import shardine
>>> loader = shardine.Loader("data", batch_size=8, fields=["image"],
...                          transform=shardine.CenterCrop(64))
>>> batch = next(iter(loader))
>>> len(batch), batch.images.shape, batch.labels.shape, batch.boxes.shape
(8, (8, 3, 64, 64), (8,), (8, 5))
>>> batch.keys[0] == loader.dataset.key(int(batch.positions[0]))
True
>>> batch.key_bytes[0].decode() == batch.keys[0], batch.ids.dtype
(True, dtype('int64'))
>>> len(batch.fields["image"]), sum(batch.bad.tolist()), batch.padding, batch.epoch
(8, 0, 0, 0)
>>> sum(batch.repetitions.tolist())  # without sampling
0
>>> [view.shape for view in batch.views], batch.view_boxes[0].shape
([(8, 3, 64, 64)], (8, 5))
>>> batch.targets.shape, batch.mix, batch.mixed_labels
((8,), None, None)
)");
  DefineContents(batch);
  DefineSamples(batch);
  DefineWhole(batch);
}

}  // namespace shardine::binding
