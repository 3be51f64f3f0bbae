// Counts memory from malloc, libraries' too, in a program that is linked with
// peak_memory.cc. Under sanitizers operator new alone is counted.
#ifndef SHARDINE_TESTS_SUPPORT_PEAK_MEMORY_H_
#define SHARDINE_TESTS_SUPPORT_PEAK_MEMORY_H_

#include <cstddef>

namespace shardine {

// The most bytes that were held at one time since the last ResetPeak(), beyond
// those held then. Thread-safe.
void ResetPeak();
std::size_t PeakBytes();

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_PEAK_MEMORY_H_
