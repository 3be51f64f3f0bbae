// PictureTally: how large, wide and heavy the images of a dataset are, and of
// which kinds, by the header facts in the indexes.
#ifndef SHARDINE_REPORT_PICTURE_TALLY_H_
#define SHARDINE_REPORT_PICTURE_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shard/shard_index.h"

namespace shardine {

// Counts in the order in which a page shows them.
struct Histogram {
  struct Bar {
    std::string label;
    std::uint64_t count = 0;

    friend bool operator==(const Bar&, const Bar&) = default;
  };
  std::string name;
  std::vector<Bar> bars;
};

// Thread-compatible.
class PictureTally {
 public:
  PictureTally();

  void Add(const IndexEntry& entry);
  // Adds facts that only the bytes of a shown image tell.
  void AddBytes(ByteView image);

  std::uint64_t images() const { return images_; }
  // Histograms of all images, then of those whose bytes were read. A histogram
  // without counts is left out.
  std::vector<Histogram> histograms() const;

 private:
  // Bars between ascending limits, the last without an upper one.
  struct Bins {
    std::string name;
    std::vector<double> limits;
    std::vector<std::string> labels;  // one more than limits
    std::vector<std::uint64_t> counts = {};

    void Add(double value);
  };
  struct Words {
    std::string name;
    std::map<std::string, std::uint64_t> counts = {};
  };

  void AddSides(const ImageFacts& facts, std::uint64_t bytes);
  void AddTraits(const ImageFacts& facts);

  std::uint64_t images_ = 0;
  Bins short_side_;
  Bins aspect_;
  Bins bytes_;
  Bins bits_per_pixel_;
  Bins quality_;
  Words kinds_{.name = "Kinds"};
  Words channels_{.name = "Channels"};
  Words traits_{.name = "Traits"};
  Words chroma_{.name = "Chroma subsampling"};
};

// The quality of libjpeg's scale, 1 to 100, whose luma table is nearest to that
// of the JPEG; 0: the bytes have no such table.
int JpegQualityOf(ByteView jpeg);

}  // namespace shardine

#endif  // SHARDINE_REPORT_PICTURE_TALLY_H_
