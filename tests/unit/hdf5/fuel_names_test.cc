#include "hdf5/fuel_names.h"

#include <catch2/catch.hpp>
#include <map>

#include "support/draws.h"

namespace shardine::fuel_names_test {
namespace {

TEST_CASE("Field names survive as names of datasets", "[hdf5]") {
  for (const char* name : {"points", "image/object/bbox/xmin", "/", "100%",
                           "%2F", "a%25b", "%", "%2", "//%%"}) {
    const std::string dataset = DatasetNameOf(name);
    INFO(dataset);
    CHECK(dataset.find('/') == std::string::npos);
    CHECK(FieldNameOf(dataset) == name);
  }
}

TEST_CASE("Any field's name survives, and no two become one dataset's",
          "[hdf5]") {
  // Mostly characters that are escaped, and others that escapes consist of.
  const std::string letters = "/%%25FfA\xff.";
  Draws draws(70);
  std::map<std::string, std::string> fields;
  for (int i = 0; i < 5000; ++i) {
    std::string name;
    for (std::uint32_t size = draws.Below(8); size > 0; --size) {
      name += letters[draws.Below(letters.size())];
    }
    const std::string dataset = DatasetNameOf(name);
    if (FieldNameOf(dataset) != name) FAIL(name << " as " << dataset);
    if (dataset.find('/') != dataset.npos) FAIL(dataset);
    const auto known = fields.emplace(dataset, name).first;
    if (known->second != name) FAIL(name << " and " << known->second);
  }
}

TEST_CASE("Foreign names with a percent sign are left as they are", "[hdf5]") {
  for (const char* name : {"50%", "%41", "%2f", "a%b"}) {
    CHECK(FieldNameOf(name) == name);
  }
}

}  // namespace
}  // namespace shardine::fuel_names_test
