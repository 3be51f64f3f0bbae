// The text of an id, in names of files and in keys.
#ifndef SHARDINE_BASE_ID_TEXT_H_
#define SHARDINE_BASE_ID_TEXT_H_

#include <cstdint>
#include <string>

namespace shardine {

// At least eight digits, so that texts sort as their ids do below 10^8.
std::string IdText(std::uint64_t id);

}  // namespace shardine

#endif  // SHARDINE_BASE_ID_TEXT_H_
