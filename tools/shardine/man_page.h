// Man pages, in the markup of man(7), from the help's text.
#ifndef SHARDINE_SHARDINE_MAN_PAGE_H_
#define SHARDINE_SHARDINE_MAN_PAGE_H_

#include <string>

#include "shardine/verb.h"

namespace shardine {

// shardine(1), which names all other pages.
std::string CommandManPage();
// shardine-cat(1), of "plan pack" shardine-plan-pack(1).
std::string VerbManPage(const VerbEntry& entry);

}  // namespace shardine

#endif  // SHARDINE_SHARDINE_MAN_PAGE_H_
