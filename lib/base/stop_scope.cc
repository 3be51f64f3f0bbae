#include "base/stop_scope.h"

#include <utility>

namespace shardine {
namespace {

thread_local std::stop_token current;

}  // namespace

StopScope::StopScope(std::stop_token stop)
    : outer_(std::exchange(current, std::move(stop))) {}

StopScope::~StopScope() { current = std::move(outer_); }

const std::stop_token& CurrentStop() { return current; }

}  // namespace shardine
