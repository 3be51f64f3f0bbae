#include "hdf5/chunk_runs.h"

#include <algorithm>
#include <limits>

namespace shardine {
namespace {

constexpr std::uint64_t kMaxRuns = 256;
constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();

std::uint64_t CeilDiv(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// The last axis along which a row is cut: after it, chunks are as wide as the
// dataset. 0: a row is one piece.
std::size_t LastCutAxis(const Hdf5Dataset& dataset) {
  std::size_t axis = dataset.dims.size() - 1;
  while (axis > 0 && dataset.chunk[axis] == dataset.dims[axis]) --axis;
  return axis;
}

std::uint64_t CountRuns(const Hdf5Dataset& dataset) {
  const std::size_t last = LastCutAxis(dataset);
  if (last == 0) return 1;
  std::vector<std::uint64_t> factors(
      dataset.dims.begin() + 1,
      dataset.dims.begin() + static_cast<std::ptrdiff_t>(last));
  factors.push_back(CeilDiv(dataset.dims[last], dataset.chunk[last]));
  return Product(1, factors).value_or(kMany);
}

std::uint64_t ChunkBytes(const Hdf5Dataset& dataset) {
  return Product(dataset.element.size, dataset.chunk).value_or(kMany);
}

// Pieces that touch are one extent, as where chunks follow each other in the
// file.
void AddRun(Extent run, std::vector<Extent>& runs) {
  if (!runs.empty() && runs.back().offset + runs.back().length == run.offset) {
    runs.back().length += run.length;
  } else {
    runs.push_back(run);
  }
}

// Where the piece of a row lies that begins at index `at` of each axis but the
// first. Its length is left to the caller.
Extent RunAt(const Hdf5Dataset& dataset, std::uint64_t row,
             std::span<const std::uint64_t> at,
             std::span<const Extent> places) {
  std::uint64_t chunk = 0;
  std::uint64_t inside = row;
  for (std::size_t axis = 1; axis < dataset.dims.size(); ++axis) {
    const std::uint64_t size = dataset.chunk[axis];
    chunk = chunk * CeilDiv(dataset.dims[axis], size) + at[axis] / size;
    inside = inside * size + at[axis] % size;
  }
  return {places[static_cast<std::size_t>(chunk)].offset +
              inside * dataset.element.size,
          0};
}

}  // namespace

std::uint64_t ChunksPerRow(const Hdf5Dataset& dataset) {
  std::vector<std::uint64_t> factors;
  for (std::size_t axis = 1; axis < dataset.dims.size(); ++axis) {
    factors.push_back(CeilDiv(dataset.dims[axis], dataset.chunk[axis]));
  }
  return Product(1, factors).value_or(kMany);
}

bool CanFindRuns(const Hdf5Dataset& dataset) {
  return ChunksPerRow(dataset) <= kMaxRuns && CountRuns(dataset) <= kMaxRuns &&
         ChunkBytes(dataset) < kMany;
}

void FindRuns(const Hdf5Dataset& dataset, std::uint64_t row,
              std::span<const Extent> places, std::vector<Extent>& runs) {
  runs.clear();
  const std::uint64_t needed = ChunkBytes(dataset);
  for (const Extent& place : places) {
    // A chunk under fletcher32 is longer, by the sum at its end. One that was
    // never written has no length.
    if (place.length < needed) return;
  }
  const std::size_t last = LastCutAxis(dataset);
  // Bytes of one step along the axis that is cut last.
  const std::uint64_t step = *Product(
      dataset.element.size,
      std::span(dataset.dims).subspan(std::max<std::size_t>(1, last + 1)));
  std::vector<std::uint64_t> at(dataset.dims.size(), 0);
  if (last == 0) {
    Extent run = RunAt(dataset, row, at, places);
    run.length = step;
    runs.push_back(run);
    return;
  }
  for (;;) {
    const std::uint64_t left = dataset.dims[last] - at[last];
    const std::uint64_t steps = std::min(dataset.chunk[last], left);
    Extent run = RunAt(dataset, row, at, places);
    run.length = steps * step;
    AddRun(run, runs);
    at[last] += steps;
    // Axes after the one that is cut last are covered by the length of a run.
    std::size_t axis = last;
    while (axis > 0 && at[axis] == dataset.dims[axis]) {
      at[axis] = 0;
      --axis;
      if (axis > 0) ++at[axis];
    }
    if (axis == 0) return;
  }
}

}  // namespace shardine
