// FieldFollower: the fields of one sample after another, moved as its views
// were, into their places in a batch.
#ifndef SHARDINE_LOAD_FIELD_FOLLOWER_H_
#define SHARDINE_LOAD_FIELD_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "load/batch_buffers.h"
#include "load/drawn_geometry.h"
#include "load/mask_mover.h"
#include "load/mask_source.h"
#include "load/plane_moves.h"
#include "shardine/loader_options.h"
#include "shardine/status.h"

namespace shardine {

// Keeps its memory. Thread-compatible.
class FieldFollower {
 public:
  // The options must outlive it.
  explicit FieldFollower(const LoaderOptions& options);

  bool has_fields() const { return has_fields_; }

  // Sets all columns of fields that follow, of that slot. `views`: the drawn
  // geometry of each. kUnsupported: a field is absent, or not of the type or
  // size that it has to be; kCorrupt: a box or point is no number, or a mask is
  // damaged. They name the field.
  Status Set(std::uint32_t number, std::span<const FieldView> fields,
             std::span<const DrawnGeometry* const> views, BatchBuffers& batch);

 private:
  // The boxes of a field that a view has left.
  struct Kept {
    std::string field;
    std::size_t view = 0;
    std::uint64_t rows = 0;  // that there were
    std::vector<std::uint32_t> left;
  };

  Status SetColumn(std::uint32_t number, std::span<const FieldView> fields,
                   std::span<const DrawnGeometry* const> views,
                   BatchBuffers& batch, FieldColumn& column);
  Status SetMask(std::uint32_t number, const FieldView& field,
                 std::span<const DrawnGeometry* const> views,
                 FieldColumn& column);
  Status MakeBoxes(const FieldView& field, const DrawnGeometry& drawn,
                   const FieldSpec& spec);
  Status MakePoints(const FieldView& field, const DrawnGeometry& drawn,
                    const FieldSpec& spec);
  Status MakeRows(const FieldView& field, const FieldSpec& spec);
  Status TakeKept(const FieldView& field, const FieldSpec& spec,
                  std::uint64_t rows, const Kept*& kept) const;
  Status Deliver(std::uint32_t number, const FieldView& field,
                 BatchBuffers& batch, FieldColumn& column);

  const LoaderOptions& options_;
  bool has_fields_ = false;
  const Kept no_boxes_ = {};
  std::vector<Kept> kept_;
  std::size_t kept_count_ = 0;  // of the sample at work
  MaskSource masks_;
  MaskMover mover_;
  ElementView mask_;       // of the field at work, for all its views
  std::string open_mask_;  // its name
  std::vector<double> numbers_;
  std::vector<MovedBox> boxes_;
  std::vector<MovedPoint> points_;
  // The delivered values of the field at work.
  std::vector<std::byte> made_;
  std::uint64_t made_rows_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_FIELD_FOLLOWER_H_
