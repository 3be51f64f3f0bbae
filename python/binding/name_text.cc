#include "binding/name_text.h"

namespace shardine::binding {

nanobind::object NameText(std::string_view bytes) {
  return nanobind::steal(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

std::string TextOf(const nanobind::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

}  // namespace shardine::binding
