#include "support/peak_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

// glibc's, of any block that malloc and its kin gave.
extern "C" std::size_t malloc_usable_size(void* memory) noexcept;

namespace shardine {
namespace {

std::atomic<std::size_t> held = 0;
std::atomic<std::size_t> peak = 0;
std::atomic<std::size_t> base = 0;

void* Count(void* memory) {
  if (memory == nullptr) return nullptr;
  const std::size_t bytes = malloc_usable_size(memory);
  const std::size_t now = held.fetch_add(bytes) + bytes;
  std::size_t before = peak.load();
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
  return memory;
}

void Discount(void* memory) {
  if (memory != nullptr) held.fetch_sub(malloc_usable_size(memory));
}

}  // namespace

void ResetPeak() {
  base = held.load();
  peak = held.load();
}

std::size_t PeakBytes() { return peak - std::min(peak.load(), base.load()); }

}  // namespace shardine

#ifndef SHARDINE_SANITIZED

// The names under which glibc keeps its own, so that libjpeg, libpng, zlib,
// zstd and operator new are all counted.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) {
  return shardine::Count(__libc_malloc(bytes));
}
void* calloc(std::size_t count, std::size_t bytes) {
  return shardine::Count(__libc_calloc(count, bytes));
}
void* realloc(void* memory, std::size_t bytes) {
  const std::size_t before = memory == nullptr ? 0 : malloc_usable_size(memory);
  void* const moved = __libc_realloc(memory, bytes);
  if (moved == nullptr && bytes > 0) return nullptr;
  shardine::held.fetch_sub(before);
  return shardine::Count(moved);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return shardine::Count(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  shardine::Discount(memory);
  __libc_free(memory);
}
}

#else

// A sanitizer has a malloc of its own: memory from operator new is counted.
// These are the forms that the others call, and those without exceptions.
void* operator new(std::size_t bytes) {
  void* const memory = shardine::Count(std::malloc(bytes == 0 ? 1 : bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return shardine::Count(std::malloc(bytes == 0 ? 1 : bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  void* const memory = shardine::Count(
      std::aligned_alloc(align, (bytes + align - 1) / align * align));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  shardine::Discount(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  ::operator delete(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  ::operator delete(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  ::operator delete(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  ::operator delete(memory);
}

#endif
