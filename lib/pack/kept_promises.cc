#include "pack/kept_promises.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/shown_name.h"
#include "shardine/escape.h"
#include "source/group_rule.h"

namespace shardine {
namespace {

// Empty if each group of keys lies in one split.
std::string WhyNotApart(const GroupRule& rule, const SourceSet& source) {
  const SourceList& samples = source.samples;
  std::unordered_map<std::string_view, std::uint32_t> splits;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto group = rule.GroupOf(samples.key(i));
    if (!group) {
      return "key " + ShowName(std::string(samples.key(i))) + " has no group";
    }
    const auto [found, is_new] = splits.try_emplace(*group, samples.split(i));
    if (found->second == samples.split(i)) continue;
    return "group " + ShowName(std::string(*group)) + " lies in " +
           EscapeBytes(source.splits[found->second]) + " and " +
           EscapeBytes(source.splits[samples.split(i)]);
  }
  return "";
}

std::string WhyNotGroups(const std::string& text, const DatasetSamples& inputs,
                         const SourceSet& source) {
  const auto rule = GroupRule::Parse(text);
  if (!rule.ok()) return "the rule does not parse";
  if (rule->column().empty()) return WhyNotApart(*rule, source);
  if (inputs.datasets() > 1) return "groups of fields were not compared";
  if (inputs.Keeps(rule->column())) return "";
  return "the field " + ShowName(rule->column()) + " is left out";
}

// Empty if the promise holds for the output.
std::string WhyNot(const SplitPromises::value_type& promise,
                   const DatasetSamples& inputs, const ConvertSpec& spec,
                   const SourceSet& source) {
  if (spec.cut.is_made()) return "this command cuts the splits";
  for (std::size_t i = 0; i < inputs.datasets(); ++i) {
    const SplitPromises own = PromisesOf(inputs.dataset(i).manifest().made);
    const auto found = own.find(promise.first);
    if (found == own.end() || found->second != promise.second) {
      return EscapeBytes(inputs.path(i)) + " does not promise it";
    }
  }
  if (promise.first == kGroupByPromise) {
    return WhyNotGroups(promise.second, inputs, source);
  }
  return inputs.datasets() > 1 ? "images of the inputs were not compared" : "";
}

}  // namespace

KeptPromises PromisesFor(const DatasetSamples& inputs, const ConvertSpec& spec,
                         const SourceSet& source) {
  SplitPromises all;
  for (std::size_t i = 0; i < inputs.datasets(); ++i) {
    all.merge(PromisesOf(inputs.dataset(i).manifest().made));
  }
  KeptPromises promises;
  const SplitPromises own = PromisesOf(spec.made);
  for (const auto& promise : all) {
    if (const auto made = own.find(promise.first);
        made != own.end() && made->second == promise.second) {
      continue;
    }
    const std::string why = WhyNot(promise, inputs, spec, source);
    if (why.empty()) {
      promises.kept.insert(promise);
      continue;
    }
    promises.dropped.insert(promise);
    promises.warnings.push_back("the splits no longer promise to hold " +
                                PromiseText(promise.first, promise.second) +
                                " together: " + why);
  }
  return promises;
}

}  // namespace shardine
