// MadeOnce: a value that is made when it is first asked for, and stays until
// the process ends. A static variable of a function has a guard, which a fork
// copies while another thread holds it: the child would wait for it for ever.
#ifndef SHARDINE_BASE_MADE_ONCE_H_
#define SHARDINE_BASE_MADE_ONCE_H_

#include <atomic>
#include <memory>

namespace shardine {

// For constinit variables. Thread-safe, and no thread waits for another.
template <typename T>
class MadeOnce {
 public:
  T& Get() {
    return Get([] { return T(); });
  }
  // `make` returns a T. Threads that meet here each call it: one value stays.
  template <typename Make>
  T& Get(const Make& make) {
    T* value = value_.load(std::memory_order_acquire);
    if (value != nullptr) return *value;
    std::unique_ptr<T> made(new T(make()));
    return value_.compare_exchange_strong(value, made.get(),
                                          std::memory_order_acq_rel)
               ? *made.release()
               : *value;
  }

 private:
  std::atomic<T*> value_ = nullptr;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_MADE_ONCE_H_
