// CardSeal: the last line of a card's page, which tells an unchanged card of
// this dataset from all other files.
#ifndef SHARDINE_DATASET_CARD_SEAL_H_
#define SHARDINE_DATASET_CARD_SEAL_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// The XXH3-128 of each file of a card and of the dataset's manifest
// (shardine.json), by name, in hex digits. The page's is of all but this line.
// Cards of versions before lack the one of the manifest.
using CardSeal = std::map<std::string, std::string, std::less<>>;

std::string SealLine(const CardSeal& seal);

// nullopt: the page does not end with a seal.
std::optional<CardSeal> SealOf(std::string_view page);
// Whether the page is as it was sealed.
bool IsSealed(std::string_view page, const CardSeal& seal);

}  // namespace shardine

#endif  // SHARDINE_DATASET_CARD_SEAL_H_
