#include "io/http_file.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/range_plan.h"
#include "remote/url.h"

namespace shardine {
namespace {

// What the first request asks for: most manifests, and the headers of indexes.
constexpr std::size_t kFirstBytes = 32 << 10;
// Of larger files the first bytes are not what is read next.
constexpr std::uint64_t kKeepsHead = 1 << 20;

// The pieces of one StartReads(), until the last range of each has come.
class Batch {
 public:
  Batch(std::span<Piece> pieces, std::latch& done)
      : pieces_(pieces), left_(pieces.size()), done_(done) {}

  void Expect(const PlannedRange& range) {
    for (const std::size_t piece : range.pieces) ++left_[piece];
  }

  void End(const std::vector<std::size_t>& pieces, const Status& status) {
    std::ptrdiff_t whole = 0;
    {
      const std::lock_guard lock(mutex_);
      for (const std::size_t i : pieces) {
        if (pieces_[i].status.ok()) pieces_[i].status = status;
        whole += --left_[i] == 0 ? 1 : 0;
      }
    }
    // With the last of them the pieces and the latch may be gone.
    if (whole > 0) done_.count_down(whole);
  }

 private:
  std::mutex mutex_;
  const std::span<Piece> pieces_;    // guarded by mutex_
  std::vector<std::uint32_t> left_;  // ranges of each; guarded by mutex_
  std::latch& done_;
};

}  // namespace

HttpFile::HttpFile(std::string path, std::string url, ObjectFacts facts,
                   std::string head)
    : path_(std::move(path)),
      url_(std::move(url)),
      facts_(std::move(facts)),
      head_(std::move(head)) {}

Result<std::unique_ptr<RandomAccessFile>> HttpFile::Open(
    const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const Url url, ParseUrl(path));
  const Status folder =
      Status(Code::kUnsupported, "not a file").At({.path = path});
  if (url.path.ends_with('/')) return folder;
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  std::string head(kFirstBytes, '\0');
  HttpRequest request;
  request.url = url.text();
  request.name = path;
  request.question.ask = Ask::kFirst;
  request.question.size = kFirstBytes;
  request.segments = {{0, std::as_writable_bytes(std::span(head))}};
  HttpOutcome outcome = engine->Get(std::move(request), CurrentStop());
  // Before what its page, which is no part of a file, may be wrong in.
  if (outcome.is_folder) return folder;
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  head.resize(outcome.facts.size <= kKeepsHead ? outcome.received : 0);
  head.shrink_to_fit();
  return std::unique_ptr<RandomAccessFile>(new HttpFile(
      path, url.text(), std::move(outcome.facts), std::move(head)));
}

Result<std::size_t> HttpFile::ReadAt(std::uint64_t offset,
                                     std::span<std::byte> out) const {
  const std::uint64_t rest = size() - std::min(offset, size());
  out = out.first(std::min<std::uint64_t>(out.size(), rest));
  Piece piece{.file = this, .offset = offset, .out = out};
  ReadMany(std::span(&piece, 1));
  SHARDINE_RETURN_IF_ERROR(piece.status);
  return out.size();
}

// Whether the piece ended here: it is in the first bytes, or outside the file.
bool HttpFile::TakeFromHead(const Piece& piece) const {
  if (piece.offset > head_.size() ||
      piece.out.size() > head_.size() - piece.offset) {
    return false;
  }
  if (!piece.out.empty()) {
    std::memcpy(piece.out.data(), head_.data() + piece.offset,
                piece.out.size());
  }
  return true;
}

void HttpFile::StartReads(std::span<Piece> pieces, std::latch& done) const {
  std::vector<Piece> asked;
  std::vector<std::size_t> places;
  std::ptrdiff_t ended = 0;
  const Result<HttpEngine*> engine = HttpEngine::OfProcess();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const std::uint64_t rest = size() - std::min(piece.offset, size());
    if (piece.out.size() > rest) {
      piece.status = Status(Code::kCorrupt, "file ends early")
                         .At({.path = path_, .offset = piece.offset});
    } else if (!engine.ok()) {
      piece.status = engine.status();
    } else if (!piece.out.empty() && !TakeFromHead(piece)) {
      asked.push_back(piece);
      places.push_back(i);
      continue;
    }
    ++ended;
  }
  const auto batch = std::make_shared<Batch>(pieces, done);
  std::vector<PlannedRange> ranges = PlanRanges(asked);
  for (PlannedRange& range : ranges) {
    for (std::size_t& piece : range.pieces) piece = places[piece];
    batch->Expect(range);
  }
  if (ended > 0) done.count_down(ended);
  for (PlannedRange& range : ranges) {
    HttpRequest request;
    request.url = url_;
    request.name = path_;
    request.question.ask = Ask::kRange;
    request.question.first = range.first;
    request.question.size = range.size;
    request.question.facts = facts_;
    request.segments = std::move(range.segments);
    (*engine)->Start(
        std::move(request), CurrentStop(),
        [batch, of = std::move(range.pieces)](const HttpOutcome& outcome) {
          batch->End(of, outcome.status);
        });
  }
}

}  // namespace shardine
