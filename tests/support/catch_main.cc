#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

// The name is the sanitizer's. HDF5 loses blocks of its free lists when calls
// of a disk fail several times in one process.
extern "C" const char* __lsan_default_suppressions();  // NOLINT
const char* __lsan_default_suppressions() {            // NOLINT
  return "leak:H5FL__malloc";
}
