// A program that knows shardine by its installed headers alone.
#include <shardine/digest.h>
#include <shardine/format.h>
#include <shardine/sample.h>
#include <shardine/status.h>

#include <cstdio>

#ifdef CARELESS
// Warned about under -Wconversion, which must not reach a user's code.
int Truncated(double value) {
  int whole = value;
  return whole;
}
#endif

namespace {

bool StatusSpeaks() {
  shardine::Status status(shardine::Code::kCorrupt, "bad framing");
  status.Annotate({.path = "a.rec"});
  return status.ToString().find("a.rec") != std::string::npos;
}

bool DigestsAdd() {
  shardine::Digest128 sum{~0ULL, 0};
  sum += {1, 0};
  return sum.ToHex() == "00000000000000010000000000000000";
}

bool LabelsCompare() {
  return shardine::Label::FromReal(7.0) == shardine::Label(7);
}

bool FormatsAreOneTable() {
  const shardine::FormatRegistry& formats = shardine::BuiltinFormats();
  return &formats == &shardine::BuiltinFormats();
}

}  // namespace

int main() {
  const bool good =
      StatusSpeaks() && DigestsAdd() && LabelsCompare() && FormatsAreOneTable();
  std::puts(good ? "consumer: good" : "consumer: BAD");
  return good ? 0 : 1;
}
