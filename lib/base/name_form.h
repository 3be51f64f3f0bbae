// Unicode forms of names: two that look the same may be different bytes. macOS
// writes an accented letter as two characters (NFD), most others as one (NFC).
#ifndef SHARDINE_BASE_NAME_FORM_H_
#define SHARDINE_BASE_NAME_FORM_H_

#include <string>
#include <string_view>

namespace shardine {

// In NFC. A name that is no UTF-8 is returned as it is, here and below.
std::string ComposedName(std::string_view name);
// In NFC, and of one case: equal for names that differ in these alone.
std::string FoldedName(std::string_view name);

}  // namespace shardine

#endif  // SHARDINE_BASE_NAME_FORM_H_
