#include "source/annotation_names.h"

#include <algorithm>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/source_file.h"

namespace shardine {
namespace {

std::string_view LastPart(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Whether `whole` is `end`, after a folder.
bool EndsWithPath(std::string_view whole, std::string_view end) {
  return whole.size() > end.size() && whole.ends_with(end) &&
         whole[whole.size() - end.size() - 1] == '/';
}

// Windows programs write such names.
std::string WithSlashes(std::string_view name) {
  std::string text(name);
  if (text.find('/') == text.npos) std::ranges::replace(text, '\\', '/');
  return text.starts_with("./") ? text.substr(2) : text;
}

}  // namespace

AnnotationNames::AnnotationNames(const SourceSet& set, const std::string& split)
    : set_(set) {
  const auto add = [&](const Candidate& candidate) {
    by_name_[LastPart(candidate.path)].push_back(candidate);
    by_stem_[LastPart(StemOf(candidate.path))].push_back(candidate);
  };
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (split.empty() || set.splits[set.samples.split(i)] == split) {
      add({set.samples.path(i), i});
    }
  }
  for (const SourceProblem& bad : set.bad) add({bad.key, set.samples.size()});
}

Result<AnnotationNames::Found> AnnotationNames::FindName(std::string_view name,
                                                         bool is_stem) const {
  Found found;
  const auto& names = is_stem ? by_stem_ : by_name_;
  const auto candidates = names.find(LastPart(name));
  if (candidates == names.end()) return found;
  std::vector<Candidate> ends;
  std::vector<Candidate> exact;
  for (const Candidate& candidate : candidates->second) {
    const std::string_view path =
        is_stem ? StemOf(candidate.path) : candidate.path;
    if (path == name) {
      exact.push_back(candidate);
    } else if (EndsWithPath(path, name) || EndsWithPath(name, path)) {
      ends.push_back(candidate);
    }
  }
  const std::vector<Candidate>& taken = exact.empty() ? ends : exact;
  const SourceList& samples = set_.samples;
  for (const Candidate& candidate : taken) {
    if (candidate.sample == samples.size()) {
      found.is_known = true;
      continue;
    }
    if (!found.samples.empty()) {
      const std::size_t first = found.samples.front();
      if (candidate.path != samples.path(first) ||
          samples.root(candidate.sample) != samples.root(first)) {
        const auto path = [&](std::size_t sample) {
          return EscapeBytes(JoinPath(set_.roots[samples.root(sample)],
                                      std::string(samples.path(sample))));
        };
        return Status(Code::kInvalidArgument,
                      "\"" + EscapeBytes(name) + "\" could be " + path(first) +
                          " or " + path(candidate.sample));
      }
    }
    found.samples.push_back(candidate.sample);
  }
  return found;
}

Result<AnnotationNames::Found> AnnotationNames::Find(
    const AnnotatedImage& image) const {
  if (image.sample) return Found{.samples = {*image.sample}};
  auto found = FindName(WithSlashes(image.name), image.is_stem);
  const bool is_found =
      found.ok() && (!found->samples.empty() || found->is_known);
  if (is_found || image.other_name.empty()) return found;
  auto other = FindName(WithSlashes(image.other_name), false);
  if (!found.ok() && (!other.ok() || other->samples.empty())) return found;
  return other;
}

}  // namespace shardine
