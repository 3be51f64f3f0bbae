// The kind of a file that shardine cannot read, for a message that names it.
#ifndef SHARDINE_BASE_FOREIGN_KIND_H_
#define SHARDINE_BASE_FOREIGN_KIND_H_

#include <string_view>

#include "base/bytes.h"

namespace shardine {

// "Parquet", "a zip archive", by the first bytes; empty: not known.
std::string_view ForeignKind(ByteView head);

}  // namespace shardine

#endif  // SHARDINE_BASE_FOREIGN_KIND_H_
