// Words that no other process has.
#ifndef SHARDINE_IO_RANDOM_TOKEN_H_
#define SHARDINE_IO_RANDOM_TOKEN_H_

#include <string>

namespace shardine {

// 32 hex digits, of the system's random numbers.
std::string RandomToken();

}  // namespace shardine

#endif  // SHARDINE_IO_RANDOM_TOKEN_H_
