// DecodeProbe: how many training crops a second one core makes.
#ifndef SHARDINE_DOCTOR_DECODE_PROBE_H_
#define SHARDINE_DOCTOR_DECODE_PROBE_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/bytes.h"
#include "shardine/doctor.h"
#include "shardine/status.h"

namespace shardine {

struct ProbedImage {
  ByteBuffer bytes;         // as encoded
  ByteBuffer entry_points;  // of it; empty: none
};

// Random crops of 224 x 224 pixels of the images, on this thread and for `time`
// at most, as a Loader makes them. Images that cannot be decoded
// count in neither. The failure of the first image if that is so of all;
// kCancelled. REQUIRES: there are images.
Result<double> ProbeDecoding(std::span<const ProbedImage> images,
                             std::chrono::milliseconds time,
                             const std::stop_token& stop);

// Gives the images their entry points, as a pack does.
void AddEntryPoints(std::span<ProbedImage> images);

// The rates of the images at a short side of each of `sides` pixels, made in
// memory by the default ImageOptions and with entry points, of as many images
// as `time` allows. Sizes that no image shrinks to are left out. Failures as
// above.
Result<std::vector<ImageRates>> ProbeSizes(
    std::span<const ProbedImage> images,
    const std::vector<std::uint32_t>& sides, std::chrono::milliseconds time,
    const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_DECODE_PROBE_H_
