#include "pack/image_plan.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::image_plan_test {
namespace {

using Shape = std::vector<std::uint64_t>;

// A field "image" of ten bytes.
IndexField Image(const std::string& dtype, Shape shape = {}) {
  IndexField field;
  field.name = kImageField;
  field.dtype = dtype;
  field.shape = std::move(shape);
  field.extents = {{.offset = 0, .length = 10}};
  return field;
}

Status Add(ImagePlan& plan, IndexField& image, ImageFacts facts = {}) {
  IndexEntry entry;
  entry.facts = facts;
  std::vector<IndexField> fields = {image};
  std::uint64_t bytes = 10;
  Status status = plan.Add(entry, "key", fields, bytes);
  image = fields[0];
  return status;
}

TEST_CASE("ImagePlan encodes arrays of the layout that is named",
          "[image_plan]") {
  ConvertSpec spec;
  spec.encode = {.layout = ArrayLayout::kChw};
  ImagePlan plan(spec, {});
  CHECK_FALSE(plan.makes_images());
  IndexField image = Image("|u1", {3, 7, 5});
  REQUIRE(Add(plan, image).ok());
  CHECK(image.dtype == kBytesDtype);
  CHECK(image.shape.empty());
  CHECK(plan.encode() == spec.encode);
  CHECK(plan.recode() == RecodeOptions());
  image = Image("|u1", {7, 5, 3});
  CHECK(Add(plan, image).code() == Code::kUnsupported);
  ManifestVariant variant;
  CHECK(plan.Record({}, variant).empty());
  CHECK(variant.images == "encode=png chw");
}

TEST_CASE("ImagePlan refuses axes that can be read in two ways",
          "[image_plan]") {
  ConvertSpec spec;
  spec.encode = ArrayEncoding();
  IndexField image = Image("|u1", {3, 7, 1});
  ImagePlan plan(spec, {});
  CHECK(Add(plan, image).code() == Code::kInvalidArgument);
  spec.names_layout = true;
  ImagePlan named(spec, {});
  CHECK(Add(named, image).ok());
}

TEST_CASE("ImagePlan has no part in images that stay as they are",
          "[image_plan]") {
  ConvertSpec spec;
  spec.recode = {.recode = Encoding::kPng};
  ImagePlan plan(spec, {});
  IndexField image = Image(std::string(kBytesDtype));
  REQUIRE(Add(plan, image, {.kind = ImageKind::kJpeg}).ok());
  CHECK_FALSE(plan.makes_images());
  CHECK(plan.Describe() == " recode=png");
  REQUIRE(Add(plan, image, {.kind = ImageKind::kWebp}).ok());
  CHECK(plan.makes_images());
  CHECK(plan.recode() == spec.recode);
}

TEST_CASE("ImagePlan makes arrays in the order that was asked for",
          "[image_plan]") {
  ConvertSpec spec;
  spec.pixels = PixelOrder::kBgr;
  spec.pixels_if_needed = true;
  spec.encode = ArrayEncoding();
  ImagePlan plan(spec, {.encoded_image = false});
  IndexField image = Image(std::string(kBytesDtype));
  REQUIRE(Add(plan, image, {.width = 5, .height = 7}).ok());
  CHECK(image.shape == Shape{3, 7, 5});
  CHECK(plan.pixels() == PixelOrder::kBgr);
}

}  // namespace
}  // namespace shardine::image_plan_test
