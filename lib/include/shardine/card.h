// Card: the files that a dataset is published with, for people and for
// programs that know nothing of shardine.
#ifndef SHARDINE_CARD_H_
#define SHARDINE_CARD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

// The files of a card.
inline constexpr char kCardName[] = "README.md";
inline constexpr char kCroissantName[] = "croissant.json";
inline constexpr char kChecksumsName[] = "manifest-sha256.txt";

struct CardOptions {
  std::string dataset = {};   // folder, manifest or address
  std::string output = {};    // folder of the card; empty: the dataset's
  std::string name = {};      // empty: its folder's
  std::string license = {};   // an identifier ("cc-by-4.0") or an address
  std::string citation = {};  // a file of text, BibTeX say; empty: none
  bool overwrite = false;     // files that are no unchanged card give way, too
  unsigned threads = 0;
};

struct CardResult {
  std::vector<std::string> written = {};  // paths
  std::vector<std::string> kept = {};     // paths of those that held the same
  std::uint64_t samples = 0;              // of the dataset
  std::uint64_t files = 0;                // that were digested
  std::uint64_t bytes = 0;                // of them
};

// Reads all files of the dataset and of its variants, and writes three files:
// a page with the head that Hugging Face's hub reads, a description in the
// Croissant vocabulary, and the SHA-256 of each file. The same dataset, options
// and version give the same bytes. kCorrupt: a file is not the one that the
// manifest names, and nothing is written. kInvalidArgument: a file of the same
// name is no unchanged card, or a dataset on a server needs an output.
Result<CardResult> Card(const CardOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_CARD_H_
