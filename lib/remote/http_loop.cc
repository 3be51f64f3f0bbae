#include "remote/http_loop.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "base/philox.h"
#include "base/stderr_line.h"
#include "remote/kept_tries.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr Milliseconds kWatch{20};
// A short need of memory, such as another program's start, goes by.
constexpr Milliseconds kMemoryPatience{2'000};
// Without progress of a request, and between two words on any.
constexpr Milliseconds kLate{10'000};
constexpr int kIdleMs = 60'000;

Milliseconds Since(RemoteClock::time_point then, RemoteClock::time_point now) {
  return std::chrono::duration_cast<Milliseconds>(now - then);
}

// The failure, its object, and the number of tries.
Status StatusOf(const HttpFetch& fetch, const TransferEnd& end) {
  const HttpQuestion& question = fetch.request.question;
  const auto seconds = Since(fetch.begun, RemoteClock::now()).count() / 1'000;
  std::string message = end.words.empty() ? "no answer" : end.words;
  std::string details;
  if (question.ask == Ask::kRange) {
    details = "bytes " + std::to_string(question.first) + " to " +
              std::to_string(question.first + question.size - 1);
  }
  if (fetch.tries > 1) {
    details += (details.empty() ? "" : ", ") + std::to_string(fetch.tries) +
               " tries in " + std::to_string(seconds) + " s";
  }
  if (!fetch.request_id.empty()) {
    details += (details.empty() ? "" : ", ") + ("request " + fetch.request_id);
  }
  if (!details.empty()) message += " (" + details + ")";
  if (end.kind == TransferEnd::kChanged && fetch.request.only_reads()) {
    message = "changed while it was read: " + message;
  }
  Where where{.path = fetch.request.name};
  if (question.ask == Ask::kRange) where.offset = question.first;
  return Status(end.code, message).At(where);
}

std::uint64_t BytesAsked(const HttpRequest& request) {
  if (request.question.ask == Ask::kWhole) return UINT64_MAX;
  std::uint64_t bytes = 0;
  for (const BodySegment& each : request.segments) bytes += each.out.size();
  return bytes;
}

// As in RemoteStats::failed_tries.
std::string ReasonOf(const TransferEnd& end, int status) {
  if (end.kind == TransferEnd::kChanged) return "changed";
  if (end.kind == TransferEnd::kWrong) return "wrong answer";
  const bool is_good = status == 200 || status == 206;
  if (status != 0 && !is_good) return std::to_string(status);
  return is_good ? "ended early" : "connection";
}

Status NoMemory(HttpFetch& fetch) { return std::move(fetch.no_memory); }

Status Ended(HttpFetch& fetch) {
  const char* const what = fetch.request.only_reads() ? "reading" : "writing";
  return Status(Code::kCancelled, std::string(what) + " was stopped")
      .At({.path = fetch.request.name});
}

}  // namespace

HttpEngine::Loop::Loop(const CurlLibrary& curl, const RequestLimits& limits,
                       ConnectionSettings settings)
    : curl_(curl),
      limits_(limits),
      settings_(std::move(settings)),
      multi_(curl.multi_init()),
      slots_(limits.requests) {
  if (multi_ == nullptr) return;
  idle_.reserve(2 * limits.requests);
  // By default it keeps four times as many connections as are in use, and fewer
  // than there were when most are idle.
  curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS,
                     static_cast<long>(limits.requests));
}

HttpEngine::Loop::~Loop() {
  if (thread_.joinable()) thread_.join();
  curl_.multi_cleanup(multi_);
}

void HttpEngine::Loop::StartThread() {
  // Signals are for the threads of the program; SIGPIPE of a connection that
  // was cut must not end the process.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void HttpEngine::Loop::Add(HttpFetches fetches) {
  {
    const std::lock_guard lock(mutex_);
    if (!shut_) {
      new_.splice(new_.end(), fetches);
      Wake();
      return;
    }
  }
  for (const auto& fetch : fetches) {
    Complete(*fetch, {.status = Ended(*fetch)});
  }
}

void HttpEngine::Loop::Shut() {
  {
    const std::lock_guard lock(mutex_);
    shut_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
}

// A turn that finds no memory ends early: a later one takes up the rest, at the
// latest when a try has stalled. Where no turn finds any for long all requests
// fail, which takes no memory.
void HttpEngine::Loop::Run() {
  constexpr Milliseconds kWithoutMemory{20};
  bool fails = false;  // each turn, since then
  Time since{};
  for (bool is_over = false; !is_over;) {
    try {
      if (fails && RemoteClock::now() - since > kMemoryPatience) {
        EndAll(NoMemory);
      }
      is_over = Turn();
      fails = false;
      if (is_over) EndAll(Ended);
    } catch (const std::exception&) {
      is_over = false;
      if (!std::exchange(fails, true)) since = RemoteClock::now();
      std::this_thread::sleep_for(kWithoutMemory);
    }
  }
}

bool HttpEngine::Loop::Turn() {
  const Time now = RemoteClock::now();
  TakeNew(now);
  int running = 0;
  curl_.multi_perform(multi_, &running);
  TakeEnds(RemoteClock::now());
  if (now - watched_ >= kWatch) {
    watched_ = now;
    for (const auto& fetch : active_) {
      if (!fetch->ended) Watch(*fetch, now);
    }
    // Requests that wait for their turn are stopped as well.
    for (const auto& fetch : waiting_) {
      if (fetch->stop.stop_requested()) Watch(*fetch, now);
    }
  }
  bool more = ended_ > 0 && !waiting_.empty();
  if (std::exchange(ended_, 0) > 0) {
    const auto is_over = [](const auto& fetch) { return fetch->ended; };
    std::erase_if(active_, is_over);
    std::erase_if(waiting_, is_over);
  }
  bool shut = false;
  {
    const std::lock_guard lock(mutex_);
    shut = shut_;
    more = more || !new_.empty();
  }
  const bool busy = !active_.empty() || !waiting_.empty();
  const int patience = busy ? static_cast<int>(kWatch.count()) : kIdleMs;
  if (!more && !shut) {
    curl_.multi_poll(multi_, nullptr, 0, patience, nullptr);
  }
  return shut;
}

void HttpEngine::Loop::EndAll(Status (*why)(HttpFetch&)) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.splice(waiting_.end(), new_);
  }
  active_.splice(active_.end(), waiting_);
  for (const auto& fetch : active_) {
    if (!fetch->ended) End(*fetch, {.status = why(*fetch)});
  }
  active_.clear();
  idle_.clear();
}

void HttpEngine::Loop::TakeNew(Time now) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.splice(waiting_.end(), new_);
  }
  while (!waiting_.empty() && active_.size() < slots_.At(now)) {
    active_.splice(active_.end(), waiting_, waiting_.begin());
    HttpFetch& fetch = *active_.back();
    fetch.begun = fetch.progress = now;
    hedges_.CountRequest();
    if (fetch.stop.stop_requested()) {
      Watch(fetch, now);
    } else {
      Try(fetch, /*is_hedge=*/false, now);
    }
  }
}

Milliseconds HttpEngine::Loop::PatienceWith(const HttpFetch& fetch,
                                            Time now) const {
  if (fetch.last.kind == TransferEnd::kNoMemory) {
    return std::min(limits_.patience, kMemoryPatience);
  }
  if (known_hosts_.contains(fetch.host)) return limits_.patience;
  const auto down = down_until_.find(fetch.host);
  const bool is_down = down != down_until_.end() && now < down->second;
  return std::min(limits_.patience,
                  is_down ? limits_.down : limits_.first_contact);
}

// Without this, a reader of many objects, or of one in several ways, would wait
// for each of them in turn.
void HttpEngine::Loop::GiveUpHost(const HttpFetch& fetch, Time now) {
  known_hosts_.erase(fetch.host);
  const auto down = down_until_.find(fetch.host);
  if (down != down_until_.end() && now < down->second) return;
  down_until_[fetch.host] = now + limits_.first_contact;
}

std::uint64_t HttpEngine::Loop::Draw() {
  const auto now =
      static_cast<std::uint64_t>(RemoteClock::now().time_since_epoch().count());
  // Jitter has to differ between processes, not to be repeatable.
  const auto words =
      Philox4x32({++draws_, static_cast<std::uint32_t>(now),
                  static_cast<std::uint32_t>(now >> 32), 0},
                 {static_cast<std::uint32_t>(getpid()), 0x52454d4f});
  return words[0];
}

void HttpEngine::Loop::Watch(HttpFetch& fetch, Time now) {
  if (fetch.stop.stop_requested()) {
    return End(fetch, {.status = Ended(fetch)});
  }
  for (std::size_t i = fetch.transfers.size(); i-- > 0;) {
    HttpTransfer& transfer = *fetch.transfers[i];
    if (transfer.moved() >= fetch.best + kProgressBytes) {
      fetch.best = transfer.moved();
      fetch.progress = now;
    }
    if (!transfer.IsStalled(now, limits_.stall)) continue;
    fetch.last = {.words = "no data for " +
                           std::to_string(limits_.stall.count() / 1'000) +
                           " s"};
    meter_.AddFailed("stalled", transfer.facts_of_try());
    Drop(fetch, i);
    fetch.next_try = now;
  }
  if (now - fetch.progress >= PatienceWith(fetch, now)) {
    if (fetch.last.kind != TransferEnd::kNoMemory) GiveUpHost(fetch, now);
    return Fail(fetch, fetch.last);
  }
  SayLate(fetch, now);
  if (fetch.transfers.empty()) {
    if (now >= fetch.next_try) Try(fetch, /*is_hedge=*/false, now);
    return;
  }
  if (!fetch.request.only_reads()) return;
  // Three beside the first, in slots that are kept for it: a late request holds
  // up all bytes that are to be delivered behind it.
  const std::size_t slots = slots_.At(now);
  const Time last = fetch.transfers.back()->begun();
  if (fetch.transfers.size() < 4 && under_way_ < slots + slots / 16 + 1 &&
      now - last >= hedges_.After(fetch.request.question.size) &&
      hedges_.TakeOne()) {
    Try(fetch, /*is_hedge=*/true, now);
  }
}

void HttpEngine::Loop::SayLate(const HttpFetch& fetch, Time now) {
  const Milliseconds late = Since(fetch.progress, now);
  if (late < kLate || (said_late_ && now - *said_late_ < kLate)) return;
  said_late_ = now;
  const std::string& why = fetch.last.words;
  SayWithoutWaiting("shardine: " + EscapeBytes(fetch.request.name) +
                    ": waiting for the server since " +
                    std::to_string(late.count() / 1'000) + " s" +
                    (why.empty() ? "" : "; the last try: " + why) + "\n");
}

void HttpEngine::Loop::Try(HttpFetch& fetch, bool is_hedge, Time now) {
  fetch.transfers.reserve(fetch.transfers.size() + 1);
  std::unique_ptr<HttpTransfer> transfer;
  if (idle_.empty()) {
    transfer = HttpTransfer::Make(curl_, limits_, settings_);
  } else {
    transfer = std::move(idle_.back());
    idle_.pop_back();
  }
  // Only one try may write where the bytes belong.
  if (transfer == nullptr || !transfer->Begin(fetch.request, is_hedge, now)) {
    fetch.last = TransferEnd::NoMemory();
    fetch.next_try = now + Milliseconds(100);
    return;
  }
  curl_.multi_add_handle(multi_, transfer->handle());
  ++under_way_;
  if (++fetch.tries == 1) {
    meter_.AddRequest(fetch.request.anew);
  } else {
    meter_.AddTry(is_hedge);
  }
  fetch.transfers.push_back(std::move(transfer));
}

void HttpEngine::Loop::Drop(HttpFetch& fetch, std::size_t place) {
  auto at = fetch.transfers.begin() + static_cast<std::ptrdiff_t>(place);
  if (KeepsRemoteTries()) {
    const HttpTransfer& transfer = **at;
    const HttpQuestion& question = fetch.request.question;
    KeepRemoteTry({.begin = transfer.begun(),
                   .end = RemoteClock::now(),
                   .first_byte = transfer.facts_of_try().first_byte,
                   .path = fetch.request.name,
                   .first = question.first,
                   .bytes = question.size,
                   .received = transfer.received(),
                   .status = transfer.answer().status(),
                   .is_second = transfer.is_hedge()});
  }
  curl_.multi_remove_handle(multi_, (*at)->handle());
  --under_way_;
  meter_.EndTry();
  std::unique_ptr<HttpTransfer> dropped = std::move(*at);
  fetch.transfers.erase(at);
  // A transfer without room here is dropped, and another made when it is
  // needed.
  if (idle_.size() < idle_.capacity()) idle_.push_back(std::move(dropped));
}

void HttpEngine::Loop::TakeEnds(Time now) {
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* const handle = message->easy_handle;
    for (const auto& fetch : active_) {
      const auto transfer =
          std::ranges::find(fetch->transfers, handle, &HttpTransfer::handle);
      if (transfer == fetch->transfers.end()) continue;
      if (fetch->request.only_reads()) {
        hedges_.Add(fetch->request.question.size,
                    Since((*transfer)->begun(), now));
      }
      TakeEnd(*fetch, **transfer, code);
      break;
    }
  }
}

void HttpEngine::Loop::TakeEnd(HttpFetch& fetch, HttpTransfer& transfer,
                               CURLcode code) {
  const TransferEnd end = transfer.End(code);
  const int status = transfer.answer().status();
  if (status != 0) {
    known_hosts_.insert(fetch.host);
    down_until_.erase(fetch.host);
  }
  if (end.kind == TransferEnd::kDone) {
    meter_.AddGood(transfer.facts_of_try(), transfer.received(),
                   BytesAsked(fetch.request), transfer.is_hedge());
    transfer.Keep();
    return End(fetch, {.http_status = status,
                       .facts = transfer.facts(),
                       .date = transfer.answer().date(),
                       .received = transfer.received(),
                       .is_folder = transfer.LedToFolder(),
                       .body = transfer.TakeBody()});
  }
  const Time now = RemoteClock::now();
  meter_.AddFailed(ReasonOf(end, status), transfer.facts_of_try());
  if (status == 429 || status == 503) slots_.SlowDown(now);
  fetch.request_id =
      end.request_id.empty() ? transfer.answer().request_id() : end.request_id;
  fetch.last = end;
  const bool is_folder = transfer.LedToFolder();
  const auto place = std::ranges::find(fetch.transfers, transfer.handle(),
                                       &HttpTransfer::handle) -
                     fetch.transfers.begin();
  Drop(fetch, static_cast<std::size_t>(place));
  const bool is_wrong =
      end.kind == TransferEnd::kWrong || end.kind == TransferEnd::kChanged;
  fetch.wrong += is_wrong ? 1 : 0;
  // One server of many behind a name may have another version for a moment, or
  // a cache that lies: only an answer that is repeated is believed.
  const unsigned most =
      end.kind == TransferEnd::kChanged ? 2 : limits_.wrong_answers;
  if (end.kind == TransferEnd::kFinal || (is_wrong && fetch.wrong >= most)) {
    return End(fetch, {.status = StatusOf(fetch, end),
                       .http_status = status,
                       .is_folder = is_folder});
  }
  fetch.next_try = now + PauseAfter(fetch.tries, Draw(), end.retry_after);
}

void HttpEngine::Loop::Fail(HttpFetch& fetch, const TransferEnd& end) {
  End(fetch, {.status = StatusOf(fetch, end)});
}

void HttpEngine::Loop::End(HttpFetch& fetch, HttpOutcome outcome) {
  fetch.ended = true;
  ++ended_;
  while (!fetch.transfers.empty()) Drop(fetch, fetch.transfers.size() - 1);
  Complete(fetch, std::move(outcome));
}

void HttpEngine::Loop::Complete(HttpFetch& fetch, HttpOutcome outcome) {
  fetch.stopper.reset();
  const HttpEngine::Done done = std::move(fetch.done);
  done(std::move(outcome));
}

}  // namespace shardine
