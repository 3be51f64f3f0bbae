#include "io/s3_upload.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/random_token.h"
#include "io/s3_listing.h"
#include "remote/request_policy.h"
#include "remote/s3_answer.h"
#include "remote/s3_signer.h"
#include "remote/sigv4.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Amazon takes parts of 5 MiB and more, at most 10,000 of an object.
constexpr std::uint64_t kPartBytes = 16 << 20;
constexpr std::uint64_t kMostParts = 10'000;
constexpr std::size_t kPartsUnderWay = 4;
// For a service that answers 200 and reports a failure in the body.
constexpr int kMostTries = 5;

// Some answers are 200 before it is known how they end.
Status ErrorInside(const HttpOutcome& outcome, const S3Place& place) {
  const S3Error error = ParseS3Error(outcome.body);
  if (error.code.empty()) return Status();
  return Status(Code::kRemote, "200 with " + EscapeBytes(error.code) + ": " +
                                   EscapeBytes(error.message).substr(0, 160))
      .At({.path = place.path});
}

// A busy service is not asked again at once.
Status Rest(int attempt) {
  const auto now = RemoteClock::now();
  const auto draw = static_cast<std::uint64_t>(now.time_since_epoch().count());
  const auto until = now + PauseAfter(static_cast<unsigned>(attempt), draw, {});
  while (RemoteClock::now() < until) {
    if (CurrentStop().stop_requested()) {
      return Status(Code::kCancelled, "writing was stopped");
    }
    std::this_thread::sleep_for(Milliseconds(10));
  }
  return Status();
}

// Asks again while the service says so; the last answer.
Result<HttpOutcome> AskUntilDone(const S3Place& place, const S3Action& action) {
  for (int attempt = 1;; ++attempt) {
    SHARDINE_ASSIGN_OR_RETURN(HttpOutcome outcome, AskS3(place, action));
    if (!outcome.status.ok()) return outcome;
    outcome.status = ErrorInside(outcome, place);
    if (outcome.status.ok() || attempt == kMostTries) return outcome;
    SHARDINE_RETURN_IF_ERROR(Rest(attempt));
  }
}

class Upload {
 public:
  Upload(const RandomAccessFile& file, const S3Place& to, S3Replace replace,
         S3Unfinished unfinished)
      : file_(file),
        to_(to),
        replace_(replace),
        unfinished_(unfinished),
        mark_(RandomToken()) {}

  Status Run() {
    const Status sent = file_.size() <= kPartBytes ? PutWhole() : PutInParts();
    SHARDINE_RETURN_IF_ERROR(sent);
    return Check();
  }

 private:
  struct Part {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
    std::uint64_t number = 0;  // from 1
    HttpOutcome outcome = {};
  };

  S3Action Condition(S3Action action) const {
    if (replace_ == S3Replace::kNo) action.headers["if-none-match"] = "*";
    return action;
  }

  Status PutWhole() {
    Part whole;
    SHARDINE_RETURN_IF_ERROR(Read(0, file_.size(), whole));
    S3Action action = Condition({.method = "PUT"});
    action.headers["x-amz-meta-shardine"] = mark_;
    action.body = {whole.bytes.get(), whole.size};
    SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome outcome, AskS3(to_, action));
    return Judge(outcome);
  }

  Status PutInParts() {
    SHARDINE_RETURN_IF_ERROR(EndAbandoned());
    SHARDINE_ASSIGN_OR_RETURN(
        const HttpOutcome begun,
        AskS3(to_, {.method = "POST",
                    .query = "uploads=",
                    .headers = {{"x-amz-meta-shardine", mark_}}}));
    SHARDINE_RETURN_IF_ERROR(begun.status);
    SHARDINE_ASSIGN_OR_RETURN(id_, ParseS3UploadId(begun.body));
    Status status = SendParts();
    if (status.ok()) status = Complete();
    if (!status.ok()) End(id_);
    return status;
  }

  // A failure here leaves an upload that costs money and does no other harm.
  void End(const std::string& id) const {
    static_cast<void>(
        AskS3AtEnd(to_, {.method = "DELETE", .query = QueryOf(id)}));
  }

  static std::string QueryOf(const std::string& id) {
    return "uploadId=" + EncodeForSigning(id, false);
  }

  Status EndAbandoned() const {
    const S3Place bucket{.settings = to_.settings,
                         .address = {.bucket = to_.address.bucket, .key = {}},
                         .path = to_.path};
    SHARDINE_ASSIGN_OR_RETURN(
        const HttpOutcome outcome,
        AskS3(bucket,
              {.query = "prefix=" + EncodeForSigning(to_.address.key, false) +
                        "&uploads="}));
    // A writer may have no right to list, or the service has no such list.
    if (!outcome.status.ok()) {
      return outcome.status.code() == Code::kCancelled ? outcome.status
                                                       : Status();
    }
    const auto uploads = ParseS3Uploads(outcome.body, to_.address.key);
    if (!uploads.ok()) return Status();
    for (const S3Upload& upload : *uploads) {
      if (MayEnd(upload, outcome)) End(upload.id);
    }
    return Status();
  }

  // Compares times by the clock of the service.
  bool MayEnd(const S3Upload& upload, const HttpOutcome& answer) const {
    constexpr std::int64_t kDay = 86'400;
    if (unfinished_ == S3Unfinished::kEndAll) return true;
    return upload.initiated && answer.date &&
           *answer.date - *upload.initiated > kDay;
  }

  std::uint64_t PartBytes() const {
    return std::max(kPartBytes, file_.size() / kMostParts + 1);
  }

  Status Read(std::uint64_t first, std::uint64_t size, Part& part) const {
    if (part.size != size) {
      part.bytes = std::make_unique_for_overwrite<std::byte[]>(size);
      part.size = size;
    }
    return file_.ReadExactly(first, {part.bytes.get(), part.size});
  }

  // Some at a time: the slowest of them holds the others up for a moment.
  Status SendParts() {
    std::vector<Part> parts(kPartsUnderWay);
    const std::uint64_t step = PartBytes();
    for (std::uint64_t at = 0; at < file_.size();) {
      std::size_t count = 0;
      for (; count < parts.size() && at < file_.size(); ++count, at += step) {
        parts[count].number = at / step + 1;
        SHARDINE_RETURN_IF_ERROR(
            Read(at, std::min(step, file_.size() - at), parts[count]));
      }
      SHARDINE_RETURN_IF_ERROR(Send(std::span(parts).first(count)));
    }
    return Status();
  }

  Status Send(std::span<Part> parts) {
    SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine,
                              HttpEngine::OfProcess());
    std::vector<HttpRequest> requests;
    for (const Part& part : parts) {
      SHARDINE_ASSIGN_OR_RETURN(
          HttpRequest request,
          MakeS3Request(
              to_, {.method = "PUT",
                    .query = "partNumber=" + std::to_string(part.number) + "&" +
                             QueryOf(id_),
                    .body = {part.bytes.get(), part.size}}));
      requests.push_back(std::move(request));
    }
    std::vector<HttpOutcome> outcomes =
        engine->GetAll(std::move(requests), CurrentStop());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].outcome = std::move(outcomes[i]);
    }
    for (const Part& part : parts) {
      SHARDINE_RETURN_IF_ERROR(part.outcome.status);
      const std::string& etag = part.outcome.facts.etag;
      if (etag.empty() || etag.find_first_of("<>&") != etag.npos) {
        return Status(Code::kRemote, "a part that was taken without an ETag")
            .At({.path = to_.path});
      }
      list_ += "<Part><PartNumber>" + std::to_string(part.number) +
               "</PartNumber><ETag>" + etag + "</ETag></Part>";
    }
    return Status();
  }

  Status Complete() {
    const std::string text =
        "<CompleteMultipartUpload>" + list_ + "</CompleteMultipartUpload>";
    SHARDINE_ASSIGN_OR_RETURN(
        const HttpOutcome outcome,
        AskUntilDone(to_, Condition({.method = "POST",
                                     .query = QueryOf(id_),
                                     .body = std::as_bytes(std::span(text))})));
    return Judge(outcome);
  }

  // A request whose answer was lost is sent again, and finds its own result.
  Status Judge(const HttpOutcome& outcome) const {
    const bool is_taken = outcome.http_status == kHttpPreconditionFailed;
    const bool is_gone = outcome.http_status == kHttpNotFound && !id_.empty();
    if (!is_taken && !is_gone) return outcome.status;
    SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome there, LookAtS3(to_));
    if (there.status.ok() && there.facts.mark == mark_) return Status();
    if (!is_taken) return outcome.status;
    return Status(Code::kAlreadyExists, "another object has the name already")
        .At({.path = to_.path});
  }

  Status Check() const {
    SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome there, LookAtS3(to_));
    SHARDINE_RETURN_IF_ERROR(there.status);
    // An object of another writer came after this one, and says nothing of it.
    const bool is_another =
        !there.facts.mark.empty() && there.facts.mark != mark_;
    if (is_another || there.facts.size == file_.size()) return Status();
    return Status(Code::kRemote, "the service has " +
                                     std::to_string(there.facts.size) +
                                     " of the " + std::to_string(file_.size()) +
                                     " bytes that it was sent")
        .At({.path = to_.path});
  }

  const RandomAccessFile& file_;
  const S3Place& to_;
  const S3Replace replace_;
  const S3Unfinished unfinished_;
  // Tells this upload from all others, so that an upload whose answer was lost
  // is not taken for another writer's object.
  const std::string mark_;
  std::string id_;    // of an upload in parts
  std::string list_;  // its parts, as the service wants to be told
};

}  // namespace

Status UploadToS3(const RandomAccessFile& file, const S3Place& to,
                  S3Replace replace, S3Unfinished unfinished) {
  return Upload(file, to, replace, unfinished).Run();
}

Status CopyInS3(const S3Place& from, const S3Place& to, S3Replace replace) {
  const std::string source = "/" + from.address.bucket + "/" +
                             EncodeForSigning(from.address.key, true);
  S3Action action{.method = "PUT", .headers = {{"x-amz-copy-source", source}}};
  if (replace == S3Replace::kNo) action.headers["if-none-match"] = "*";
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome outcome,
                            AskUntilDone(to, action));
  if (outcome.http_status != kHttpPreconditionFailed) return outcome.status;
  return Status(Code::kAlreadyExists, "another object has the name already")
      .At({.path = to.path});
}

Status RemoveFromS3(const S3Place& place) {
  SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome outcome,
                            AskS3(place, {.method = "DELETE"}));
  return outcome.status.code() == Code::kNotFound ? Status() : outcome.status;
}

}  // namespace shardine
