// The head of a card in YAML, as Hugging Face's hub and library read it.
#ifndef SHARDINE_REPORT_CARD_HEAD_H_
#define SHARDINE_REPORT_CARD_HEAD_H_

#include <string>

#include "report/card_facts.h"

namespace shardine {

// Between two lines of three dashes.
std::string CardHead(const CardFacts& facts);

}  // namespace shardine

#endif  // SHARDINE_REPORT_CARD_HEAD_H_
