// The public list of formats equals the table.
#include <catch2/catch.hpp>

#include "conformance/format_fixture.h"
#include "shardine/format.h"

namespace shardine::list_formats_test {
namespace {

TEST_CASE("ListFormats says of every layout what the format table does",
          "[conformance]") {
  const std::vector<FormatInfo> formats = ListFormats();
  REQUIRE(formats.size() == BuiltinFormats().formats().size());
  for (std::size_t f = 0; f < formats.size(); ++f) {
    const Format& format = *BuiltinFormats().formats()[f];
    CHECK(formats[f].name == format.name);
    CHECK(formats[f].suffix == format.suffix);
    CHECK(formats[f].read_suffixes.size() == format.read_suffixes.size());
    REQUIRE(formats[f].layouts.size() == format.layouts.size());
    for (std::size_t i = 0; i < format.layouts.size(); ++i) {
      const LayoutInfo& info = formats[f].layouts[i];
      const Layout& layout = format.layouts[i];
      const Limits& limits = layout.limits;
      INFO(info.name);
      const auto parsed = ParseFormat(BuiltinFormats(), info.name);
      REQUIRE(parsed.ok());
      CHECK(parsed->layout == &layout);
      CHECK(info.companion_suffix == layout.companion_suffix);
      REQUIRE(info.parameters.size() == layout.parameters.size());
      for (std::size_t p = 0; p < layout.parameters.size(); ++p) {
        CHECK(info.parameters[p].name == layout.parameters[p].name);
        CHECK(layout.parameters[p].is_valid(info.parameters[p].default_value));
        CHECK_FALSE(info.parameters[p].values.empty());
      }
      CHECK(info.max_labels == limits.max_labels);
      CHECK(info.ids == limits.ids);
      CHECK(info.keys == limits.keys);
      CHECK(info.max_key == limits.max_key);
      CHECK(info.unique_keys == limits.unique_keys);
      CHECK(info.fields == limits.fields);
      CHECK(info.encoded_image == limits.encoded_image);
      CHECK(info.array_image == limits.array_image);
      CHECK(info.needs_image == limits.needs_image);
      CHECK(info.max_payload == limits.max_payload);
    }
  }
}

TEST_CASE("ListFormats names the numbers that records hold as labels",
          "[conformance]") {
  for (const FormatInfo& format : ListFormats()) {
    for (const LayoutInfo& layout : format.layouts) {
      if (layout.name == "recordio/mxnet")
        CHECK(layout.label_type == "float32");
      if (layout.name == "webdataset") CHECK(layout.label_type == "exact");
      if (layout.name == "hdf5/fuel") CHECK(layout.label_type == "int64");
    }
  }
  CHECK(ListFormats(FormatRegistry({})).empty());
}

}  // namespace
}  // namespace shardine::list_formats_test
