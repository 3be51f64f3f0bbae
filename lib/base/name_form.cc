#include "base/name_form.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "base/utf8.h"

namespace shardine {
namespace {

std::string Mapped(std::string_view name, utf8proc_option_t options) {
  if (!IsUtf8(name)) return std::string(name);
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()), &mapped, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(
      mapped, &std::free);
  if (bytes < 0) return std::string(name);
  return std::string(reinterpret_cast<const char*>(mapped),
                     static_cast<std::size_t>(bytes));
}

}  // namespace

std::string ComposedName(std::string_view name) {
  return Mapped(
      name, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
}

std::string FoldedName(std::string_view name) {
  return Mapped(
      name, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                           UTF8PROC_CASEFOLD));
}

}  // namespace shardine
