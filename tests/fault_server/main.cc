// A web server of objects and ranges that is late, or fails, in a chosen way,
// for tests and measurements of clients. Speaks as much S3 as a reader needs,
// checks no signatures.
//
//   fault_server ROOT FAULT [OPTION...]
//
// Prints its port, serves until its standard input ends. GET /-/counts answers
// with the requests since the last such one.
#include <signal.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "fault_server/event_loop.h"

namespace shardine::fault_server {
namespace {

namespace po = boost::program_options;

struct Options {
  std::string root;
  FaultOptions faults;
  std::uint64_t link = 0;
};

// Throws po::error.
Options ParseOptions(int argc, const char* const* argv) {
  Options options;
  unsigned delay = 0;
  unsigned late = 0;
  po::options_description all;
  all.add_options()("root", po::value(&options.root)->required())(
      "fault", po::value(&options.faults.fault)->required())(
      "rate", po::value(&options.faults.rate),
      "the share of the requests that fail")(
      "seed", po::value(&options.faults.seed), "which ones")(
      "always", po::bool_switch(&options.faults.always),
      "each try of them fails")("only", po::value(&options.faults.only),
                                "paths that end so")(
      "delay-ms", po::value(&delay), "before each answer")(
      "tail", po::value(&options.faults.tail), "the share that is later")(
      "tail-ms", po::value(&late), "by so much")(
      "link", po::value(&options.link), "bytes a second, of all connections");
  po::positional_options_description places;
  places.add("root", 1).add("fault", 1);
  po::variables_map map;
  po::store(
      po::command_line_parser(argc, argv).options(all).positional(places).run(),
      map);
  po::notify(map);
  options.faults.delay = Milliseconds(delay);
  options.faults.late = Milliseconds(late);
  const auto& names = FaultNames();
  if (std::find(names.begin(), names.end(), options.faults.fault) ==
      names.end())
    throw po::error("no such fault: " + options.faults.fault);
  return options;
}

int Serve(const Options& options) {
  ObjectService service(options.root, options.faults);
  LinkBudget link(options.link);
  EventLoop loop(service, link);
  const std::uint16_t port = loop.Listen();
  if (port == 0) {
    std::cerr << "fault_server: no port to listen on\n";
    return 1;
  }
  std::cout << port << std::endl;
  loop.Run();
  return 0;
}

}  // namespace
}  // namespace shardine::fault_server

int main(int argc, char** argv) {
  // A client that went away is no reason to.
  ::signal(SIGPIPE, SIG_IGN);
  try {
    return shardine::fault_server::Serve(
        shardine::fault_server::ParseOptions(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "fault_server: " << error.what() << '\n';
    return 2;
  }
}
