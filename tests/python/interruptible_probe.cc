// Work that ends only if it is asked to, and looks at it that fail in C++.
#include <nanobind/stl/string.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "binding/interruptible.h"

namespace {

using shardine::binding::Interruptible;

// Whether the work heard the stop before ten seconds were over.
bool is_heard = false;

void Run(const std::string& failure) {
  const auto work = [](const std::stop_token& stop) {
    for (int i = 0; i < 1000 && !stop.stop_requested(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    is_heard = stop.stop_requested();
    return 0;
  };
  Interruptible(work, [&] {
    if (failure == "memory") throw std::bad_alloc();
    throw std::runtime_error(failure);
  });
}

}  // namespace

NB_MODULE(interruptible_probe, module) {
  module.def("run", &Run);
  module.def("is_heard", [] { return is_heard; });
}
