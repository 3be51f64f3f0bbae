#include "base/stop_scope.h"

#include <utility>

#include "base/made_once.h"

namespace shardine {
namespace {

thread_local const std::stop_token* current_stop = nullptr;

}  // namespace

StopScope::StopScope(std::stop_token stop)
    : stop_(std::move(stop)), outer_(std::exchange(current_stop, &stop_)) {}

StopScope::~StopScope() { current_stop = outer_; }

const std::stop_token& CurrentStop() {
  static constinit MadeOnce<std::stop_token> never;
  return current_stop == nullptr ? never.Get() : *current_stop;
}

}  // namespace shardine
