// How fields follow their image through a transform: masks, boxes and points
// are moved by the crop, scale, flip, border and affine of each view.
#ifndef SHARDINE_FOLLOW_H_
#define SHARDINE_FOLLOW_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shardine {

enum class FollowKind : std::uint8_t {
  // A mask: an array of the image's height and width, with channels after them
  // or none; or an encoded image of its size. A batch has one array, samples x
  // height x width (x channels), of the mask's own type. For an encoded mask it
  // is |u1 or, of 16 bits, <u2: indices of palettes and all channels stay as
  // they are. Operations on values change nothing.
  //
  // An output pixel i takes the input pixel floor(i * float(in / out)), as
  // torchvision resizes its masks (torch's "nearest").
  kNearest,
  // The input pixel at the output pixel's middle, as Pillow's NEAREST and
  // torch's "nearest-exact" have it: where the image's own pixels come from.
  kNearestExact,
  // Boxes, n x 4: x0, y0, x1, y1 in pixels of the stored image, corners and no
  // pixels' middles. They become <f8: moved step by step and clipped, each the
  // smallest that holds its corners where the image is turned.
  kBoxes,
  // Points, n x 2 or n x k x 2: x, y; or with a third number, which is 0 where
  // there is no point. They become <f8. A point outside of the view, or with a
  // 0, becomes -1, -1 (and 0).
  kPoints,
  // An array with a row for each box, such as their labels: rows of boxes that
  // are dropped are left out.
  kRows,
  // Stays as it is.
  kStay,
};

struct FollowedField {
  std::string name;
  FollowKind kind = FollowKind::kStay;
  // The field of kBoxes with whose boxes rows are dropped: for kRows, and for
  // kPoints where each row belongs to a box.
  std::string boxes = {};
};

// The names are LoaderOptions::fields. Batches have a BatchField for each view
// of each.
struct FollowOptions {
  std::vector<FollowedField> fields;
  // The value of masks beyond the image: a number of their type.
  double mask_fill = 0;
  // A box is dropped where nothing of it is left, or less than this part of its
  // area: the product, over the steps that clip it, of the area that is left.
  double min_visible = 0;
  // Boxes, points and rows of a sample: so many, the missing ones -1; a sample
  // of more is a bad one. 0: they are ragged.
  std::uint32_t pad_to = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FOLLOW_H_
