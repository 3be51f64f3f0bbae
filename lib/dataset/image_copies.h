// ImageCopies: the samples of datasets whose images are the same, byte for
// byte.
#ifndef SHARDINE_DATASET_IMAGE_COPIES_H_
#define SHARDINE_DATASET_IMAGE_COPIES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset_reader.h"
#include "shardine/digest.h"
#include "shardine/job.h"
#include "shardine/split_copies.h"
#include "shardine/status.h"
#include "source/class_map.h"
#include "source/exact_copies.h"
#include "source/source_list.h"
#include "source/source_set.h"

namespace shardine {

// Takes 16 bytes of memory for each sample, and the memory of the copies. The
// datasets must outlive it. Thread-compatible.
class ImageCopies {
 public:
  struct Split {
    std::string name;
    std::uint64_t samples = 0;
  };

  explicit ImageCopies(std::vector<const DatasetReader*> datasets = {});

  struct Options {
    bool index_only = false;     // read no images: copies are unproved
    bool across_splits = false;  // find those alone that several splits have
    // Ascending positions of samples that are listed, copies or not.
    std::span<const std::uint64_t> also = {};
  };
  // Reads the indexes, then the images of the candidates. Failures are as of
  // WalkIndex() and ReadPayload().
  Status Find(const Options& options, const Job& job = {});
  // The same of files instead, which must outlive it. REQUIRES: no datasets
  // were given.
  Status FindFiles(ReadableStorage& storage, const SourceSet& files,
                   std::span<const std::uint64_t> also = {},
                   const FailedFile& failed = {});

  std::uint64_t samples() const { return samples_; }
  std::uint64_t images() const { return images_; }
  std::uint64_t bytes_read() const { return bytes_read_; }
  // The first dataset has the first of them.
  const std::vector<Split>& splits() const { return splits_; }

  // The numbers of the samples that have one image, ascending.
  struct Image {
    std::span<const std::uint32_t> members;
    bool is_proved = false;
  };
  // By the first member.
  const std::vector<Image>& images_of_several() const { return groups_; }

  // The place of a member. Positions count the samples of all datasets in
  // order.
  std::uint64_t position(std::uint32_t member) const {
    return positions_[member];
  }
  const SourceList& list() const { return list_; }
  // The names of its classes or, where there are none, its labels; empty
  // without labels.
  std::string LabelText(std::uint32_t member) const;

  // For each two splits that have a copy; of few splits for all of them, of
  // more than 100 for none.
  std::vector<SplitCopies> CountBySplits() const;
  // The members that are copies of each other: those of two images, or twice
  // those of one.
  struct ImagePair {
    std::span<const std::uint32_t> first;
    std::span<const std::uint32_t> second;
  };
  // The same of other images; a member in several pairs counts once.
  std::vector<SplitCopies> CountBySplits(
      std::span<const ImagePair> pairs) const;

 private:
  struct Row {
    std::uint64_t key = 0;
    std::uint64_t position = 0;
  };
  // How an image was compared.
  struct Mark {
    Digest128 digest;
    bool is_proved = false;

    friend bool operator==(const Mark&, const Mark&) = default;
  };

  Status ReadIndexes(const Job& job);
  std::size_t ShardOf(std::uint64_t position) const;
  std::vector<Row> TakeCandidates(const Options& options);
  Status ReadNames(std::span<const Row> candidates);
  Status ReadImages(const Job& job);
  void Group();
  // Members by their split, then by LabelText().
  using BySplit = std::map<std::uint32_t,
                           std::map<std::string, std::vector<std::uint32_t>>>;
  BySplit SplitUp(std::span<const std::uint32_t> members) const;

  const std::vector<const DatasetReader*> datasets_;
  std::vector<const ClassMap*> classes_;  // of each
  std::vector<Split> splits_;
  std::vector<std::uint64_t> first_;     // position, of each shard of all
  std::vector<std::uint32_t> split_of_;  // of the same
  std::vector<Row> rows_;
  std::uint64_t samples_ = 0;
  std::uint64_t images_ = 0;
  std::uint64_t bytes_read_ = 0;

  // By member.
  SourceList list_;
  std::vector<std::uint64_t> positions_;
  std::vector<std::uint32_t> dataset_of_;
  std::vector<std::uint64_t> sizes_;
  std::vector<bool> is_readable_;
  std::vector<Mark> marks_;
  std::vector<std::uint32_t> sorted_;  // members, those of an image together
  std::vector<Image> groups_;          // views of `sorted_`
};

// The copies that splits of a dataset share; empty if it has one split alone.
Result<std::vector<SplitCopies>> FindSplitCopies(const DatasetReader& dataset,
                                                 const Job& job);

}  // namespace shardine

#endif  // SHARDINE_DATASET_IMAGE_COPIES_H_
