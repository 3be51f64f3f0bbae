#include "io/http_file.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/range_plan.h"

namespace shardine {
namespace {

// The first request's bytes hold most manifests, and the headers of indexes.
constexpr std::size_t kFirstBytes = 32 << 10;
// In larger files the next read is not of the first bytes.
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
    // After the last count the pieces and the latch may be gone.
    if (whole > 0) done_.count_down(whole);
  }

 private:
  std::mutex mutex_;
  const std::span<Piece> pieces_;    // guarded by mutex_
  std::vector<std::uint32_t> left_;  // ranges of each; guarded by mutex_
  std::latch& done_;
};

}  // namespace

HttpFile::HttpFile(std::string path, HttpRequest request, ObjectFacts facts,
                   std::string head)
    : path_(std::move(path)),
      request_(std::move(request)),
      facts_(std::move(facts)),
      head_(std::move(head)) {}

Result<std::unique_ptr<RandomAccessFile>> HttpFile::Open(
    const std::string& path, HttpRequest request, std::uint64_t whole) {
  const Status folder =
      Status(Code::kUnsupported, "not a file").At({.path = path});
  if (request.url.ends_with('/')) return folder;
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  std::string head(std::max<std::uint64_t>(kFirstBytes, whole), '\0');
  request.name = path;
  HttpRequest first = request;
  first.question = {.ask = Ask::kFirst, .first = 0, .size = head.size()};
  first.segments = {{0, std::as_writable_bytes(std::span(head))}};
  HttpOutcome outcome = engine->Get(std::move(first), CurrentStop());
  // Checked before the status: the page of a folder, which is no part of a
  // file, may be wrong in other ways.
  if (outcome.is_folder) return folder;
  SHARDINE_RETURN_IF_ERROR(outcome.status);
  const std::uint64_t keeps = std::max(kKeepsHead, whole);
  head.resize(outcome.facts.size <= keeps ? outcome.received : 0);
  head.shrink_to_fit();
  return std::unique_ptr<RandomAccessFile>(new HttpFile(
      path, std::move(request), std::move(outcome.facts), std::move(head)));
}

Result<std::size_t> HttpFile::ReadAt(std::uint64_t offset,
                                     std::span<std::byte> out) const {
  return ReadOnePiece(*this, offset, out);
}

// Whether the piece ended here: it is in the first bytes, or outside the file.
bool HttpFile::TakeFromHead(const Piece& piece) const {
  if (!uses_head_ || piece.offset > head_.size() ||
      piece.out.size() > head_.size() - piece.offset) {
    return false;
  }
  if (!piece.out.empty()) {
    std::memcpy(piece.out.data(), head_.data() + piece.offset,
                piece.out.size());
  }
  return true;
}

// Whether the piece was left to a range that was asked for in advance, and
// will be done when that has come.
bool HttpFile::TakeFromAhead(Piece& piece, std::latch& done) const {
  auto range = ahead_.Find(piece.offset, piece.out.size());
  if (range == nullptr) return false;
  AheadRange& found = *range;
  found.WhenEnded([this, &piece, &done, range = std::move(range),
                   stop = CurrentStop()](bool came) {
    if (came) {
      range->Copy(piece.offset, piece.out);
      done.count_down();
    } else {
      constexpr std::size_t kThis[] = {0};
      Ask(std::span(&piece, 1), kThis, done, stop);
    }
  });
  return true;
}

HttpRequest HttpFile::RequestFor(std::uint64_t first,
                                 std::uint64_t size) const {
  HttpRequest request = request_;
  request.question.ask = Ask::kRange;
  request.question.first = first;
  request.question.size = size;
  request.question.facts = facts_;
  return request;
}

// `which` of the pieces: each lies in the file, and is not empty.
void HttpFile::Ask(std::span<Piece> pieces, std::span<const std::size_t> which,
                   std::latch& done, const std::stop_token& stop,
                   bool anew) const {
  if (which.empty()) return;
  const Result<HttpEngine*> engine = HttpEngine::OfProcess();
  if (!engine.ok()) {
    for (const std::size_t i : which) pieces[i].status = engine.status();
    done.count_down(static_cast<std::ptrdiff_t>(which.size()));
    return;
  }
  std::vector<Piece> asked;
  for (const std::size_t i : which) asked.push_back(pieces[i]);
  const auto batch = std::make_shared<Batch>(pieces, done);
  std::vector<PlannedRange> ranges = PlanRanges(asked);
  for (PlannedRange& range : ranges) {
    for (std::size_t& piece : range.pieces) piece = which[piece];
    batch->Expect(range);
  }
  std::vector<HttpEngine::Order> orders;
  for (PlannedRange& range : ranges) {
    HttpRequest request = RequestFor(range.first, range.size);
    request.segments = std::move(range.segments);
    request.anew = anew;
    orders.push_back({.request = std::move(request),
                      .done = [batch, of = std::move(range.pieces)](
                                  const HttpOutcome& outcome) {
                        batch->End(of, outcome.status);
                      }});
  }
  (*engine)->StartAll(std::move(orders), stop);
}

void HttpFile::StartReads(std::span<Piece> pieces, std::latch& done) const {
  std::vector<std::size_t> asked;
  std::ptrdiff_t ended = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const std::uint64_t rest = size() - std::min(piece.offset, size());
    if (piece.out.size() > rest) {
      piece.status = Status(Code::kCorrupt, "file ends early")
                         .At({.path = path_, .offset = piece.offset});
      ++ended;
    } else if (piece.out.empty() || TakeFromHead(piece)) {
      ++ended;
    } else {
      asked.push_back(i);
    }
  }
  std::erase_if(asked,
                [&](std::size_t i) { return TakeFromAhead(pieces[i], done); });
  // After the last count, pieces and latch may be gone.
  Ask(pieces, asked, done, CurrentStop());
  if (ended > 0) done.count_down(ended);
}

bool HttpFile::ReadAgain(std::span<Piece> pieces) const {
  for (const Piece& piece : pieces) Forget(piece.offset, piece.out.size());
  std::vector<std::size_t> all(pieces.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::latch done(static_cast<std::ptrdiff_t>(pieces.size()));
  Ask(pieces, all, done, CurrentStop(), /*anew=*/true);
  done.wait();
  return true;
}

void HttpFile::Forget(std::uint64_t offset, std::uint64_t size) const {
  if (offset < head_.size()) uses_head_ = false;
  ahead_.Forget(offset, size);
}

std::shared_ptr<const void> HttpFile::ReadAhead(std::uint64_t offset,
                                                std::uint64_t size,
                                                std::uint64_t& room) const {
  const bool is_inside =
      offset <= this->size() && size <= this->size() - offset;
  if (!is_inside || size == 0 || size > room) return nullptr;
  // Windows of a rank lie among each other: bytes between its samples may have
  // been asked for already.
  if (auto asked = ahead_.Find(offset, size)) return asked;
  const Result<HttpEngine*> engine = HttpEngine::OfProcess();
  if (!engine.ok()) return nullptr;
  room -= size;
  const auto range = std::make_shared<AheadRange>(offset, size);
  ahead_.Add(offset, range);
  HttpRequest request = RequestFor(offset, size);
  request.segments = {{offset, range->room()}};
  (*engine)->Start(
      std::move(request), CurrentStop(),
      [range](const HttpOutcome& outcome) { range->End(outcome.status.ok()); });
  return range;
}

}  // namespace shardine
