#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/command_options.h"
#include "shardine/help_topics.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kCompletionExamples[] =
    "shardine completion bash >shardine.bash\n"
    "shardine completion fish >shardine.fish\n";

constexpr char kCompletionText[] =
    "Prints a script that completes verbs, options and their words:\n"
    "  bash: eval \"$(shardine completion bash)\" in ~/.bashrc\n"
    "  zsh:  eval \"$(shardine completion zsh)\" in ~/.zshrc\n"
    "  fish: shardine completion fish | source, in config.fish\n";

constexpr std::string_view kPlan = "plan ";

std::vector<Options::Known> OptionsOf(const VerbEntry& entry) {
  const std::unique_ptr<Verb> verb = entry.make();
  return CommandOptions(*verb).options().known();
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

// The words allowed in place of the verb, and after "plan".
std::vector<std::string> FirstWords() {
  std::vector<std::string> words = {"help", "version", "plan"};
  for (const VerbEntry& entry : Verbs()) {
    if (!entry.name.starts_with(kPlan)) words.emplace_back(entry.name);
  }
  return words;
}

std::vector<std::string> HelpWords() {
  std::vector<std::string> words = FirstWords();
  std::erase(words, "help");
  for (const HelpTopic& topic : HelpTopics()) words.emplace_back(topic.name);
  return words;
}

std::vector<std::string> PlanWords() {
  std::vector<std::string> words;
  for (const VerbEntry& entry : Verbs()) {
    if (!entry.name.starts_with(kPlan)) continue;
    words.emplace_back(entry.name.substr(kPlan.size()));
  }
  return words;
}

// The shell completes file names where there are no words.
std::string BashScript() {
  std::string values;
  std::string names;
  for (const VerbEntry& entry : Verbs()) {
    const std::string verb(entry.name);
    std::string all;
    for (const Options::Known& option : OptionsOf(entry)) {
      all += " " + option.name;
      if (option.words.empty()) continue;
      values += "    '" + verb + " " + option.name + "') words='" +
                Joined(option.words) + "' ;;\n";
    }
    names += "    '" + verb + "') words='" + all.substr(1) + "' ;;\n";
  }
  return "_shardine() {\n"
         "  local words='' verb=${COMP_WORDS[1]} at=$COMP_CWORD\n"
         "  local word=${COMP_WORDS[at]} before=${COMP_WORDS[at-1]}\n"
         "  [ \"$verb\" = plan ] && verb=\"plan ${COMP_WORDS[2]}\"\n"
         "  case \"$verb $before\" in\n" +
         values +
         "  esac\n"
         "  if [ \"$at\" = 1 ]; then words='" +
         Joined(FirstWords()) +
         "'\n"
         "  elif [ \"$at $verb\" = '2 help' ]; then words='" +
         Joined(HelpWords()) +
         "'\n"
         "  elif [ \"$at $before\" = '2 plan' ]; then words='" +
         Joined(PlanWords()) +
         "'\n"
         "  elif [ \"$at $verb\" = '2 completion' ]; then words='bash zsh "
         "fish'\n"
         "  elif [[ -z \"$words\" && \"$word\" == -* ]]; then\n"
         "    case \"$verb\" in\n" +
         names +
         "    esac\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _shardine shardine\n";
}

std::string ZshScript() {
  return "autoload -U +X compinit && compinit\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         BashScript();
}

// The words that may follow a verb, of which the command line has none yet.
std::string FishWords(const std::string& verb, const std::string& words) {
  return "complete -c shardine -n '__fish_seen_subcommand_from " + verb +
         "; and not __fish_seen_subcommand_from " + words + "' -x -a '" +
         words + "'\n";
}

// Summaries have no quotes.
std::string FishScript() {
  std::string text =
      "complete -c shardine -n __fish_use_subcommand -a 'help version plan'\n" +
      FishWords("help", Joined(HelpWords())) +
      FishWords("plan", Joined(PlanWords())) +
      FishWords("completion", "bash zsh fish");
  for (const VerbEntry& entry : Verbs()) {
    const bool plans = entry.name.starts_with(kPlan);
    const std::string verb(plans ? entry.name.substr(kPlan.size())
                                 : entry.name);
    if (!plans) {
      text += "complete -c shardine -n __fish_use_subcommand -a " + verb +
              " -d '" + std::string(entry.summary) + "'\n";
    }
    const std::string where =
        plans ? "'__fish_seen_subcommand_from plan; and "
                "__fish_seen_subcommand_from " +
                    verb + "'"
              : "'__fish_seen_subcommand_from " + verb + "'";
    for (const Options::Known& option : OptionsOf(entry)) {
      text +=
          "complete -c shardine -n " + where + " -l " + option.name.substr(2);
      if (option.has_value) text += " -r";
      if (!option.words.empty()) {
        text += " -f -a '" + Joined(option.words) + "'";
      }
      text += "\n";
    }
  }
  return text;
}

class CompletionVerb : public Verb {
 public:
  Usage usage() const override {
    return {"bash|zsh|fish", 1, 1, kCompletionText, kCompletionExamples};
  }

  ServerUse servers() const override { return ServerUse::kNone; }

  void Declare(Options&) override {}

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    const std::string& shell = operands[0];
    if (shell != "bash" && shell != "zsh" && shell != "fish") {
      return Status(Code::kInvalidArgument,
                    "which shell? there are: bash, zsh, fish");
    }
    const Status written = output.Write(shell == "bash"  ? BashScript()
                                        : shell == "zsh" ? ZshScript()
                                                         : FishScript());
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }
};

}  // namespace

std::unique_ptr<Verb> MakeCompletionVerb() {
  return std::make_unique<CompletionVerb>();
}

}  // namespace shardine
