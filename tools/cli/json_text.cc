#include "cli/json_text.h"

#include <cmath>

#include "shardine/escape.h"

namespace shardine {

std::string JsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json JsonText(std::string_view bytes) { return EscapeBytes(bytes); }

Json JsonLabel(const Label& label) {
  if (label.is_integer()) return label.integer();
  if (std::isinf(label.real())) return label.ToString();
  return label.real();
}

}  // namespace shardine
