#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "binding/bindings.h"
#include "binding/name_text.h"
#include "shardine/status_words.h"

namespace shardine::binding {
namespace {

// As shardine.errors knows it.
std::string NameOf(Code code) {
  std::string name = WordOf(code);
  std::ranges::replace(name, '-', '_');
  return name;
}

nb::object OrNone(const std::optional<std::uint64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::object(nb::none());
}

}  // namespace

void Raise(const Status& status) {
  const Where& where = status.where();
  nb::object key = nb::none();
  if (where.key) key = NameText(*where.key);
  nb::object path = nb::none();
  if (!where.path.empty()) {
    path = nb::steal(PyUnicode_DecodeFSDefaultAndSize(
        where.path.data(), static_cast<Py_ssize_t>(where.path.size())));
  }
  const std::string text = status.ToString();
  const nb::object error =
      nb::module_::import_("shardine.errors")
          .attr("make_error")(
              NameOf(status.code()),
              nb::steal(PyUnicode_DecodeUTF8(
                  text.data(), static_cast<Py_ssize_t>(text.size()),
                  "backslashreplace")),
              path, OrNone(where.record), key, OrNone(where.offset),
              status.system_error());
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace shardine::binding
