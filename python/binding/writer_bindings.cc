#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "binding/bindings.h"
#include "binding/name_text.h"
#include "binding/python_writer.h"
#include "shardine/pack_words.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

// Words are compared with the tables in Python, whose messages are better.
template <typename T>
void SetWord(T& value, const std::string& word) {
  const auto known = EnumOf<T>(word);
  if (!known) throw nb::value_error(("no such word: " + word).c_str());
  value = *known;
}

}  // namespace

void RegisterWriter(nb::module_& module) {
  using Options = DatasetWriterOptions;
  nb::class_<Options>(module, "WriterOptions")
      .def(
          "__init__",
          [](Options* self, const nb::bytes& output, std::string format) {
            new (self)
                Options{.output = TextOf(output), .format = std::move(format)};
          },
          "output"_a, "format"_a)
      .def_rw("shard_bytes", &Options::shard_bytes)
      .def_rw("shard_samples", &Options::shard_samples)
      .def_rw("threads", &Options::threads)
      .def_rw("part", &Options::part)
      .def_rw("parts", &Options::parts)
      .def_rw("replace", &Options::replace)
      .def_rw("lossy_labels", &Options::lossy_labels)
      .def(
          "add_class",
          [](Options& self, const nb::bytes& name, std::int64_t label,
             const nb::bytes& text) {
            self.classes.push_back({TextOf(name), label, TextOf(text)});
          },
          "name"_a, "label"_a, "text"_a)
      .def(
          "set_words",
          [](Options& self, const std::string& check,
             const std::string& entry_points, const std::string& on_bad) {
            SetWord(self.check, check);
            SetWord(self.entry_points, entry_points);
            SetWord(self.on_bad, on_bad);
          },
          "check"_a, "entry_points"_a, "on_bad"_a);
  nb::class_<PythonWriter>(module, "Writer")
      .def(nb::init<const Options&>(), "options"_a)
      .def(
          "append",
          [](PythonWriter& self, std::optional<nb::bytes> key,
             std::optional<std::uint64_t> id, nb::list labels, nb::list fields,
             std::string split) {
            self.Append({std::move(key), id, std::move(labels),
                         std::move(fields), std::move(split)});
          },
          "key"_a.none(), "id"_a.none(), "labels"_a, "fields"_a, "split"_a)
      .def("finish", &PythonWriter::Finish,
           nb::sig("def finish(self) -> dict[str, Any]"))
      .def("close", &PythonWriter::Close)
      .def_prop_ro("can_finish", &PythonWriter::can_finish)
      .def_prop_ro("samples", &PythonWriter::samples);
}

}  // namespace shardine::binding
