#include "source/class_map.h"

#include <algorithm>

#include "base/checksum.h"

namespace shardine {

const ClassInfo* FindClass(const ClassMap& classes, const Label& label) {
  if (!label.is_integer()) return nullptr;
  const auto found = std::ranges::lower_bound(
      classes, label.integer(), std::ranges::less(), &ClassInfo::label);
  const bool is_there =
      found != classes.end() && found->label == label.integer();
  return is_there ? &*found : nullptr;
}

const ClassInfo* FindClass(const ClassMap& classes,
                           std::span<const Label> labels) {
  return labels.size() == 1 ? FindClass(classes, labels[0]) : nullptr;
}

const Label* FindNoClass(const ClassMap& classes,
                         std::span<const Label> labels) {
  const auto found = std::ranges::find_if(labels, [&](const Label& label) {
    return FindClass(classes, label) == nullptr;
  });
  return found == labels.end() ? nullptr : &*found;
}

void CountLabels(std::span<const Label> labels, LabelCounts& counts) {
  const bool are_integers = std::ranges::all_of(labels, &Label::is_integer);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool counts_it = labels[i].is_integer() && (are_integers || i == 0);
    const auto before = labels.first(i);
    if (counts_it && std::ranges::find(before, labels[i]) == before.end()) {
      ++counts[labels[i].integer()];
    }
  }
}

Digest128 ClassMapDigest(const ClassMap& classes) {
  Xxh3Stream stream;
  for (const ClassInfo& info : classes) {
    stream.UpdateLe(static_cast<std::uint32_t>(info.name.size()));
    stream.Update(AsBytes(info.name));
    stream.UpdateLe(info.label);
  }
  return stream.Digest();
}

}  // namespace shardine
