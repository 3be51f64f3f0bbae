// The page of a card in Markdown.
#ifndef SHARDINE_REPORT_CARD_PAGE_H_
#define SHARDINE_REPORT_CARD_PAGE_H_

#include <string>

#include "report/card_facts.h"

namespace shardine {

// A sentence: how many samples of which classes in which splits.
std::string CardDescription(const CardFacts& facts);

std::string CardPage(const CardFacts& facts);

}  // namespace shardine

#endif  // SHARDINE_REPORT_CARD_PAGE_H_
