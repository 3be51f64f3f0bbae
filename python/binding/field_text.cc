#include "binding/field_text.h"

#include "binding/bindings.h"
#include "shardine/escape.h"

namespace shardine::binding {

bool IsText(std::string_view bytes) {
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr));
  if (text.is_valid()) return true;
  PyErr_Clear();
  return false;
}

Status NoText(std::string_view field) {
  return Status(Code::kUnsupported,
                "the field \"" + EscapeBytes(field) +
                    "\" is said to be text, and its bytes are not UTF-8");
}

}  // namespace shardine::binding
