#include "fault_server/object_answer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/checksum.h"

namespace shardine::fault_server {

OpenFile::~OpenFile() { ::close(fd_); }

namespace {

constexpr char kPrefixOfRedirects[] = "/moved";

// A part of an object, and its description.
struct Part {
  std::shared_ptr<OpenFile> file;
  Span span;  // the bytes that are sent
  Span said;  // of the Content-Range
  std::uint64_t total = 0;
  std::string etag;
  std::string modified;
  bool whole = false;  // was asked for without a Range
  std::string more;    // further lines of the head

  std::uint64_t size() const { return span.end - span.first; }
  std::uint64_t middle() const { return span.first + size() / 2; }

  std::string HeadWithoutLength() const {
    std::string head = whole ? "200 OK\r\n" : "206 Partial Content\r\n";
    head += more + modified;
    if (!etag.empty()) head += "ETag: " + etag + "\r\n";
    if (!whole)
      head += "Content-Range: bytes " + std::to_string(said.first) + '-' +
              std::to_string(said.end - 1) + '/' + std::to_string(total) +
              "\r\n";
    return head;
  }
  std::string Head(std::uint64_t length) const {
    return "HTTP/1.1 " + HeadWithoutLength() +
           "Content-Length: " + std::to_string(length) + "\r\n\r\n";
  }
  std::string Bytes() const {
    std::string bytes(size(), '\0');
    const ssize_t got = ::pread(file->fd(), bytes.data(), bytes.size(),
                                static_cast<off_t>(span.first));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
  }
};

AnswerScript TextAnswer(std::string text,
                        AnswerScript::End end = AnswerScript::End::kKeep) {
  return {{{.text = std::move(text)}}, end};
}

AnswerScript Refusal(const std::string& status, const std::string& lines = "") {
  return TextAnswer("HTTP/1.1 " + status + "\r\nContent-Length: 3\r\n" + lines +
                    "\r\nno\n");
}

// The first `length` bytes of the part, behind its head.
AnswerScript Sent(const Part& part, std::uint64_t length,
                  AnswerScript::End end = AnswerScript::End::kKeep) {
  return {{{.text = part.Head(part.size()),
            .file = part.file,
            .first = part.span.first,
            .end = part.span.first + length}},
          end};
}

AnswerScript Sent(const Part& part) { return Sent(part, part.size()); }

// Sends the part in two steps: the second half comes late, or a byte at a time.
AnswerScript SentInHalves(const Part& part, Milliseconds pause,
                          std::uint64_t piece) {
  AnswerScript script = Sent(part, part.size() / 2);
  script.steps.push_back({.pause = pause,
                          .text = "",
                          .file = part.file,
                          .first = part.middle(),
                          .end = part.span.end,
                          .piece = piece});
  return script;
}

std::string Gzipped(const std::string& bytes) {
  z_stream stream{};
  // 15 bits of window, 16 more: a gzip header.
  deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

AnswerScript Shortened(Part part) {
  part.span.end = part.middle();
  return Sent(part);
}

AnswerScript Longer(const Part& part) {
  const std::string surplus = "surplus--";
  AnswerScript script = Sent(part);
  script.steps[0].text = part.Head(part.size() + surplus.size());
  script.steps.push_back({.text = surplus});
  return script;
}

AnswerScript Endless(const Part& part) {
  AnswerScript script = TextAnswer("HTTP/1.1 " + part.HeadWithoutLength() +
                                   "Transfer-Encoding: chunked\r\n\r\n");
  script.steps.push_back(
      {.text = "1000\r\n" + std::string(0x1000, 'x') + "\r\n",
       .for_ever = true});
  return script;
}

AnswerScript Zipped(Part part) {
  part.more += "Content-Encoding: gzip\r\n";
  const std::string body = Gzipped(part.Bytes());
  return TextAnswer(part.Head(body.size()) + body);
}

AnswerScript Flipped(const Part& part) {
  std::string body = part.Bytes();
  if (!body.empty()) body[body.size() / 2] ^= 1;
  return TextAnswer(part.Head(body.size()) + body);
}

AnswerScript Whole(Part part) {
  part.whole = true;
  part.span = {0, part.total};
  return Sent(part);
}

AnswerScript WithHugeHead(Part part) {
  for (int i = 0; i < 40; ++i)
    part.more += "X-Filler-" + std::to_string(i) + ": " +
                 std::string(4000, 'x') + "\r\n";
  return Sent(part);
}

AnswerScript Http10(const Part& part) {
  AnswerScript script = Sent(part, part.size(), AnswerScript::End::kClose);
  script.steps[0].text[7] = '0';
  return script;
}

AnswerScript WithWrongRange(Part part) {
  const std::uint64_t last = part.said.end - 1;
  part.said.first = std::min(part.said.first + 1, last);
  part.said.end = std::min(last + 1, part.total - 1) + 1;
  part.span = part.said;
  return Sent(part);
}

AnswerScript WithTag(Part part, const std::string& etag) {
  part.etag = etag;
  return Sent(part);
}

AnswerScript WithWrongTotal(Part part) {
  ++part.total;
  return Sent(part);
}

AnswerScript Late(const Part& part, Milliseconds by) {
  AnswerScript script = Sent(part);
  script.steps[0].pause = by;
  return script;
}

using Fails = std::function<AnswerScript(const Part&)>;

const std::map<std::string, Fails>& FaultTable() {
  using End = AnswerScript::End;
  static const std::map<std::string, Fails> table = {
      {"none", [](const Part& p) { return Sent(p); }},
      {"delay", [](const Part& p) { return Late(p, Milliseconds(300)); }},
      {"stall", [](const Part& p) { return Late(p, Milliseconds(600'000)); }},
      {"stall-body",
       [](const Part& p) { return SentInHalves(p, Milliseconds(600'000), 0); }},
      {"drip",
       [](const Part& p) { return SentInHalves(p, Milliseconds(50), 1); }},
      {"reset",
       [](const Part&) {
         return AnswerScript{{}, End::kReset};
       }},
      {"reset-body",
       [](const Part& p) { return Sent(p, p.size() / 2, End::kReset); }},
      {"close",
       [](const Part&) {
         return AnswerScript{{}, End::kClose};
       }},
      {"close-body",
       [](const Part& p) { return Sent(p, p.size() / 2, End::kClose); }},
      {"no-head",
       [](const Part&) {
         return TextAnswer("not HTTP at all\r\n\r\n", End::kClose);
       }},
      {"short-length", [](const Part& p) { return Shortened(p); }},
      {"longer", [](const Part& p) { return Longer(p); }},
      {"endless", [](const Part& p) { return Endless(p); }},
      {"gzip", [](const Part& p) { return Zipped(p); }},
      {"flip", [](const Part& p) { return Flipped(p); }},
      {"whole", [](const Part& p) { return Whole(p); }},
      {"huge-head", [](const Part& p) { return WithHugeHead(p); }},
      {"http10", [](const Part& p) { return Http10(p); }},
      {"wrong-range", [](const Part& p) { return WithWrongRange(p); }},
      {"wrong-total", [](const Part& p) { return WithWrongTotal(p); }},
      {"wrong-etag", [](const Part& p) { return WithTag(p, "\"another\""); }},
      {"weak-etag", [](const Part& p) { return WithTag(p, "W/" + p.etag); }},
      {"no-etag", [](const Part& p) { return WithTag(p, ""); }},
  };
  return table;
}

AnswerScript Redirect(const std::string& fault, std::string to) {
  if (fault != "redirect-loop" && !to.starts_with(kPrefixOfRedirects))
    to = kPrefixOfRedirects + to;
  if (fault == "redirect-file") to = "file:///etc/passwd";
  return Refusal("302 Found", "Location: " + to + "\r\n");
}

bool IsStatus(const std::string& fault) {
  return fault.size() == 3 && std::isdigit(fault[0]) != 0;
}

AnswerScript FailedAnswer(const std::string& fault, const Part& part,
                          const RangeRequest& request, unsigned number) {
  if (IsStatus(fault))
    return Refusal(fault + " Fault", "X-Request-Id: f4ul7\r\n");
  if (fault == "retry-after")
    return Refusal("503 Slow Down", "Retry-After: 1\r\n");
  if (fault == "redirect-garbage" &&
      request.path.starts_with(kPrefixOfRedirects))
    return FaultTable().at("no-head")(part);
  if (fault.starts_with("redirect")) return Redirect(fault, request.path);
  // The third answer of each connection is cut.
  if (fault == "keep-alive-3")
    return FaultTable().at(number < 2 ? "none" : "close-body")(part);
  return FaultTable().at(fault)(part);
}

std::string ModifiedLine(time_t time) {
  struct tm parts;
  ::gmtime_r(&time, &parts);
  char text[64];
  ::strftime(text, sizeof text, "Last-Modified: %a, %d %b %Y %T GMT\r\n",
             &parts);
  return text;
}

// nullopt: no such file.
std::optional<Part> PartOf(const std::filesystem::path& root, std::string path,
                           int edition) {
  if (path.starts_with(kPrefixOfRedirects))
    path.erase(0, sizeof kPrefixOfRedirects - 1);
  const std::filesystem::path below = path.substr(1);
  if (below.is_absolute() || path.find("/../") != std::string::npos)
    return std::nullopt;
  const int fd = ::open((root / below).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  Part part;
  part.file = std::make_shared<OpenFile>(fd);
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  part.total = static_cast<std::uint64_t>(info.st_size);
  part.modified = ModifiedLine(info.st_mtim.tv_sec);
  Xxh3Stream state;
  state.UpdateLe(part.total);
  state.UpdateLe(static_cast<std::uint64_t>(info.st_ino));
  state.UpdateLe(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
  state.UpdateLe(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
  part.etag =
      '"' + state.Digest().ToHex() + '-' + std::to_string(edition) + '"';
  return part;
}

// The answer to a request for the head alone: statuses fail, nothing else does.
AnswerScript HeadAnswer(const Part& part, const std::string& fault) {
  if (IsStatus(fault))
    return TextAnswer("HTTP/1.1 " + fault +
                      " Fault\r\nContent-Length: 0\r\n\r\n");
  return TextAnswer(part.Head(part.total));
}

AnswerScript ScriptFor(const std::filesystem::path& root,
                       const RangeRequest& request, const std::string& fault,
                       int edition, unsigned number) {
  std::optional<Part> part = PartOf(root, request.path, edition);
  if (!part) return Refusal("404 Not Found");
  const std::string match = request.Header("if-match");
  if (!match.empty() && match != part->etag)
    return Refusal("412 Precondition Failed");
  part->whole = request.Header("range").empty();
  if (request.method == "HEAD") return HeadAnswer(*part, fault);
  const auto span = request.SpanOf(part->total);
  if (!span) return Refusal("416 Range Not Satisfiable");
  part->span = part->said = *span;
  return FailedAnswer(fault, *part, request, number);
}

}  // namespace

AnswerScript AnswerFor(const std::filesystem::path& root, FaultPlan& plan,
                       const RangeRequest& request, unsigned number) {
  const Verdict verdict = plan.Judge(request);
  AnswerScript script =
      ScriptFor(root, request, verdict.fault, plan.Edition(), number);
  if (script.steps.empty()) script.steps.emplace_back();
  script.steps[0].pause += verdict.delay;
  return script;
}

AnswerScript WholeAnswer(const std::string& status, const std::string& type,
                         std::string body) {
  return TextAnswer("HTTP/1.1 " + status + "\r\nContent-Type: " + type +
                    "\r\nContent-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n" + body);
}

}  // namespace shardine::fault_server
