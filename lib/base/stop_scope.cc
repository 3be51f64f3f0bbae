#include "base/stop_scope.h"

#include <utility>

namespace shardine {
namespace {

thread_local const std::stop_token* current_stop = nullptr;

}  // namespace

StopScope::StopScope(std::stop_token stop)
    : stop_(std::move(stop)), outer_(std::exchange(current_stop, &stop_)) {}

StopScope::~StopScope() { current_stop = outer_; }

const std::stop_token& CurrentStop() {
  static const auto* const never = new std::stop_token;
  return current_stop == nullptr ? *never : *current_stop;
}

}  // namespace shardine
