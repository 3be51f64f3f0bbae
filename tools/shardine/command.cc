#include "shardine/command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "cli/advice.h"
#include "cli/interrupt.h"
#include "cli/progress_reporter.h"
#include "shardine/address.h"
#include "shardine/command_options.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/help_text.h"
#include "shardine/help_topics.h"
#include "shardine/man_page.h"
#include "shardine/verb.h"
#include "shardine/version.h"

namespace shardine {
namespace {

// Where standard error cannot be written to there is nowhere to say so; the
// exit code is left.
void PrintError(const std::string& text) {
  Output error(STDERR_FILENO);
  static_cast<void>(error.Write("shardine: " + text + "\n").ok());
  static_cast<void>(error.Flush().ok());
}

const VerbEntry* FindVerb(std::string_view name) {
  for (const VerbEntry& entry : Verbs()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// The flags of verbs that stand before the verb, as in "--json info out".
std::vector<std::string> TakeFlags(std::vector<std::string>& words) {
  const auto is_flag = [](const std::string& word) {
    return word == "--json" || word == "--quiet" || word == "-q";
  };
  const auto verb = std::ranges::find_if_not(words, is_flag);
  if (verb == words.end()) return {};
  std::vector<std::string> flags(words.begin(), verb);
  words.erase(words.begin(), verb);
  return flags;
}

// "plan pack" is one verb: the planned work decides the options. REQUIRES: not
// empty.
std::string TakeName(std::vector<std::string>& words) {
  std::string name = words.front();
  words.erase(words.begin());
  if (name == "plan" && !words.empty() && FindVerb(name + " " + words[0])) {
    name += " " + words.front();
    words.erase(words.begin());
  }
  return name;
}

Status UnknownWord(const std::string& what, const std::string& word) {
  if (word == "plan") {
    std::string plans;
    for (const VerbEntry& entry : Verbs()) {
      if (!entry.name.starts_with("plan ")) continue;
      plans += (plans.empty() ? "" : ", ") + std::string(entry.name);
    }
    return Status(Code::kInvalidArgument,
                  "what is to be planned? there are: " + plans);
  }
  std::vector<std::string> words = {"help", "version"};
  if (what == "option") words = {"--help", "--version"};
  for (const HelpTopic& topic : HelpTopics()) {
    if (what == "topic") words.emplace_back(topic.name);
  }
  for (const VerbEntry& entry : Verbs()) words.emplace_back(entry.name);
  return Status(Code::kInvalidArgument, "unknown " + what + " \"" +
                                            EscapeBytes(word) + "\"" +
                                            DidYouMean(word, words));
}

// Whether the caller may have mistyped the path: a word or value has it, or
// lies in a folder that has it, or that does not exist.
bool IsTyped(const std::string& path, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](std::string word) {
    word = word.substr(word.find('=') + 1);
    std::error_code ignored;
    const std::filesystem::path folder =
        std::filesystem::path(word).parent_path();
    return word == path || word.starts_with(path + "/") ||
           (!folder.empty() && !word.starts_with('-') &&
            folder == std::filesystem::path(path).parent_path() &&
            !std::filesystem::exists(folder, ignored));
  });
}

// The advice on a path that does not exist.
std::string PathAdvice(const Status& status,
                       const std::vector<std::string>& words) {
  const std::string& path = status.where().path;
  if (!IsTyped(path, words)) return {};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    return "a folder is needed here; shardine index and convert take shard "
           "files, --list takes lists";
  }
  return SystemAdvice(status);
}

// The verb's own advice first, then the advice for all verbs.
std::string AdviceOn(const Status& status, const VerbEntry* entry,
                     const std::string& own,
                     const std::vector<std::string>& words) {
  if (!own.empty()) return own;
  if (std::string command = CommandAdvice(status); !command.empty()) {
    return command;
  }
  if (status.code() == Code::kInvalidArgument) {
    const std::string verb =
        entry == nullptr ? "" : std::string(entry->name) + " ";
    return "see shardine " + verb + "--help";
  }
  const int error = status.system_error();
  const bool is_of_path =
      (error == ENOENT || error == ENOTDIR) && !IsSidecarMissing(status);
  return is_of_path ? PathAdvice(status, words) : SystemAdvice(status);
}

int Fail(const Status& status, ExitCode code, const VerbEntry* entry,
         const std::string& own_advice = {},
         const std::vector<std::string>& words = {}) {
  if (status.code() == Code::kCancelled) {
    PrintError(kInterruptedMessage);
  } else {
    const std::string advice = AdviceOn(status, entry, own_advice, words);
    PrintError(status.ToString() + (advice.empty() ? "" : "; ") + advice);
  }
  return static_cast<int>(code);
}

int Fail(const Status& status, const VerbEntry* entry) {
  return Fail(status, ExitCodeOf(status), entry);
}

// Results that did not reach their reader are a failure, whatever was done.
int Finish(Output& output, ExitCode code) {
  if (const Status status = output.Flush(); !status.ok()) {
    // A pipe into head or less that was closed early is how users stop reading,
    // so no message is printed.
    if (output.reader_gone()) return static_cast<int>(ExitCode::kLocalIo);
    return Fail(status, ExitCode::kLocalIo, nullptr);
  }
  return static_cast<int>(code);
}

int PrintResult(const std::string& text) {
  Output output(STDOUT_FILENO);
  static_cast<void>(output.Write(text).ok());  // fits the buffer
  return Finish(output, ExitCode::kDone);
}

int PrintVersion() {
  return PrintResult(std::string("shardine ") + Version() + "\n");
}

Status CheckOperands(const std::vector<std::string>& operands,
                     const Usage& usage) {
  const std::string synopsis(usage.synopsis);
  if (operands.size() < usage.min_operands) {
    return Status(Code::kInvalidArgument, "operands are missing: " + synopsis);
  }
  if (operands.size() > usage.max_operands) {
    return Status(Code::kInvalidArgument,
                  "one operand too many: \"" +
                      EscapeBytes(operands[usage.max_operands]) + "\"");
  }
  // A script with an unset variable passes an empty operand, which as a path
  // would mean the working directory.
  for (const std::string& operand : operands) {
    if (operand.empty()) {
      return Status(Code::kInvalidArgument, "an operand is empty: " + synopsis);
    }
    // Progress and errors show operands, also of the form SPLIT=PATH.
    for (const std::string& path :
         {operand, operand.substr(operand.find('=') + 1)}) {
      if (Status refused = CheckAddress(path); !refused.ok()) return refused;
    }
  }
  return Status();
}

// A file that an option names is a text of the user's.
bool IsList(Verb& verb, const std::string& path) {
  const OptionList described = verb.described();
  return verb.IsList(path) ||
         std::ranges::any_of(described, [&](const Option& option) {
           return option.meta == "FILE" && option.value.get() == path;
         });
}

int RunEntry(const VerbEntry& entry,
             const std::vector<std::string>& arguments) {
  const std::unique_ptr<Verb> verb = entry.make();
  const Usage usage = verb->usage();
  CommandOptions all(*verb);
  Options& options = all.options();
  const AlwaysOptions& always = all.always();
  const auto operands = options.Parse(arguments);
  // A request for help may come with a wrong value of another option, or wrong
  // operands.
  if (always.help) return PrintResult(VerbHelp(entry, usage, options));
  if (always.version) return PrintVersion();
  if (always.quiet) SilenceProgress();
  if (!operands.ok()) return Fail(operands.status(), &entry);
  if (const Status status = CheckOperands(*operands, usage); !status.ok()) {
    return Fail(status, &entry);
  }
  if (const Status status = options.Check(verb->described()); !status.ok()) {
    return Fail(status, &entry);
  }
  if (const Status status = all.servers().Apply(); !status.ok()) {
    return Fail(status, &entry);
  }

  if (!always.progress_file.empty()) {
    if (const Status status = WriteProgressTo(always.progress_file);
        !status.ok()) {
      return Fail(status, &entry);
    }
  }

  Output output(STDOUT_FILENO);
  const Result<ExitCode> result = verb->Run(*operands, options, output);
  if (!result.ok()) {
    // Results found before the failure are worth printing, not reporting on.
    const bool reader_gone = output.reader_gone();
    static_cast<void>(output.Flush().ok());
    if (reader_gone) return static_cast<int>(ExitCode::kLocalIo);
    const Status status = result.status();
    const std::string& path = status.where().path;
    const bool of_list = !path.empty() && IsList(*verb, path);
    const Inputs inputs = of_list ? Inputs::kSources : verb->inputs();
    return Fail(status, ExitCodeOf(status, inputs), &entry,
                verb->AdviceOn(status), arguments);
  }
  return Finish(output, *result);
}

// "man", "man cat": the page of the command, or of the verb.
int PrintManPage(std::vector<std::string> words) {
  words.erase(words.begin());
  if (words.empty()) return PrintResult(CommandManPage());
  const std::string name = TakeName(words);
  const VerbEntry* const entry = FindVerb(name);
  if (entry == nullptr) return Fail(UnknownWord("verb", name), nullptr);
  return PrintResult(VerbManPage(*entry));
}

int RunCommand(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    Output error(STDERR_FILENO);
    static_cast<void>(error.Write(CommandHelp()).ok());
    static_cast<void>(error.Flush().ok());
    return static_cast<int>(ExitCode::kUsage);
  }
  std::vector<std::string> rest = arguments;
  const std::vector<std::string> flags = TakeFlags(rest);
  const std::string name = TakeName(rest);
  if (name == "--version" || name == "-V" || name == "version") {
    return PrintVersion();
  }
  const bool help = name == "--help" || name == "-h" || name == "help";
  const bool general =
      help && (rest.empty() || rest[0] == "help" || rest[0] == "version");
  if (general) return PrintResult(CommandHelp());
  if (help && rest[0] == "man") return PrintManPage(rest);
  const HelpTopic* const topic = help ? FindTopic(rest[0]) : nullptr;
  if (topic != nullptr) return PrintResult(topic->text());
  const std::string verb = help ? TakeName(rest) : name;
  const VerbEntry* const entry = FindVerb(verb);
  rest.insert(rest.begin(), flags.begin(), flags.end());
  if (entry == nullptr) {
    const std::string what = help                    ? "topic"
                             : name.starts_with("-") ? "option"
                                                     : "verb";
    return Fail(UnknownWord(what, verb), nullptr);
  }
  return RunEntry(*entry, help ? std::vector<std::string>{"--help"} : rest);
}

}  // namespace

int RunShardine(const std::vector<std::string>& arguments) {
  // First of all: a file that is opened while a standard stream is closed would
  // get its number, and results be written into it.
  GuardStandardStreams();
  try {
    return RunCommand(arguments);
  } catch (const std::bad_alloc&) {
    PrintError("out of memory");
  } catch (const std::length_error&) {
    // More than any memory holds was asked of a container.
    PrintError("out of memory");
  } catch (const std::exception& error) {
    PrintError(std::string("unexpected failure: ") + error.what());
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace shardine
