#include "fault_server/fault_plan.h"

#include <cmath>

#include "base/checksum.h"

namespace shardine::fault_server {

namespace {

// "replaced" and "late-stall" wait for so many: something has to be under way.
constexpr std::uint64_t kLate = 20;

// Faults that the next try of the same range mends.
const std::vector<std::string> kPassing = {
    "drip",       "stall-body",   "reset",  "reset-body", "close",
    "close-body", "short-length", "longer", "endless",    "wrong-range",
    "no-etag",    "500",          "502",    "503",        "504",
    "408",        "429",          "whole",  "gzip",       "huge-head",
    "no-head",    "redirect",     "http10", "flip"};
const std::vector<std::string> kOthers = {
    "none",        "mix",           "delay",         "stall",
    "retry-after", "keep-alive-3",  "wrong-total",   "wrong-etag",
    "weak-etag",   "redirect-loop", "redirect-file", "redirect-garbage",
    "flip-cached", "404",           "403",           "replaced",
    "late-stall"};

// A number in [0, 1), another one for each purpose.
double Draw(const std::string& key, std::uint64_t seed) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(key.data()),
                       key.size());
  return std::ldexp(static_cast<double>(Xxh3_64(bytes, seed) >> 11), -53);
}

}  // namespace

const std::vector<std::string>& FaultNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = kOthers;
    all.insert(all.end(), kPassing.begin(), kPassing.end());
    return all;
  }();
  return names;
}

Verdict FaultPlan::Judge(const RangeRequest& request) {
  ++requests_;
  const std::string key =
      request.method + ' ' + request.path + ' ' + request.Header("range");
  const unsigned tries = tries_[key]++;
  Verdict verdict{FaultOf(request, key, tries), options_.delay};
  const std::string again = key + ' ' + std::to_string(tries);
  if (Draw(again, options_.seed + 2) < options_.tail)
    verdict.delay += options_.late;
  return verdict;
}

std::string FaultPlan::FaultOf(const RangeRequest& request,
                               const std::string& key, unsigned tries) const {
  if (!request.path.ends_with(options_.only)) return "none";
  // A cache in between has wrong bytes, as often as it is asked.
  if (options_.fault == "flip-cached")
    return request.Header("cache-control") == "no-cache" ? "none" : "flip";
  if (options_.fault == "replaced") return "none";
  if (tries > 0 && !options_.always) return "none";
  if (Draw(key, options_.seed) >= options_.rate) return "none";
  if (options_.fault == "late-stall")
    return requests_ > kLate ? "stall" : "none";
  if (options_.fault != "mix") return options_.fault;
  const double draw = Draw(key, options_.seed + 1);
  return kPassing[static_cast<std::size_t>(
      draw * static_cast<double>(kPassing.size()))];
}

int FaultPlan::Edition() const {
  return options_.fault == "replaced" && requests_ > kLate ? 1 : 0;
}

}  // namespace shardine::fault_server
