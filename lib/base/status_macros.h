// The two macros that keep error handling out of the way of the work.
#ifndef SHARDINE_BASE_STATUS_MACROS_H_
#define SHARDINE_BASE_STATUS_MACROS_H_

#include <utility>

#include "shardine/status.h"

#define SHARDINE_CONCAT_INNER(a, b) a##b
#define SHARDINE_CONCAT(a, b) SHARDINE_CONCAT_INNER(a, b)

#define SHARDINE_RETURN_IF_ERROR(expression)                        \
  do {                                                              \
    if (::shardine::Status status_ = (expression); !status_.ok()) { \
      return status_;                                               \
    }                                                               \
  } while (false)

// SHARDINE_ASSIGN_OR_RETURN(auto file, storage.Open(path));
#define SHARDINE_ASSIGN_OR_RETURN(lhs, expression)                        \
  SHARDINE_ASSIGN_OR_RETURN_IMPL(SHARDINE_CONCAT(result_, __LINE__), lhs, \
                                 expression)
#define SHARDINE_ASSIGN_OR_RETURN_IMPL(result, lhs, expression) \
  auto result = (expression);                                   \
  if (!result.ok()) return std::move(result).status();          \
  lhs = *std::move(result)

#endif  // SHARDINE_BASE_STATUS_MACROS_H_
