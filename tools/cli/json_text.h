// JSON results: one object, one line, members in the order they were put in.
#ifndef SHARDINE_CLI_JSON_TEXT_H_
#define SHARDINE_CLI_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "shardine/label.h"

namespace shardine {

using Json = nlohmann::ordered_json;

// With a line end.
std::string JsonLine(const Json& json);

// For keys, paths and names, which are any bytes: escaped.
Json JsonText(std::string_view bytes);

// A number; "inf" and "-inf", which JSON has no number for.
Json JsonLabel(const Label& label);

}  // namespace shardine

#endif  // SHARDINE_CLI_JSON_TEXT_H_
