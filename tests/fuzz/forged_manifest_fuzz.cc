// Manifests changed member by member, whichever there are, sealed again with
// valid digests, and read in one of all ways. The outcome is an error with a
// code or the result of the sound one, unless `verify` finds the forgery.
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "support/forged_reading.h"
#include "support/fuzz_choices.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// The manifest itself or anything in it, the deeper the likelier.
Json& Draw(FuzzChoices& choices, Json& manifest) {
  Json* place = &manifest;
  while (place->is_structured() && !place->empty() && choices.Below(8) != 7) {
    auto child = place->begin();
    std::advance(child,
                 static_cast<std::ptrdiff_t>(choices.Below(place->size())));
    place = &*child;
  }
  return *place;
}

void ChangeOnce(FuzzChoices& choices, Json& manifest) {
  Json& value = Draw(choices, manifest);
  switch (choices.Below(5)) {
    case 0:
      value = choices.Value();
      return;
    case 1:
      if (value.is_number()) value = choices.Value();
      if (value.is_string()) value = choices.Text();
      return;
    case 2: {
      const Json other = Draw(choices, manifest);
      value = other;
      return;
    }
    case 3:  // once more, or no more
      if (value.is_array() && !value.empty()) value.push_back(value.front());
      if (value.is_object()) value[choices.Text()] = choices.Value();
      return;
    case 4:
      if (value.is_array() && !value.empty()) value.erase(value.size() - 1);
      if (value.is_object() && !value.empty()) value.erase(value.begin());
      return;
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  FuzzChoices choices(data, size);
  ForgedReading& reading = ForgedReading::Of(choices.Below(3));
  const Reading way = kReadings[choices.Below(std::size(kReadings))];
  SideFileWorld world = reading.world();
  Json manifest = reading.manifest();
  const Reseal reseal =
      choices.Below(4) == 0 ? Reseal::kDigestOnly : Reseal::kSums;
  for (int i = 0; i < 6 && !choices.empty(); ++i) {
    ChangeOnce(choices, manifest);
  }
  PutManifest(std::move(manifest), reseal, "out", world.files);
  reading.Check(way, std::move(world), false);
  return 0;
}
