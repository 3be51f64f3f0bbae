// All keys below one, where there may be millions: the pages of a listing
// follow each other, and a service takes its time for each, so that the pages
// of different folders are asked for at the same time.
#ifndef SHARDINE_IO_S3_TREE_LISTING_H_
#define SHARDINE_IO_S3_TREE_LISTING_H_

#include <functional>
#include <string>

#include "io/s3_listing.h"
#include "remote/http_engine.h"
#include "remote/s3_address.h"
#include "remote/s3_answer.h"
#include "remote/s3_settings.h"
#include "shardine/status.h"

namespace shardine {

// As ListS3() of S3Depth::kAll, but that the pages come in any order. One
// request where one page has all; else at most 20 times as many as ListS3()
// makes, 64 of them at a time: trees of small folders are listed page by page.
// REQUIRES: `prefix.key` is empty or ends with a slash.
Result<HttpOutcome> ListS3Tree(
    const S3Settings& settings, const S3Address& prefix,
    const std::string& path,
    const std::function<Status(const S3Listing& page)>& take);

}  // namespace shardine

#endif  // SHARDINE_IO_S3_TREE_LISTING_H_
