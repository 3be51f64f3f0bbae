// A web server of a few lines, on loopback, that answers as a test says.
#ifndef SHARDINE_UNIT_REMOTE_TINY_SERVER_H_
#define SHARDINE_UNIT_REMOTE_TINY_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace shardine {

class TinyServer {
 public:
  // The reply to the head of a request, from any thread. Nothing: the
  // connection stays open without a word.
  using Answer = std::function<std::string(const std::string& head)>;

  explicit TinyServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener_, any, size) == 0);
    REQUIRE(::listen(listener_, 512) == 0);
    REQUIRE(::getsockname(listener_, any, &size) == 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~TinyServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
    for (const int connection : connections_) ::close(connection);
    ::close(listener_);
  }

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/x";
  }

 private:
  void Accept() {
    for (int next = 0; (next = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      connections_.push_back(next);
      threads_.emplace_back([this, next] { Serve(next); });
    }
  }

  void Serve(int connection) {
    std::string read;
    char buffer[4096];
    for (ssize_t count = 0;
         (count = ::recv(connection, buffer, sizeof(buffer), 0)) > 0;) {
      read.append(buffer, static_cast<std::size_t>(count));
      const std::size_t end = read.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const std::string answer = answer_(read.substr(0, end));
      read.erase(0, end + 4);
      if (::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) {
        return;
      }
    }
  }

  const Answer answer_;
  int listener_ = -1;
  unsigned port_ = 0;
  // The acceptor's, and after it has ended the destructor's.
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace shardine

#endif  // SHARDINE_UNIT_REMOTE_TINY_SERVER_H_
