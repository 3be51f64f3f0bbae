// The memory that a JSON text takes once it is parsed into a tree of values.
#ifndef SHARDINE_BASE_JSON_TREE_H_
#define SHARDINE_BASE_JSON_TREE_H_

#include <string_view>

namespace shardine {

// Whether the tree of values stays within 200 MiB and the bytes of the text.
// Lists of empty lists take 30 times their text, and files of shardine's are
// far from that. The text may be anything.
bool JsonTreeFits(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_BASE_JSON_TREE_H_
