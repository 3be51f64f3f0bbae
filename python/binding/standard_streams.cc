// The variables `stderr` and `stdout` of the code that is linked into the
// extension module. libhdf5's static library is compiled for programs: it reads
// the two as if they lay in the file that it becomes part of, which is so in a
// program, where the linker copies them, and not in a shared object. The module
// therefore has copies of its own, which the linker's --wrap puts in their
// place; `__real_` are the C library's.
#include <cstdio>

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names.
extern "C" {
extern FILE* __real_stderr;
extern FILE* __real_stdout;
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = __real_stderr;
__attribute__((visibility("hidden"))) FILE* __wrap_stdout = __real_stdout;
}
// NOLINTEND(bugprone-reserved-identifier)
