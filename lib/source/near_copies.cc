#include "source/near_copies.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "image/image_decode.h"
#include "image/small_image.h"
#include "pipeline/parallel_for.h"
#include "shardine/digest.h"
#include "source/image_pass.h"

namespace shardine {
namespace {

constexpr std::size_t kMostSmall = std::size_t{1} << 16;  // small images
constexpr std::uint64_t kMostWide = 50000;  // samples of small splits
constexpr int kLeastQuality = 5;
constexpr double kLeastCutLikeness = 0.95;
// Photos of 110 kB and of variants that are decoded, and hashes compared by a
// thread, as measured.
constexpr double kPhotosOfSecond = 700;
constexpr double kVariantsOfSecond = 3500;
constexpr double kPairsOfSecond = 2e9;

Status MakeSmall(const FieldView& image, SmallImages& maker,
                 SmallImage& small) {
  return LookAtImage(
      image, [&](ByteView file) { return maker.Make(file, small); },
      [&](const PixelView& pixels) { maker.Shrink(pixels, small); });
}

Digest128 DigestOfBytes(const FieldView& image) {
  if (image.shape.empty()) return Xxh3_128(image.bytes);
  Xxh3Stream stream;
  for (const std::uint64_t side : image.shape) stream.UpdateLe(side);
  stream.Update(image.bytes);
  return stream.Digest();
}

// The digest of all pixels of the image, in color.
Result<Digest128> DigestOfPixels(const FieldView& image) {
  if (image.dtype != kBytesDtype || !image.shape.empty()) {
    return DigestOfBytes(image);
  }
  PixelBuffer pixels;
  SHARDINE_RETURN_IF_ERROR(
      DecodeImage(image.bytes, {.color = ColorMode::kColor}, pixels).status());
  Xxh3Stream stream;
  stream.UpdateLe(pixels.size().width);
  stream.Update(pixels.bytes());
  return stream.Digest();
}

enum class HashState : std::uint8_t { kNone, kPlain, kThere };

// The facts of each image.
struct Looks {
  std::vector<PdqHash> hashes;
  std::vector<Digest128> bytes;
  std::vector<HashState> states;
};

Result<Looks> LookAtAll(ImagePass& reader, const ComparedImages& images) {
  const auto size = static_cast<std::size_t>(images.size());
  std::vector<std::uint64_t> all(size);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  Looks looks{.hashes = std::vector<PdqHash>(size),
              .bytes = std::vector<Digest128>(size),
              .states = std::vector<HashState>(size)};
  const auto make_look = [&] {
    return [&, maker = SmallImages()](std::size_t i,
                                      const FieldView& image) mutable {
      // A variant gives only the number: its bytes are not the image's.
      looks.bytes[i] =
          images.has_variant(i) ? Digest128{.low = i} : DigestOfBytes(image);
      SmallImage small;
      SHARDINE_RETURN_IF_ERROR(MakeSmall(image, maker, small));
      looks.hashes[i] = PdqHashOf(small);
      looks.states[i] = PdqQualityOf(small) < kLeastQuality ? HashState::kPlain
                                                            : HashState::kThere;
      return Status();
    };
  };
  SHARDINE_RETURN_IF_ERROR(reader.ForEach(all, ImageUse::kSmall, make_look));
  return looks;
}

// Images with the same bytes are compared by their first one.
struct Hashes {
  std::vector<PdqHash> hashes;
  std::vector<std::uint64_t> positions;
  std::vector<bool> is_wide;  // any of them
};

// Adds pairs of the same bytes.
Hashes HashesOf(const Looks& looks, const std::vector<bool>& wide,
                NearCopies& copies) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < looks.states.size(); ++i) {
    copies.plain += looks.states[i] == HashState::kPlain ? 1 : 0;
    if (looks.states[i] == HashState::kThere) order.push_back(i);
  }
  const auto bytes = [&](std::size_t i) {
    return std::pair(looks.bytes[i].high, looks.bytes[i].low);
  };
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::pair(bytes(i), i); });
  std::vector<std::size_t> firsts;
  std::vector<bool> is_wide(looks.states.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k];
    if (k == 0 || bytes(order[k - 1]) != bytes(i)) firsts.push_back(i);
    const std::size_t first = firsts.back();
    if (wide[i]) is_wide[first] = true;
    if (first != i) copies.pairs.push_back({first, i, CopyKind::kBytes});
  }
  std::ranges::sort(firsts);
  Hashes made;
  for (const std::size_t first : firsts) {
    made.hashes.push_back(looks.hashes[first]);
    made.positions.push_back(first);
    made.is_wide.push_back(is_wide[first]);
  }
  return made;
}

// Compares the pixels of candidates, as many at a time as are held in memory.
class Judge {
 public:
  Judge(ImagePass& reader, const Hashes& hashes, unsigned threads)
      : reader_(reader), hashes_(hashes), threads_(threads) {}

  Status Compare(std::span<const NearPair> pairs,
                 std::vector<LikePair>& copies) {
    while (!pairs.empty()) {
      std::set<std::uint64_t> held;
      std::size_t count = 0;
      for (; count < pairs.size() && held.size() < kMostSmall; ++count) {
        held.insert(Position(pairs[count].first));
        held.insert(Position(pairs[count].second));
      }
      SHARDINE_RETURN_IF_ERROR(CompareHeld(pairs.subspan(0, count),
                                           {held.begin(), held.end()}, copies));
      pairs = pairs.subspan(count);
    }
    return Status();
  }

 private:
  std::uint64_t Position(std::uint32_t hash) const {
    return hashes_.positions[hash];
  }

  Status CompareHeld(std::span<const NearPair> pairs,
                     const std::vector<std::uint64_t>& positions,
                     std::vector<LikePair>& copies) {
    std::vector<SmallImage> small(positions.size());
    std::vector<std::uint8_t> is_there(positions.size());
    SHARDINE_RETURN_IF_ERROR(reader_.ForEach(positions, ImageUse::kSmall, [&] {
      return [&, maker = SmallImages()](std::size_t i,
                                        const FieldView& image) mutable {
        const Status made = MakeSmall(image, maker, small[i]);
        is_there[i] = made.ok() ? 1 : 0;
        return made;
      };
    }));
    const auto place_of = [&](std::uint32_t hash) {
      const auto at = std::ranges::lower_bound(positions, Position(hash));
      return static_cast<std::size_t>(at - positions.begin());
    };
    enum class Verdict : std::uint8_t { kOther, kCopy, kEqual };
    std::vector<Verdict> verdicts(pairs.size());
    SHARDINE_RETURN_IF_ERROR(
        ParallelFor(pairs.size(), threads_, [&](std::size_t i) {
          const std::size_t a = place_of(pairs[i].first);
          const std::size_t b = place_of(pairs[i].second);
          if (is_there[a] == 0 || is_there[b] == 0) return Status();
          const SmallImage& first = small[a];
          SmallImage second;
          TurnImage(small[b], pairs[i].turn, second);
          if (pairs[i].turn == 0 && first == second) {
            verdicts[i] = Verdict::kEqual;
          } else if (IsCopy(LikenessOf(first, second), pairs[i].distance) ||
                     CutLikenessOf(first, second) >= kLeastCutLikeness) {
            verdicts[i] = Verdict::kCopy;
          }
          return Status();
        }));
    std::vector<LikePair> equal;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (verdicts[i] == Verdict::kOther) continue;
      const LikePair copy{.first = Position(pairs[i].first),
                          .second = Position(pairs[i].second)};
      (verdicts[i] == Verdict::kEqual ? equal : copies).push_back(copy);
    }
    SHARDINE_RETURN_IF_ERROR(CompareWhole(equal));
    copies.insert(copies.end(), equal.begin(), equal.end());
    return Status();
  }

  Status CompareWhole(std::vector<LikePair>& equal) {
    std::map<std::uint64_t, Digest128> digests;
    for (const LikePair& pair : equal) {
      digests[pair.first] = digests[pair.second] = {};
    }
    std::vector<std::uint64_t> positions;
    for (const auto& [position, digest] : digests)
      positions.push_back(position);
    std::vector<Digest128*> to;
    for (auto& [position, digest] : digests) to.push_back(&digest);
    SHARDINE_RETURN_IF_ERROR(reader_.ForEach(positions, ImageUse::kWhole, [&] {
      return [&](std::size_t i, const FieldView& image) {
        const auto digest = DigestOfPixels(image);
        if (digest.ok()) *to[i] = *digest;
        return digest.status();
      };
    }));
    for (LikePair& pair : equal) {
      const Digest128& digest = digests[pair.first];
      if (digest != Digest128{} && digest == digests[pair.second]) {
        pair.kind = CopyKind::kPixels;
      }
    }
    return Status();
  }

  ImagePass& reader_;
  const Hashes& hashes_;
  const unsigned threads_;
};

// The samples that are compared with all others.
std::vector<bool> WideOnes(const ComparedImages& images,
                           const NearSearch& search) {
  if (!search.distance) return images.InSmallSplits(kMostWide);
  return std::vector<bool>(static_cast<std::size_t>(images.size()),
                           *search.distance > NearLimits::kMostAny);
}

}  // namespace

bool IsCopy(double likeness, std::uint32_t distance) {
  return likeness >= 0.606 + 0.004 * distance;
}

NearWork WorkOf(const ComparedImages& images, const NearSearch& search) {
  const auto size = static_cast<double>(images.size());
  const auto wide =
      static_cast<double>(std::ranges::count(WideOnes(images, search), true));
  const double comparisons = kTurns * wide * (size - wide / 2);
  double decodes = 0;  // in seconds
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    decodes +=
        1 / (images.has_variant(i) ? kVariantsOfSecond : kPhotosOfSecond);
  }
  return {.images = images.size(),
          .comparisons = static_cast<std::uint64_t>(comparisons),
          .seconds = (decodes + comparisons / kPairsOfSecond) / search.threads};
}

Result<NearCopies> FindNearCopies(const ComparedImages& images,
                                  const NearSearch& search,
                                  UnreadImages& unread,
                                  const ProgressFunction& progress) {
  NearCopies copies;
  ImagePass reader(images, search.threads, unread, progress);
  Hashes hashes;
  {
    SHARDINE_ASSIGN_OR_RETURN(const Looks looks, LookAtAll(reader, images));
    hashes = HashesOf(looks, WideOnes(images, search), copies);
  }
  NearLimits limits;
  if (search.distance) {
    limits = {.any = std::min(*search.distance, NearLimits::kMostAny),
              .wide = *search.distance};
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const NearPairs candidates,
      FindNearPairs(hashes.hashes, hashes.is_wide, limits, search.threads));
  Judge judge(reader, hashes, search.threads);
  SHARDINE_RETURN_IF_ERROR(judge.Compare(candidates.pairs, copies.pairs));
  copies.cut = candidates.cut;
  std::ranges::sort(copies.pairs, {}, [](const LikePair& pair) {
    return std::pair(pair.first, pair.second);
  });
  return copies;
}

}  // namespace shardine
