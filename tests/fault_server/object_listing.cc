#include "fault_server/object_listing.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>

namespace shardine::fault_server {

namespace {

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string Element(const std::string& name, const std::string& content) {
  return '<' + name + '>' + content + "</" + name + '>';
}

std::string Value(const RangeRequest& request, const std::string& name) {
  const auto at = request.query.find(name);
  return at == request.query.end() ? "" : at->second;
}

}  // namespace

ObjectListing::ObjectListing(const std::filesystem::path& bucket) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(bucket)) {
    struct stat info;
    if (!entry.is_regular_file() || ::stat(entry.path().c_str(), &info) != 0)
      continue;
    struct tm parts;
    ::gmtime_r(&info.st_mtim.tv_sec, &parts);
    char time[32];
    ::strftime(time, sizeof time, "%FT%T.000Z", &parts);
    objects_[entry.path().lexically_relative(bucket)] = {
        static_cast<std::uint64_t>(info.st_size), time};
  }
}

std::string ObjectListing::Page(const RangeRequest& request) const {
  const std::string prefix = Value(request, "prefix");
  const std::string delimiter = Value(request, "delimiter");
  const std::string from = Value(request, "continuation-token");
  const std::string most = Value(request, "max-keys");
  const std::size_t room = most.empty() ? 1000 : std::stoul(most);
  std::string body;
  std::size_t count = 0;
  std::string last;
  auto at =
      from.empty() ? objects_.lower_bound(prefix) : objects_.upper_bound(from);
  for (; at != objects_.end() && at->first.starts_with(prefix); ++count) {
    if (count == room) break;
    const std::string& key = last = at->first;
    const std::size_t cut = delimiter.empty()
                                ? std::string::npos
                                : key.find(delimiter, prefix.size());
    if (cut == std::string::npos) {
      body += Element("Contents",
                      Element("Key", Escaped(key)) +
                          Element("LastModified", at->second.modified) +
                          Element("ETag", "&quot;0&quot;") +
                          Element("Size", std::to_string(at->second.size)) +
                          Element("StorageClass", "STANDARD"));
      ++at;
      continue;
    }
    const std::string group = key.substr(0, cut + delimiter.size());
    body += Element("CommonPrefixes", Element("Prefix", Escaped(group)));
    for (; at != objects_.end() && at->first.starts_with(group); ++at)
      last = at->first;
  }
  const bool more = at != objects_.end() && at->first.starts_with(prefix);
  if (more) body += Element("NextContinuationToken", Escaped(last));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<ListBucketResult "
         "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" +
         Element("Prefix", Escaped(prefix)) +
         Element("KeyCount", std::to_string(count)) +
         Element("MaxKeys", std::to_string(room)) +
         Element("IsTruncated", more ? "true" : "false") + body +
         "</ListBucketResult>";
}

}  // namespace shardine::fault_server
