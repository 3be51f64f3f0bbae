// croissant.json: a dataset in the Croissant vocabulary of MLCommons, 1.1:
// https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
#ifndef SHARDINE_REPORT_CROISSANT_H_
#define SHARDINE_REPORT_CROISSANT_H_

#include <string>
#include <string_view>

#include "report/card_facts.h"

namespace shardine {

// All shards with their digests; of archives a record set for each split.
// `checksums` is the text of the list of digests, which is described as well.
std::string CroissantText(const CardFacts& facts, std::string_view description,
                          std::string_view checksums);

}  // namespace shardine

#endif  // SHARDINE_REPORT_CROISSANT_H_
