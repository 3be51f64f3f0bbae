// Fields that are str in Python: plain bytes that have to be UTF-8.
#ifndef SHARDINE_BINDING_FIELD_TEXT_H_
#define SHARDINE_BINDING_FIELD_TEXT_H_

#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine::binding {

// As Python decodes it, strictly.
bool IsText(std::string_view bytes);

// The failure of a field whose bytes are no text.
Status NoText(std::string_view field);

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_FIELD_TEXT_H_
