// The scheme of a path: "s3" of "s3://bucket/key".
#ifndef SHARDINE_IO_PATH_SCHEME_H_
#define SHARDINE_IO_PATH_SCHEME_H_

#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// A letter, then letters, digits, '+', '-' and '.', before "://"; in lower
// case, as schemes are compared. Empty: a path of this machine, which a file
// named like an address gets as "./s3://x".
std::string SchemeOf(std::string_view path);

// The path of the file of that name below a folder. As JoinPath(), but in an
// address of http:// or https:// `%`, `?` and `#` become %XX: there they would
// be no part of a name.
std::string JoinName(const std::string& folder, const std::string& name);

// kUnsupported with PrintableUrl(): no storage takes paths of this scheme.
Status RefuseScheme(const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_IO_PATH_SCHEME_H_
