// Fields of samples go into batches as the geometries of their views say.
#include "load/field_follower.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "support/draws.h"

namespace shardine::field_follower_test {
namespace {

// The part of a 12 x 9 image from (x, y) on, as it is.
DrawnGeometry PartOf(Region box) {
  DrawnGeometry drawn{.image = {12, 9}, .crop = {}, .steps = {}};
  drawn.crop.box = box;
  drawn.crop.resized = drawn.crop.size = {box.width, box.height};
  return drawn;
}

template <typename T>
std::string BytesOf(const std::vector<T>& numbers) {
  return std::string(AsText(std::as_bytes(std::span(numbers))));
}

template <typename T>
std::vector<T> NumbersOf(std::span<const std::byte> bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// A sample: a mask of 12 x 9, boxes and their fields.
struct Fields {
  std::vector<std::uint64_t> mask_shape = {9, 12};
  std::vector<std::uint64_t> box_shape;
  std::vector<std::uint64_t> row_shape;
  std::string mask;
  std::string boxes;
  std::string rows;

  explicit Fields(const std::vector<double>& corners)
      : box_shape{corners.size() / 4, 4}, row_shape{corners.size() / 4} {
    for (int i = 0; i < 12 * 9; ++i) mask += static_cast<char>(i);
    boxes = BytesOf(corners);
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 0; i < row_shape[0]; ++i) {
      numbers.push_back(static_cast<std::int32_t>(100 + i));
    }
    rows = BytesOf(numbers);
  }
  std::vector<FieldView> views() const {
    return {{"bbox", "<f8", box_shape, AsBytes(boxes)},
            {"kind", "<i4", row_shape, AsBytes(rows)},
            {"mask", "|u1", mask_shape, AsBytes(mask)}};
  }
};

// Batches of two views, 4 x 3 and 6 x 6.
class Room {
 public:
  explicit Room(std::uint32_t pad_to) {
    options_.follow.fields = {{"kind", FollowKind::kRows, "bbox"},
                              {"mask", FollowKind::kNearest},
                              {"bbox", FollowKind::kBoxes}};
    options_.follow.pad_to = pad_to;
    BatchLayout layout;
    layout.has_pixels = true;
    layout.more_views = {{6, 6}};
    for (const std::size_t view : {0U, 1U}) {
      FieldSpec kind{.name = "kind", .dtype = "<i4", .shape = {pad_to}};
      kind.follow = FollowKind::kRows;
      kind.boxes = "bbox";
      FieldSpec mask{.name = "mask", .dtype = "|u1", .shape = {0, 0}};
      mask.follow = FollowKind::kNearest;
      mask.element = {std::byte{7}};
      FieldSpec boxes{.name = "bbox", .dtype = "<f8", .shape = {pad_to, 4}};
      boxes.follow = FollowKind::kBoxes;
      kind.ragged = boxes.ragged = pad_to == 0;
      kind.bytes_each = std::size_t{pad_to} * 4;
      boxes.bytes_each = std::size_t{pad_to} * 32;
      kind.element.assign(4, std::byte{0xFF});
      for (FieldSpec spec : {kind, mask, boxes}) {
        spec.view = view;
        layout.fields.push_back(spec);
      }
    }
    batch_.Reset({.samples = 2, .height = 3, .width = 4, .channels = 3},
                 std::make_shared<const BatchLayout>(layout));
  }

  Status Set(std::uint32_t number, const Fields& fields) {
    FieldFollower follower(options_);
    const DrawnGeometry first = PartOf({2, 1, 4, 3});
    DrawnGeometry second = PartOf({6, 3, 6, 6});
    second.crop.flip = true;
    const DrawnGeometry* const views[] = {&first, &second};
    return follower.Set(number, fields.views(), views, batch_);
  }
  BatchBuffers& batch() { return batch_; }

 private:
  LoaderOptions options_;
  BatchBuffers batch_{std::make_shared<BlockPool>()};
};

const std::vector<double> kBoxes = {3, 2, 5, 3, 0, 0, 1, 1, 7, 4, 12, 5};

TEST_CASE("Each view has its own part of a mask", "[field_follower]") {
  Room room(0);
  REQUIRE(room.Set(1, Fields(kBoxes)).ToString() == "OK");
  const auto first = NumbersOf<std::uint8_t>(room.batch().fields[1].Slot(1));
  CHECK(first == std::vector<std::uint8_t>{14, 15, 16, 17, 26, 27, 28, 29, 38,
                                           39, 40, 41});
  const auto second = NumbersOf<std::uint8_t>(room.batch().fields[4].Slot(1));
  REQUIRE(second.size() == 36);
  CHECK(second[0] == 3 * 12 + 11);
  CHECK(second[35] == 8 * 12 + 6);
}

TEST_CASE("Rows go with the boxes that are dropped", "[field_follower]") {
  Room room(0);
  REQUIRE(room.Set(0, Fields({})).ToString() == "OK");
  REQUIRE(room.Set(1, Fields(kBoxes)).ToString() == "OK");
  room.batch().Complete();
  const auto& fields = room.batch().fields;
  CHECK(NumbersOf<std::int32_t>(room.batch().fields[0].values.bytes()) ==
        std::vector<std::int32_t>{100});
  CHECK(NumbersOf<double>(room.batch().fields[2].values.bytes()) ==
        std::vector<double>{1, 1, 3, 2});
  CHECK(NumbersOf<std::int32_t>(room.batch().fields[3].values.bytes()) ==
        std::vector<std::int32_t>{102});
  CHECK(NumbersOf<double>(room.batch().fields[5].values.bytes()) ==
        std::vector<double>{0, 1, 5, 2});
  CHECK(fields[5].offsets == std::vector<std::uint64_t>{0, 0, 4});
  CHECK(fields[5].shapes[1] == std::vector<std::uint64_t>{1, 4});
}

TEST_CASE("Missing rows are -1, and too many are refused", "[field_follower]") {
  Room room(2);
  REQUIRE(room.Set(0, Fields(kBoxes)).ToString() == "OK");
  CHECK(NumbersOf<std::int32_t>(room.batch().fields[0].Slot(0)) ==
        std::vector<std::int32_t>{100, -1});
  const Status status =
      room.Set(0, Fields({3, 2, 5, 3, 3, 2, 5, 3, 3, 2, 5, 3}));
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "the field \"bbox\" has 3 rows, more than pad_to, 2");
}

TEST_CASE("Fields that do not fit their image are refused by name",
          "[field_follower]") {
  Room room(0);
  Fields small(kBoxes);
  small.mask_shape = {12, 9};
  CHECK(room.Set(0, small).message() ==
        "the field \"mask\" is a mask of 12 x 9 pixels, its image has 9 x 12");
  Fields cut(kBoxes);
  cut.mask.pop_back();
  CHECK(room.Set(0, cut).code() == Code::kCorrupt);
  Fields missing(kBoxes);
  missing.row_shape = {1};
  missing.rows.resize(4);
  CHECK(room.Set(0, missing).message() ==
        "the field \"kind\" has 1 rows, and \"bbox\" has 3");
  std::vector<double> boxes = kBoxes;
  boxes[5] = std::numeric_limits<double>::quiet_NaN();
  const Status status = room.Set(0, Fields(boxes));
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message().find("row 1") != std::string::npos);
}

}  // namespace
}  // namespace shardine::field_follower_test
