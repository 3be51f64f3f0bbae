#include "shardine/phase_schedule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/status_macros.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// Schedules have ten entries.
constexpr std::size_t kMaxText = std::size_t{1} << 20;

constexpr std::array kMembers = {"ep",       "sz",      "bs",
                                 "trndir",   "valdir",  "min_scale",
                                 "rect_val", "keep_dl", "lr"};

Status BadPhases(const std::string& what) {
  return Status(Code::kInvalidArgument, "phases: " + what);
}

// One entry of the list, and its number for messages.
class Entry {
 public:
  Entry(const Json& json, std::size_t number) : json_(json), number_(number) {}

  bool Has(const char* name) const { return json_.contains(name); }

  Status Wrong(const std::string& what) const {
    return BadPhases("entry " + std::to_string(number_) + ": " + what);
  }

  // Without the member the value stays.
  Status Read(const char* name, std::uint64_t least, std::uint64_t most,
              std::uint64_t& value) const {
    if (!Has(name)) return Status();
    const Json& member = json_[name];
    if (!member.is_number_unsigned() || member.get<std::uint64_t>() < least ||
        member.get<std::uint64_t>() > most) {
      return Wrong(std::string(name) + " is not an integer of " +
                   std::to_string(least) + " to " + std::to_string(most));
    }
    value = member.get<std::uint64_t>();
    return Status();
  }

  Status Read(const char* name, std::uint32_t& value) const {
    std::uint64_t number = value;
    SHARDINE_RETURN_IF_ERROR(
        Read(name, 1, std::numeric_limits<std::int32_t>::max(), number));
    value = static_cast<std::uint32_t>(number);
    return Status();
  }

  Status Read(const char* name, std::string& value) const {
    if (!Has(name)) return Status();
    const Json& member = json_[name];
    if (!member.is_string()) return Wrong(std::string(name) + " is no text");
    value = member.get<std::string>();
    return Status();
  }

  Status Read(const char* name, bool& value) const {
    if (!Has(name)) return Status();
    const Json& member = json_[name];
    if (!member.is_boolean()) {
      return Wrong(std::string(name) + " is neither true nor false");
    }
    value = member.get<bool>();
    return Status();
  }

  Status Read(const char* name, double& value) const {
    if (!Has(name)) return Status();
    if (!json_[name].is_number())
      return Wrong(std::string(name) + " is no number");
    value = json_[name].get<double>();
    return Status();
  }

  // A number, or a list of two.
  Status Read(const char* name, double& first,
              std::optional<double>& second) const {
    const Json& member = json_[name];
    const bool pair = member.is_array() && member.size() == 2 &&
                      member[0].is_number() && member[1].is_number();
    const bool one =
        member.is_array() && member.size() == 1 && member[0].is_number();
    if (!pair && !one && !member.is_number()) {
      return Wrong(std::string(name) + " is neither a number nor two");
    }
    first = (member.is_number() ? member : member[0]).get<double>();
    if (pair) second = member[1].get<double>();
    return Status();
  }

  // Members that only trainers know may stand beside a rate, not in a phase: a
  // misspelt name would silently leave the default.
  Status CheckMembers() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(kMembers, name) != kMembers.end()) continue;
      return Wrong("\"" + EscapeBytes(name) + "\" is none of its members" +
                   DidYouMean(name, {kMembers.begin(), kMembers.end()}));
    }
    return Status();
  }

 private:
  const Json& json_;
  std::size_t number_;
};

Status CheckKept(const Entry& entry, const ScheduledPhase& before,
                 const ScheduledPhase& phase) {
  ScheduledPhase same = before;
  same.first_epoch = phase.first_epoch;
  same.batch_size = phase.batch_size;
  same.only_batch_changes = true;
  if (same == phase) return Status();
  return entry.Wrong("with keep_dl only bs may differ from the phase before");
}

Result<ScheduledPhase> ReadPhase(const Entry& entry,
                                 const ScheduledPhase* before) {
  SHARDINE_RETURN_IF_ERROR(entry.CheckMembers());
  ScheduledPhase phase;
  SHARDINE_RETURN_IF_ERROR(entry.Read("keep_dl", phase.only_batch_changes));
  const bool keeps = phase.only_batch_changes;
  if (keeps && before == nullptr) {
    return entry.Wrong("with keep_dl a phase has to come before");
  }
  if (keeps) phase = *before;
  phase.only_batch_changes = keeps;
  for (const char* name : {"ep", "sz", "bs"}) {
    if (entry.Has(name) || (keeps && std::string_view(name) == "sz")) continue;
    return entry.Wrong(std::string(name) + " is missing");
  }
  phase.first_epoch = 0;
  SHARDINE_RETURN_IF_ERROR(
      entry.Read("ep", 0, std::uint64_t{1} << 32, phase.first_epoch));
  SHARDINE_RETURN_IF_ERROR(entry.Read("sz", phase.size));
  SHARDINE_RETURN_IF_ERROR(entry.Read("bs", phase.batch_size));
  SHARDINE_RETURN_IF_ERROR(entry.Read("trndir", phase.train_suffix));
  if (!keeps) phase.validation_suffix = phase.train_suffix;
  SHARDINE_RETURN_IF_ERROR(entry.Read("valdir", phase.validation_suffix));
  SHARDINE_RETURN_IF_ERROR(entry.Read("min_scale", phase.min_scale));
  if (!(phase.min_scale > 0 && phase.min_scale <= 1)) {
    return entry.Wrong("min_scale is not above 0 and at most 1");
  }
  SHARDINE_RETURN_IF_ERROR(entry.Read("rect_val", phase.rectangular));
  if (keeps) SHARDINE_RETURN_IF_ERROR(CheckKept(entry, *before, phase));
  return phase;
}

Result<ScheduledRate> ReadRate(const Entry& entry) {
  if (!entry.Has("ep")) return entry.Wrong("ep is missing");
  ScheduledRate rate;
  SHARDINE_RETURN_IF_ERROR(entry.Read("ep", rate.first_epoch, rate.end_epoch));
  if (rate.first_epoch < 0 ||
      (rate.end_epoch && *rate.end_epoch <= rate.first_epoch)) {
    return entry.Wrong("ep does not ascend from an epoch of 0 or later");
  }
  SHARDINE_RETURN_IF_ERROR(entry.Read("lr", rate.from, rate.to));
  if (rate.to && !rate.end_epoch) {
    return entry.Wrong("of two rates, ep is the first and the last epoch");
  }
  return rate;
}

Status CheckOrder(const std::vector<ScheduledPhase>& phases) {
  if (phases.empty()) return BadPhases("no entry has bs");
  if (phases.front().first_epoch != 0) {
    return BadPhases("the first entry with bs is not of epoch 0");
  }
  const auto not_before = [](const auto& a, const auto& b) {
    return a.first_epoch >= b.first_epoch;
  };
  if (std::ranges::adjacent_find(phases, not_before) == phases.end()) {
    return Status();
  }
  return BadPhases("epochs of the entries with bs do not ascend");
}

}  // namespace

Result<PhaseSchedule> ParsePhaseSchedule(std::string_view json) {
  if (json.size() > kMaxText) return BadPhases("more than 1 MiB of text");
  const Json list = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return BadPhases("no list of entries");
  PhaseSchedule schedule;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Entry entry(list[i], i);
    if (!list[i].is_object()) return entry.Wrong("no entry with members");
    if (!entry.Has("bs") && !entry.Has("lr")) {
      return entry.Wrong("has neither bs nor lr");
    }
    if (entry.Has("bs")) {
      const ScheduledPhase* before =
          schedule.phases.empty() ? nullptr : &schedule.phases.back();
      SHARDINE_ASSIGN_OR_RETURN(ScheduledPhase phase, ReadPhase(entry, before));
      schedule.phases.push_back(std::move(phase));
    }
    if (!entry.Has("lr")) continue;
    SHARDINE_ASSIGN_OR_RETURN(const ScheduledRate rate, ReadRate(entry));
    schedule.rates.push_back(rate);
  }
  SHARDINE_RETURN_IF_ERROR(CheckOrder(schedule.phases));
  return schedule;
}

}  // namespace shardine
