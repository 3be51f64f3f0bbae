#include "pixels/resampler.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "pixels/resample_axis.h"
#include "pixels/resample_kernels.h"

namespace shardine {
namespace {

// Rows that can be read a little beyond their end.
class PaddedRows {
 public:
  void Reset(std::size_t count, std::size_t bytes) {
    count_ = count;
    stride_ = (bytes + kRowPadding + 63) / 64 * 64;
    if (memory_.size() < count_ * stride_) memory_.resize(count_ * stride_);
  }
  std::uint8_t* at(std::size_t i) {
    return memory_.data() + i % count_ * stride_;
  }

 private:
  std::size_t count_ = 1;
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> memory_;
};

Region PartOf(const ResampleSpec& spec) {
  if (spec.part.width > 0) return spec.part;
  return {0, 0, spec.out.width, spec.out.height};
}

}  // namespace

Region InputOf(const ResampleSpec& spec) {
  const Region part = PartOf(spec);
  const PixelRun across = InputOf(spec.in.width, spec.out.width, spec.filter,
                                  spec.flip, {part.x, part.width});
  const PixelRun down = InputOf(spec.in.height, spec.out.height, spec.filter,
                                false, {part.y, part.height});
  return {across.first, down.first, across.count, down.count};
}

bool VerticalFirst(const ResampleSpec& spec) {
  if (spec.order == PassOrder::kPillow12) return false;
  const std::int64_t across = std::int64_t{spec.in.width} - spec.out.width;
  const std::int64_t down = std::int64_t{spec.in.height} - spec.out.height;
  return down > 0 && down > 2 * across;
}

// Rows go into a ring, after the first pass; as soon as the ring has all rows
// of an output row's window, that row is made.
struct Resampler::State {
  ResampleSpec spec;
  bool prepared = false;  // the tables are those of `spec`
  ResampleAxis across;
  ResampleAxis down;
  RowKernels row_kernels{};
  ColumnKernels column_kernels{};
  RowPlan row_plan;
  ColumnPlan column_plan;

  bool vertical_first = false;
  bool copy_across = false;  // no horizontal pass
  bool copy_down = false;    // no vertical pass
  std::uint8_t* out = nullptr;
  std::size_t stride = 0;
  std::uint32_t rows_in = 0;
  std::uint32_t rows_out = 0;

  PaddedRows ring;
  PaddedRows ends;  // input rows that could not be read beyond their end
  PaddedRows combined;
  std::vector<const std::uint8_t*> window;

  std::size_t in_bytes() const {
    return std::size_t{across.in} * spec.channels;
  }
  std::size_t out_bytes() const {
    return std::size_t{across.out} * spec.channels;
  }
  std::uint8_t* out_row(std::uint32_t y) const { return out + stride * y; }

  void Prepare(ResampleSpec next);
  void Push(const std::uint8_t* rows, std::size_t row_stride,
            std::uint32_t count);
  void Across(const std::uint8_t* const* rows, std::uint8_t* const* targets,
              std::size_t count) const;
  void EmitAll();
  std::size_t Emit();
  void Combine(std::uint32_t y, std::uint8_t* target, std::size_t bytes);
};

void Resampler::State::Prepare(ResampleSpec next) {
  next.part = PartOf(next);
  if (prepared && spec == next) return;
  const bool same_columns =
      prepared && spec.in.width == next.in.width &&
      spec.out.width == next.out.width && spec.channels == next.channels &&
      spec.filter == next.filter && spec.flip == next.flip &&
      spec.part.x == next.part.x && spec.part.width == next.part.width;
  const bool same_rows =
      prepared && spec.in.height == next.in.height &&
      spec.out.height == next.out.height && spec.filter == next.filter &&
      spec.part.y == next.part.y && spec.part.height == next.part.height;
  spec = next;
  prepared = true;
  if (!same_columns) {
    // A plan fits the kernels that made it, so both are chosen together.
    row_kernels = ChosenRowKernels();
    across = MakeResampleAxis(spec.in.width, spec.out.width, spec.filter,
                              spec.flip, {spec.part.x, spec.part.width});
    row_plan = row_kernels.plan(across, spec.channels);
  }
  if (!same_rows) {
    column_kernels = ChosenColumnKernels();
    down = MakeResampleAxis(spec.in.height, spec.out.height, spec.filter, false,
                            {spec.part.y, spec.part.height});
    column_plan = column_kernels.plan(down);
  }
  vertical_first = VerticalFirst(spec);
  // Without a flip an axis that keeps its size takes just the columns that are
  // needed: nothing is left to weigh.
  copy_across = spec.in.width == spec.out.width && !spec.flip;
  copy_down = spec.in.height == spec.out.height;
  // Rows of a batch all go in before one is made, so the ring holds a batch
  // beyond the widest window.
  ring.Reset(std::size_t{down.taps} + kRowBatch,
             vertical_first ? in_bytes() : out_bytes());
  ends.Reset(kRowBatch, in_bytes());
  combined.Reset(kRowBatch, in_bytes());
  window.resize(column_plan.taps());
}

void Resampler::State::Across(const std::uint8_t* const* rows,
                              std::uint8_t* const* targets,
                              std::size_t count) const {
  if (!copy_across) return row_kernels.resample(row_plan, rows, targets, count);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(targets[i], rows[i], out_bytes());
  }
}

void Resampler::State::Combine(std::uint32_t y, std::uint8_t* target,
                               std::size_t bytes) {
  const ResampleAxis::Window& rows = down.windows[y];
  for (std::uint32_t k = 0; k < window.size(); ++k) {
    // Beyond the window weights are zero, but something must be read.
    window[k] = ring.at(rows.first + std::min(k, rows.count - 1));
  }
  column_kernels.combine(column_plan, y, window.data(), target, bytes);
}

// Makes up to kRowBatch output rows from the rows in the ring.
std::size_t Resampler::State::Emit() {
  std::array<const std::uint8_t*, kRowBatch> from{};
  std::array<std::uint8_t*, kRowBatch> to{};
  std::size_t count = 0;
  while (count < kRowBatch && rows_out < down.out) {
    const ResampleAxis::Window& rows = down.windows[rows_out];
    if (rows.first + rows.count > rows_in) break;
    if (!vertical_first) {
      Combine(rows_out, out_row(rows_out), out_bytes());
    } else {
      Combine(rows_out, combined.at(count), in_bytes());
      from[count] = combined.at(count);
      to[count] = out_row(rows_out);
    }
    ++count;
    ++rows_out;
  }
  if (vertical_first) Across(from.data(), to.data(), count);
  return count;
}

void Resampler::State::EmitAll() {
  while (Emit() > 0) {
  }
}

void Resampler::State::Push(const std::uint8_t* rows, std::size_t row_stride,
                            std::uint32_t count) {
  std::array<const std::uint8_t*, kRowBatch> from{};
  std::array<std::uint8_t*, kRowBatch> to{};
  for (std::uint32_t done = 0; done < count;) {
    const auto batch = std::min<std::uint32_t>(kRowBatch, count - done);
    for (std::uint32_t i = 0; i < batch; ++i) {
      const std::uint32_t y = rows_in + i;
      from[i] = rows + row_stride * (done + i);
      to[i] = copy_down ? out_row(y) : ring.at(y);
      // The kernels read up to kRowPadding bytes beyond a row. There are as
      // many in rows that follow; the last ones are copied to where there are.
      if ((count - 1 - done - i) * row_stride < kRowPadding) {
        std::memcpy(ends.at(i), from[i], in_bytes());
        from[i] = ends.at(i);
      }
    }
    if (vertical_first) {
      for (std::uint32_t i = 0; i < batch; ++i) {
        std::memcpy(to[i], from[i], in_bytes());
      }
    } else {
      Across(from.data(), to.data(), batch);
    }
    rows_in += batch;
    done += batch;
    if (!copy_down) EmitAll();
  }
}

Resampler::Resampler() : state_(std::make_unique<State>()) {}
Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;
Resampler& Resampler::operator=(Resampler&&) noexcept = default;

void Resampler::Begin(const ResampleSpec& spec, std::uint8_t* out,
                      std::size_t stride) {
  state_->Prepare(spec);
  state_->out = out;
  state_->stride = stride;
  state_->rows_in = 0;
  state_->rows_out = 0;
}

void Resampler::Push(const std::uint8_t* rows, std::size_t stride,
                     std::uint32_t count) {
  state_->Push(rows, stride, count);
}

}  // namespace shardine
