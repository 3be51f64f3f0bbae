#include "support/jpeg_variety.h"

#include <algorithm>
#include <array>
#include <random>

#include "support/jpeg_coefficients.h"

namespace shardine {
namespace {

using namespace std::string_literals;
using Random = std::mt19937;

std::uint32_t Below(Random& random, std::size_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

std::uint32_t Side(Random& random) {
  constexpr std::array<std::uint32_t, 8> kMost = {9,   40,  100, 100,
                                                  160, 250, 400, 600};
  return 1 + Below(random, kMost[Below(random, kMost.size())]);
}

void SetSampling(std::uint32_t kind, JpegSpec& spec) {
  spec.color = kind == 0 ? JpegColor::kGray : JpegColor::kYcc;
  spec.across = kind == 2 || kind == 3 ? 2 : 1;
  spec.down = kind == 3 || kind == 4 ? 2 : 1;
}

std::int16_t Value(Random& random, std::uint32_t limit) {
  return static_cast<std::int16_t>(
      static_cast<int>(Below(random, 2 * limit + 1)) - static_cast<int>(limit));
}

// Few or many, small or large, at any places: long codes and long runs, and
// products that leave 16 bits.
std::string WithOddCoefficients(const std::string& jpeg, Random& random) {
  CoefficientPlanes planes = ReadCoefficients(jpeg);
  const std::uint32_t limit = random() % 2 == 0 ? 1023 : 3;
  const bool large_steps = random() % 4 == 0;
  for (CoefficientPlane& plane : planes) {
    for (auto& step : plane.steps) {
      step = static_cast<std::uint16_t>(
          1 + Below(random, large_steps ? 65535 : 40));
    }
    for (auto& block : plane.blocks) {
      block.fill(0);
      block[0] = Value(random, 1023);
      const std::uint32_t count = Below(random, 1u << Below(random, 7));
      for (std::uint32_t i = 0; i < count; ++i) {
        block[1 + Below(random, 63)] = Value(random, limit);
      }
    }
  }
  if (planes.size() == 3) planes[2].steps = planes[1].steps;  // one table
  return ReplaceCoefficients(jpeg, planes);
}

// Where the entropy-coded data begin.
std::size_t ScanOf(std::string_view jpeg) {
  const JpegMarkerPlace scan = FindJpegMarker(jpeg, 0xDA);
  return scan.offset + scan.size;
}

// The offset of some restart marker; npos if there is none.
std::size_t SomeRestart(std::string_view jpeg, Random& random) {
  const std::size_t scan = ScanOf(jpeg);
  const std::size_t from = scan + Below(random, jpeg.size() - scan);
  for (std::size_t i = from; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == '\xFF' && (jpeg[i + 1] & '\xF8') == '\xD0') return i;
  }
  return std::string_view::npos;
}

void ChangeRestart(Random& random, std::string& jpeg) {
  const std::size_t at = SomeRestart(jpeg, random);
  if (at == std::string::npos) {
    jpeg.insert(jpeg.size() - 2, "\xFF\xD0"s);
    return;
  }
  switch (random() % 4) {
    case 0:
      jpeg.erase(at, 2);
      break;
    case 1:
      jpeg[at + 1] = static_cast<char>(0xD0 + random() % 8);
      break;
    case 2:
      jpeg.insert(at, 1, "\xFF\0"s[random() % 2]);
      break;
    default:
      jpeg.insert(at, jpeg.substr(at, 2));
  }
}

}  // namespace

JpegSpec VariedJpegSpec(std::uint32_t number) {
  Random random(number);
  JpegSpec spec;
  SetSampling(number % 5, spec);
  spec.width = Side(random);
  spec.height = Side(random);
  spec.quality = 1 + static_cast<int>(number * 7 % 100);
  spec.noise = std::array{0u, 24u, 24u, 255u}[random() % 4];
  spec.optimize = random() % 2 == 0;
  spec.seed = number;
  switch (random() % 4) {
    case 0:
      spec.restart_rows = 1 + Below(random, 3);
      break;
    case 1:
      spec.restart_mcus = 1 + Below(random, 1u << Below(random, 8));
      break;
    default:
      break;
  }
  return spec;
}

std::string MakeVariedJpeg(std::uint32_t number) {
  const std::string jpeg = MakeJpeg(VariedJpegSpec(number));
  Random random(number + 1000000);
  return random() % 4 == 0 ? WithOddCoefficients(jpeg, random) : jpeg;
}

std::string DamageJpeg(std::string_view jpeg, std::uint32_t number) {
  Random random(number);
  std::string damaged(jpeg);
  const std::size_t scan = ScanOf(jpeg);
  const std::size_t at = scan + Below(random, jpeg.size() - scan);
  switch (random() % 9) {
    case 0:
      damaged.resize(at);
      break;
    case 1:
      damaged.erase(at, 1 + Below(random, 3));
      break;
    case 2:
      damaged.insert(at, 1 + Below(random, 3), static_cast<char>(random()));
      break;
    case 3:
      damaged.insert(damaged.size() - 2, 1, "\0\x7F\xFF"s[random() % 3]);
      break;
    case 4:
      // The bytes that tell a JPEG from other files stay.
      damaged[3 + Below(random, damaged.size() - 3)] =
          static_cast<char>(random());
      break;
    case 5:
      damaged.replace(at, 2, std::array{"\xFF\xD9"s, "\xFF\0"s}[random() % 2]);
      break;
    case 6:
      ChangeRestart(random, damaged);
      break;
    default:
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << random() % 8);
  }
  return damaged;
}

}  // namespace shardine
