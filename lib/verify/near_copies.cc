#include "verify/near_copies.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "image/image_decode.h"
#include "image/small_image.h"
#include "pipeline/parallel_for.h"
#include "shard/image_array.h"
#include "shardine/digest.h"

namespace shardine {
namespace {

constexpr std::size_t kReadPiece = 16;  // images read together
constexpr std::size_t kMostSmall = std::size_t{1} << 16;  // small images
constexpr std::uint64_t kMostWide = 50000;  // samples of small splits
constexpr int kLeastQuality = 5;

Status MakeSmall(const FieldView& image, SmallImages& maker,
                 SmallImage& small) {
  if (image.dtype == kBytesDtype && image.shape.empty()) {
    return maker.Make(image.bytes, small);
  }
  const auto array = ImageArrayOf(image.dtype, image.shape);
  if (!array || array->channels == 4) return NotAnImage(image);
  maker.Shrink(
      {reinterpret_cast<const std::uint8_t*>(image.bytes.data()), array->size,
       array->channels, std::size_t{array->size.width} * array->channels},
      small);
  return Status();
}

// Of all pixels of the image, in color.
Result<Digest128> DigestOfPixels(const FieldView& image) {
  Xxh3Stream stream;
  if (image.dtype == kBytesDtype && image.shape.empty()) {
    PixelBuffer pixels;
    SHARDINE_RETURN_IF_ERROR(
        DecodeImage(image.bytes, {.color = ColorMode::kColor}, pixels)
            .status());
    stream.UpdateLe(pixels.size().width);
    stream.Update(pixels.bytes());
  } else {
    for (const std::uint64_t side : image.shape) stream.UpdateLe(side);
    stream.Update(image.bytes);
  }
  return stream.Digest();
}

// Reads images in pieces, by several threads.
class ImageReader {
 public:
  ImageReader(const AuditedImages& images, unsigned threads, const Job& job)
      : images_(images), threads_(threads), job_(job) {}

  // look(i, image) returns whether the image could be looked at.
  template <typename MakeLook>
  Status ForEach(std::span<const std::uint64_t> positions,
                 const MakeLook& make_look) {
    const std::stop_token stop = CurrentStop();
    const std::size_t pieces = (positions.size() + kReadPiece - 1) / kReadPiece;
    std::uint64_t done = 0;
    std::mutex mutex;
    return ParallelFor(pieces, threads_, [&](std::size_t piece) -> Status {
      const StopScope scope(stop);
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      const std::size_t begin = piece * kReadPiece;
      const std::size_t count = std::min(kReadPiece, positions.size() - begin);
      auto look = make_look();
      SHARDINE_RETURN_IF_ERROR(images_.Read(
          positions.subspan(begin, count),
          [&](std::size_t i, const FieldView& image) {
            look(begin + i, image);
          },
          [](std::size_t, const Status&) {}));
      const std::lock_guard lock(mutex);
      done += count;
      if (job_.progress) {
        job_.progress({.samples = done, .samples_total = positions.size()});
      }
      return Status();
    });
  }

 private:
  const AuditedImages& images_;
  const unsigned threads_;
  const Job& job_;
};

enum class HashState : std::uint8_t { kUndecoded, kPlain, kThere };

struct Hashes {
  std::vector<PdqHash> hashes;
  std::vector<std::uint64_t> positions;
};

Result<Hashes> HashAll(ImageReader& reader, std::uint64_t size,
                       NearCopies& copies) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Hashes made{.hashes = std::vector<PdqHash>(all.size()), .positions = {}};
  std::vector<HashState> states(all.size());
  const auto make_look = [&] {
    return [&, maker = SmallImages()](std::size_t i,
                                      const FieldView& image) mutable {
      SmallImage small;
      if (!MakeSmall(image, maker, small).ok()) return;
      made.hashes[i] = PdqHashOf(small);
      states[i] = PdqQualityOf(small) < kLeastQuality ? HashState::kPlain
                                                      : HashState::kThere;
    };
  };
  SHARDINE_RETURN_IF_ERROR(reader.ForEach(all, make_look));
  for (std::size_t i = 0; i < all.size(); ++i) {
    copies.undecoded += states[i] == HashState::kUndecoded ? 1 : 0;
    copies.plain += states[i] == HashState::kPlain ? 1 : 0;
    if (states[i] != HashState::kThere) continue;
    made.hashes[made.positions.size()] = made.hashes[i];
    made.positions.push_back(i);
  }
  made.hashes.resize(made.positions.size());
  return made;
}

// Compares the pixels of candidates, as many at a time as are held in memory.
class Judge {
 public:
  Judge(ImageReader& reader, const Hashes& hashes, unsigned threads)
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

  // Positions of images that were there for a hash and not for this.
  const std::set<std::uint64_t>& gone() const { return gone_; }

 private:
  std::uint64_t Position(std::uint32_t hash) const {
    return hashes_.positions[hash];
  }

  Status CompareHeld(std::span<const NearPair> pairs,
                     const std::vector<std::uint64_t>& positions,
                     std::vector<LikePair>& copies) {
    std::vector<SmallImage> small(positions.size());
    std::vector<std::uint8_t> is_there(positions.size());
    SHARDINE_RETURN_IF_ERROR(reader_.ForEach(positions, [&] {
      return [&, maker = SmallImages()](std::size_t i,
                                        const FieldView& image) mutable {
        is_there[i] = MakeSmall(image, maker, small[i]).ok() ? 1 : 0;
      };
    }));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (is_there[i] == 0) gone_.insert(positions[i]);
    }
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
          } else if (IsCopy(LikenessOf(first, second), pairs[i].distance)) {
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
    SHARDINE_RETURN_IF_ERROR(reader_.ForEach(positions, [&] {
      return [&](std::size_t i, const FieldView& image) {
        const auto digest = DigestOfPixels(image);
        if (digest.ok()) *to[i] = *digest;
      };
    }));
    for (const auto& [position, digest] : digests) {
      if (digest == Digest128{}) gone_.insert(position);
    }
    for (LikePair& pair : equal) {
      const Digest128& digest = digests[pair.first];
      pair.has_same_pixels =
          digest != Digest128{} && digest == digests[pair.second];
    }
    return Status();
  }

  ImageReader& reader_;
  const Hashes& hashes_;
  const unsigned threads_;
  std::set<std::uint64_t> gone_;
};

}  // namespace

bool IsCopy(double likeness, std::uint32_t distance) {
  return likeness >= 0.594 + 0.004 * distance;
}

Result<NearCopies> FindNearCopies(const AuditedImages& images, unsigned threads,
                                  const Job& job) {
  NearCopies copies;
  ImageReader reader(images, threads, job);
  SHARDINE_ASSIGN_OR_RETURN(const Hashes hashes,
                            HashAll(reader, images.size(), copies));
  const std::vector<bool> small = images.InSmallSplits(kMostWide);
  std::vector<bool> is_wide;
  for (const std::uint64_t position : hashes.positions) {
    is_wide.push_back(small[static_cast<std::size_t>(position)]);
  }
  SHARDINE_ASSIGN_OR_RETURN(const NearPairs candidates,
                            FindNearPairs(hashes.hashes, is_wide, threads));
  Judge judge(reader, hashes, threads);
  SHARDINE_RETURN_IF_ERROR(judge.Compare(candidates.pairs, copies.pairs));
  copies.undecoded += judge.gone().size();
  copies.cut = candidates.cut;
  std::ranges::sort(copies.pairs, {}, [](const LikePair& pair) {
    return std::pair(pair.first, pair.second);
  });
  return copies;
}

}  // namespace shardine
