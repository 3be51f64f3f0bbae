// Whether the build has sanitizers, under which each step is slow: sweeps over
// calls, bits and lengths take fewer steps there.
#ifndef SHARDINE_TESTS_SUPPORT_SANITIZED_H_
#define SHARDINE_TESTS_SUPPORT_SANITIZED_H_

namespace shardine {

#ifdef SHARDINE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_SANITIZED_H_
