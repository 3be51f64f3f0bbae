// Objects that are made: whole in one request, or, where they are large, in
// parts that appear together under the key, or not at all.
#ifndef SHARDINE_IO_S3_UPLOAD_H_
#define SHARDINE_IO_S3_UPLOAD_H_

#include <cstdint>

#include "io/readable_storage.h"
#include "io/s3_place.h"
#include "shardine/status.h"

namespace shardine {

// The treatment of an object that has the key already. A service that knows no
// conditions replaces it all the same.
enum class S3Replace : std::uint8_t { kYes, kNo };

// The treatment of unfinished uploads in parts of the same key. A run that
// holds a lease finds only uploads of runs that were killed. Without a lease
// they may belong to another attempt, which is at work: only uploads older than
// a day are ended.
enum class S3Unfinished : std::uint8_t { kEndAll, kEndOld };

// Puts the bytes of `file` there; afterwards the service has been asked for the
// object and has said that it has all of them, or that another writer's came
// after it. Each part is signed with its SHA-256, which the service checks.
//
// kAlreadyExists: kNo, and there is another object; kCancelled; kRemote. An
// upload that fails is ended: nothing is kept of it.
Status UploadToS3(const RandomAccessFile& file, const S3Place& to,
                  S3Replace replace = S3Replace::kYes,
                  S3Unfinished unfinished = S3Unfinished::kEndOld);

// The largest object that a service copies, Amazon's and others.
inline constexpr std::uint64_t kMostCopied = std::uint64_t{5} << 30;
// The service copies one of its objects. kNotFound. kAlreadyExists: kNo, and
// the service knows conditions.
Status CopyInS3(const S3Place& from, const S3Place& to, S3Replace replace);
// Removes the object; fine if there is none.
Status RemoveFromS3(const S3Place& place);

}  // namespace shardine

#endif  // SHARDINE_IO_S3_UPLOAD_H_
