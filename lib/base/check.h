// SHARDINE_CHECK: stops the process when our own code is wrong. Never for
// anything that data, disk, network or user can cause.
// The message has the file's name alone, which is unique: no program knows the
// folder that it was built in.
#ifndef SHARDINE_BASE_CHECK_H_
#define SHARDINE_BASE_CHECK_H_

namespace shardine {

[[noreturn]] void CheckFailed(const char* file, int line,
                              const char* condition);

}  // namespace shardine

#define SHARDINE_CHECK(condition) \
  (static_cast<bool>(condition)   \
       ? static_cast<void>(0)     \
       : ::shardine::CheckFailed(__FILE_NAME__, __LINE__, #condition))

#endif  // SHARDINE_BASE_CHECK_H_
