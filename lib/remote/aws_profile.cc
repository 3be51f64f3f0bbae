#include "remote/aws_profile.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>

#include "base/ascii.h"
#include "base/checksum.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// "[profile  work]" is the section "profile work", and so is "[profile
// 'work']".
std::string SectionName(std::string_view line) {
  std::istringstream words(std::string(line.substr(1, line.find(']', 1) - 1)));
  std::string name;
  for (std::string word; words >> word;)
    name += (name.empty() ? "" : " ") + word;
  const std::size_t blank = name.find(' ');
  if (blank == name.npos || blank + 3 > name.size()) return name;
  const char quote = name[blank + 1];
  if ((quote == '"' || quote == '\'') && name.back() == quote) {
    name.pop_back();
    name.erase(blank + 1, 1);
  }
  return name;
}

// A setting and its value, cut at the first of `marks`.
struct Setting {
  std::string_view name;
  std::string_view value;
};
std::optional<Setting> SettingOf(std::string_view words, const char* marks) {
  const std::size_t mark = words.find_first_of(marks);
  if (mark == words.npos) return std::nullopt;
  return Setting{WithoutBlanks(words.substr(0, mark), kBlanks),
                 WithoutBlanks(words.substr(mark + 1), kBlanks)};
}

Result<AwsSections> ReadAwsFile(const Environment& environment,
                                const char* variable, const char* name) {
  std::string path = environment.Of(variable);
  if (path.empty()) {
    const std::string home = environment.Of("HOME");
    if (home.empty()) return AwsSections();
    path = home + "/.aws/" + name;
  }
  const auto text = ReadSecretFile(path);
  if (text.ok()) return ParseAwsFile(*text);
  if (text.status().code() == Code::kNotFound) return AwsSections();
  return text.status();
}

}  // namespace

Result<SecretText> ReadSecretFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Status::FromErrno(errno, "open", path);
  // Profiles are read for each object that is opened: no more is made, and
  // wiped, than there is.
  constexpr std::size_t kPiece = 4 << 10;
  constexpr std::size_t kMost = 1 << 20;
  SecretText text;
  ssize_t got = 0;
  do {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    got = read(file, text.data() + size, kPiece);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  } while ((got > 0 && text.size() <= kMost) || (got < 0 && errno == EINTR));
  const int error = errno;
  close(file);
  if (got < 0) return Status::FromErrno(error, "read", path);
  if (text.size() <= kMost) return text;
  return Status(Code::kUnsupported, "has more than 1 MiB").At({.path = path});
}

std::string IdentityOf(const Environment& environment) {
  std::string text;
  for (const auto& [name, value] : environment.variables()) {
    const bool counts = name.starts_with("AWS_") || name.starts_with("GS_") ||
                        name.starts_with("CPL_") || name == "HOME";
    // No variable has a NUL.
    if (counts) text.append(name).append(1, '=').append(value).append(1, '\0');
  }
  return Xxh3_128(AsBytes(text)).ToHex();
}

// As botocore reads them by Python's RawConfigParser: the first = or : ends a
// name, whose case does not count; a line indented further than the setting
// above belongs to it. Lines indented below an empty value hold settings of
// their own, with = alone.
AwsSections ParseAwsFile(std::string_view text) {
  AwsSections sections;
  AwsSettings* section = nullptr;
  std::string above;               // the last setting, if its value is empty
  std::size_t indent = text.npos;  // of the last setting of the section
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view words = WithoutBlanks(line, kBlanks);
    if (words.empty() || words[0] == '#' || words[0] == ';') continue;
    const std::size_t column = line.find(words[0]);
    if (column > indent) {
      const auto inner = SettingOf(words, "=");
      if (above.empty() || !inner) continue;
      (*section)[above + "." + std::string(inner->name)] = inner->value;
      continue;
    }
    if (words[0] == '[') {
      section = &sections[SectionName(words)];
      indent = text.npos;
      continue;
    }
    const auto setting = SettingOf(words, "=:");
    if (section == nullptr || !setting) continue;
    const std::string name = LowerAscii(setting->name);
    indent = column;
    above = setting->value.empty() ? name : "";
    (*section)[name] = setting->value;
  }
  return sections;
}

std::string AwsProfileName(const Environment& environment) {
  const std::string name = environment.Of("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

Result<AwsSettings> ReadAwsProfile(const Environment& environment,
                                   const std::string& name) {
  SHARDINE_ASSIGN_OR_RETURN(
      AwsSections secrets,
      ReadAwsFile(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials"));
  SHARDINE_ASSIGN_OR_RETURN(
      AwsSections config,
      ReadAwsFile(environment, "AWS_CONFIG_FILE", "config"));
  AwsSettings settings = secrets[name];
  settings.merge(config["profile " + name]);
  if (name == "default") settings.merge(config[name]);
  const auto services = settings.find("services");
  if (services != settings.end()) {
    settings.merge(config["services " + std::string(services->second)]);
  }
  const auto session = settings.find("sso_session");
  if (session != settings.end()) {
    settings.merge(config["sso-session " + std::string(session->second)]);
  }
  return settings;
}

}  // namespace shardine
