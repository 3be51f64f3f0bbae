#include "support/peak_memory.h"

#include <algorithm>
#include <atomic>
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
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t bytes = malloc_usable_size(memory);
  const std::size_t now = held.fetch_add(bytes) + bytes;
  std::size_t before = peak.load();
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
  return memory;
}

void Release(void* memory) {
  if (memory == nullptr) return;
  held.fetch_sub(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void ResetPeak() {
  base = held.load();
  peak = held.load();
}

std::size_t PeakBytes() { return peak - std::min(peak.load(), base.load()); }

}  // namespace shardine

// The forms that the others call; and those without exceptions, which a
// sanitizer has of its own.
void* operator new(std::size_t bytes) {
  return shardine::Count(std::malloc(bytes == 0 ? 1 : bytes));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return shardine::Count(
      std::aligned_alloc(align, (bytes + align - 1) / align * align));
}
void operator delete(void* memory) noexcept { shardine::Release(memory); }
void operator delete(void* memory, std::size_t) noexcept {
  shardine::Release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  shardine::Release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  shardine::Release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  shardine::Release(memory);
}
