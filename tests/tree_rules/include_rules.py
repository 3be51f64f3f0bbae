"""Checks every #include of the tree against the table of allowed includes.

The table is section 2 of the house style. Each run first
proves that the checker rejects known bad lines, then checks the whole tree.
Usage: include_rules.py ROOT
"""

import pathlib
import re
import sys
from collections.abc import Iterator

# A folder of lib/ -> the folders of lib/ whose headers it may include, besides
# its own and the public ones.
LIB = {
    "base": set(),
    "remote": {"base"},
    "io": {"base", "remote"},
    "archive": {"base", "io"},
    "jpeg": {"base"},
    "pixels": {"base"},
    "image": {"base", "jpeg", "pixels"},
    "pipeline": {"base"},
    "shard": {"base", "io", "image"},
    "source": {"archive", "base", "image", "io", "pipeline", "pixels", "shard"},
    "cache": {"base", "io", "remote"},
    "dataset": {"base", "io", "cache", "image", "shard", "source", "pipeline"},
    "extract": {"base", "io", "image", "shard", "source", "dataset", "pipeline"},
    "pack": {"base", "io", "pixels", "image", "shard", "source", "dataset",
             "pipeline"},
    "verify": {"base", "io", "pixels", "image", "shard", "source", "dataset",
               "pipeline"},
    "report": {"base", "remote", "io", "pixels", "image", "shard", "source", "dataset",
               "pipeline", "verify"},
    "resize": {"base", "io", "pixels", "image", "source", "dataset",
               "pipeline"},
    "load": {"base", "io", "pixels", "image", "shard", "source", "dataset",
             "pipeline"},
    "tasks": {"base", "io", "image", "shard", "source", "dataset", "pipeline",
              "pack", "verify"},
    "doctor": {"base", "remote", "io", "cache", "pixels", "image", "shard",
               "source", "dataset", "pipeline", "load"},
}
FORMAT = {"archive", "base", "io", "shard"}
# The one tool that works below the public headers: records without a dataset, byte for
# byte as the originals of that name do. It shares exit codes and guarded streams with
# the verbs.
IM2REC = {"im2rec", "cli", "base", "io", "pixels", "image", "pipeline",
          "recordio"}

# Headers of ours that few may see. Which storage a path is in, one table says:
# only that, and the tool that works on this machine alone, name the local one.
KEEPERS = {
    "io/local_storage.h": {"lib/io/local_storage.cc", "lib/io/storage_for.cc",
                           "tools/im2rec/main.cc"},
}

# Third-party headers and the folders that are their home.
HOMES = [
    (r"xx(hash|h_x86dispatch)\.h|isa-l(/.*)?\.h|crc\.h|zlib\.h|zstd(_errors)?\.h"
     r"|utf8proc\.h",
     {"lib/base"}),
    (r"curl/.*|openssl/.*", {"lib/remote"}),
    (r"expat\.h", {"lib/base", "lib/remote"}),
    (r"(j(peglib|error|morecfg|config)|png|gif_lib|stb_image|tiff(io|vers)?)\.h|webp/.*",
     {"lib/image"}),
    (r"hwy/.*", {"lib/base", "lib/jpeg", "lib/pixels"}),
    (r"nlohmann/.*",
     {"lib/remote", "lib/source", "lib/dataset", "lib/pack", "lib/load", "lib/tasks",
      "lib/report", "lib/extract",
      "formats/tfrecord", "formats/webdataset",
      "tools"}),
    (r"simdjson\.h", {"lib/dataset", "lib/source"}),
    (r"yaml\.h", {"lib/source"}),
    (r"csv\.h|re2/re2\.h", {"lib/source"}),
    (r"lmdb\.h", {"formats/lmdb"}),
    (r"(H5|hdf5).*\.h", {"formats/hdf5"}),
    (r"google/protobuf/.*", {"formats/tfrecord", "formats/lmdb"}),
    (r"boost/(program_options|any).*", {"tools"}),
    (r"nanobind/.*", {"python"}),
]
# Tests may use any of these: they are the oracles.
TEST_ONLY = r"catch2/.*|sanitizer/.*"

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv
cfloat charconv chrono cinttypes climits clocale cmath codecvt compare complex
concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution
filesystem format forward_list fstream functional future initializer_list
iomanip ios iosfwd iostream istream iterator latch limits list locale map
memory memory_resource mutex new numbers numeric optional ostream queue random
ranges ratio regex scoped_allocator semaphore set shared_mutex source_location
span sstream stack stdexcept stop_token streambuf string string_view
syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version
""".split())
# Headers that the owned randomness rule keeps out of everything but tests.
BANNED = {"random", "regex"}
SYSTEM = re.compile(r"(sys|linux|arpa|netinet)/\w+\.h|(dirent|dlfcn|fcntl|link|unistd|"
                    r"glob|poll|signal|spawn|pthread|sched|locale|termios|time|"
                    r"immintrin|arm_neon|cxxabi|endian|stdio|stdlib|setjmp)\.h")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def home_of(path: str) -> str:
    """The folder a file's rights come from: lib/base, formats/X, tools..."""
    parts = pathlib.PurePath(path).parts
    if parts[:3] == ("lib", "include", "shardine"):
        return "public"
    if parts[0] == "lib":
        return "/".join(parts[:2])
    if parts[0] == "formats":
        return "/".join(parts[:2]) if len(parts) > 2 else "formats"
    if parts[:2] == ("tools", "im2rec"):
        return "tools/im2rec"
    if parts[:2] == ("tests", "python"):  # extensions of its own
        return "python"
    return parts[0]


def may_include_ours(home: str, header: str, folder: str) -> bool:
    """Whether `home` may include "folder/...", a header of this tree."""
    if folder == "shardine":
        return True
    if home == "tests":
        return folder != "binding"
    if home == "tools":
        return folder == "cli"
    if home == "tools/im2rec":
        return folder in IM2REC
    if home == "python":
        return folder == "binding"
    if home == "public":
        return False
    if home == "formats":
        return folder in FORMAT or folder not in {*LIB, "binding", "cli",
                                                   "im2rec"}
    kind, name = home.split("/", 1)
    if folder == name:
        return True
    if kind == "formats":
        return folder in FORMAT or header == "image/image_facts.h"
    return folder in LIB.get(name, set())


def exists(root: pathlib.Path, header: str) -> bool:
    """The file that "header" means, or the one it is generated from, if the
    tree has it."""
    header = re.sub(r"\.pb\.h$", ".proto", header)
    folders = ["lib", "lib/include", "formats", "tools", "tests", "python"]
    return any((root / folder / header).is_file() for folder in folders)


def quoted_fault(path: str, header: str,
                 root: pathlib.Path | None) -> str | None:
    home = home_of(path)
    folder = header.split("/")[0]
    if "/" not in header or folder in (".", ".."):
        return "our headers are included as \"folder/file.h\""
    if not may_include_ours(home, header, folder):
        return f"{home} may not include {folder}/"
    if home != "tests" and path not in KEEPERS.get(header, {path}):
        return "paths find their storage by StorageFor() (io/storage_for.h)"
    if root is not None and not exists(root, header):
        return "no such header in the tree"
    return None


def angled_fault(home: str, header: str) -> str | None:
    if header in BANNED and home != "tests":
        return f"<{header}> depends on the standard library in use"
    if header in STANDARD:
        return None
    if home == "public":
        return "public headers show nothing but the standard library"
    if SYSTEM.fullmatch(header):
        return None
    if home == "tests" and re.fullmatch(TEST_ONLY, header):
        return None
    for pattern, homes in HOMES:
        if re.fullmatch(pattern, header):
            if home in homes or home.split("/")[0] in homes | {"tests"}:
                return None
            return f"its home is {', '.join(sorted(homes))}"
    return "this third-party header has no home"


def fault(path: str, line: str, root: pathlib.Path | None = None) -> str | None:
    """The fault of `line` of `path`; None if there is none."""
    found = INCLUDE.match(line)
    if not found:
        return None
    quote, header = found.groups()
    home = home_of(path)
    if quote == '"':
        return quoted_fault(path, header, root)
    if header.startswith("shardine/"):
        stranger = path.startswith("tests/consumers/")
        return None if stranger else "our headers are included with quotes"
    return angled_fault(home, header)


BAD = [
    ("lib/base/a.cc", '#include "io/storage.h"'),
    ("lib/io/a.cc", '#include "image/probe.h"'),
    ("lib/io/a.cc", '#include "io/local_storage.h"'),
    ("lib/pack/pack.cc", '#include "io/local_storage.h"'),
    ("tools/im2rec/im2rec.cc", '#include "io/local_storage.h"'),
    ("lib/image/a.h", '#include "pipeline/sequencer.h"'),
    ("lib/pipeline/a.h", '#include "io/storage.h"'),
    ("lib/shard/a.cc", '#include "dataset/manifest.h"'),
    ("lib/source/a.cc", '#include "dataset/manifest.h"'),
    ("lib/pixels/a.cc", '#include "image/probe.h"'),
    ("lib/dataset/a.cc", '#include "pack/block.h"'),
    ("lib/pack/a.cc", '#include "load/loader.h"'),
    ("lib/load/a.cc", '#include "pack/journal.h"'),
    ("lib/verify/a.cc", '#include "pack/journal.h"'),
    ("lib/pack/a.cc", '#include "verify/verify_tree.h"'),
    ("lib/resize/a.cc", '#include "pack/journal.h"'),
    ("lib/report/a.cc", '#include "load/loader.h"'),
    ("lib/pack/a.cc", '#include "recordio/recordio_format.h"'),
    ("lib/shard/a.cc", '#include "cli/progress.h"'),
    ("formats/recordio/a.cc", '#include "dataset/manifest.h"'),
    ("formats/recordio/a.cc", '#include "image/probe.h"'),
    ("formats/recordio/a.cc", '#include "tfrecord/tfrecord_format.h"'),
    ("formats/builtin_formats.cc", '#include "pack/journal.h"'),
    ("formats/builtin_formats.cc", '#include "im2rec/list_maker.h"'),
    ("tools/cli/a.cc", '#include "base/bytes.h"'),
    ("tools/cli/a.cc", '#include "im2rec/list_maker.h"'),
    ("tools/im2rec/a.cc", '#include "source/source_set.h"'),
    ("tests/unit/base/a.cc", '#include "binding/bindings.h"'),
    ("python/binding/a.cc", '#include "base/bytes.h"'),
    ("python/binding/a.cc", '#include "cli/progress.h"'),
    ("lib/load/a.cc", '#include "binding/bindings.h"'),
    ("lib/load/a.cc", "#include <nanobind/nanobind.h>"),
    ("lib/include/shardine/a.h", '#include "base/bytes.h"'),
    ("lib/include/shardine/a.h", "#include <nlohmann/json.hpp>"),
    ("lib/include/shardine/a.h", "#include <fcntl.h>"),
    ("lib/include/shardine/a.h", "#include <jpeglib.h>"),
    ("lib/io/a.cc", "#include <xxhash.h>"),
    ("lib/base/a.cc", "#include <jpeglib.h>"),
    ("lib/shard/a.cc", "#  include <zstd.h>"),
    ("lib/shard/a.cc", "#include <nlohmann/json.hpp>"),
    ("formats/recordio/a.cc", "#include <isa-l/crc.h>"),
    ("lib/pack/a.cc", "#include <boost/program_options.hpp>"),
    ("lib/pack/a.cc", "#include <some/new_library.h>"),
    ("lib/pack/a.cc", "#include <catch2/catch.hpp>"),
    ("lib/pack/a.cc", "#include <random>"),
    ("lib/pack/a.cc", '#include "journal.h"'),
    ("lib/pack/a.cc", '#include "../shard/extent.h"'),
    ("lib/pack/a.cc", "#include <shardine/status.h>"),
]
GOOD = [
    ("lib/base/a.cc", "#include <xxhash.h>"),
    ("lib/io/a.cc", "#include <sys/stat.h>"),
    ("lib/io/storage_for.cc", '#include "io/local_storage.h"'),
    ("lib/pack/pack.cc", '#include "io/storage_for.h"'),
    ("lib/pack/a.cc", '#include "shard/format.h"'),
    ("lib/shard/a.h", '#include "shardine/status.h"'),
    ("lib/include/shardine/a.h", '#include "shardine/status.h"'),
    ("lib/include/shardine/a.h", "#include <vector>"),
    ("formats/recordio/a.cc", '#include "image/image_facts.h"'),
    ("formats/builtin_formats.cc", '#include "recordio/recordio_format.h"'),
    ("tools/cli/a.cc", "#include <boost/program_options.hpp>"),
    ("tools/cli/a.cc", '#include "cli/progress.h"'),
    ("tools/im2rec/a.cc", "#include <boost/program_options.hpp>"),
    ("tools/im2rec/a.cc", '#include "recordio/recordio_writer.h"'),
    ("python/binding/a.cc", "#include <nanobind/nanobind.h>"),
    ("python/binding/a.cc", '#include "binding/bindings.h"'),
    ("python/binding/a.cc", '#include "shardine/loader.h"'),
    ("tests/unit/io/a.cc", "#include <catch2/catch.hpp>"),
    ("tests/unit/io/a.cc", '#include "io/local_storage.h"'),
    ("tests/python/a.cc", '#include "binding/interruptible.h"'),
    ("tests/unit/io/a.cc", '#include "support/temp_dir.h"'),
    ("tests/unit/cli/a.cc", '#include "cli/columns.h"'),
    ("tests/consumers/consumer.cc", "#include <shardine/status.h>"),
]


def prove_itself() -> None:
    for path, line in BAD:
        if fault(path, line) is None:
            sys.exit(f"include_rules.py accepts a bad line: {path}: {line}")
    for path, line in GOOD:
        if why := fault(path, line):
            sys.exit(f"include_rules.py rejects a good line: {path}: {line}: "
                     f"{why}")


def source_files(root: pathlib.Path) -> Iterator[pathlib.Path]:
    for top in ("lib", "formats", "tools", "tests", "python"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path


def main(root: pathlib.Path) -> int:
    prove_itself()
    includes = 0
    faults = []
    for path in source_files(root):
        relative = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            includes += INCLUDE.match(line) is not None
            if why := fault(relative, line, root):
                faults.append(f"{relative}:{number}: {line.strip()}: {why}")
    for line in faults:
        print(line)
    print(f"{includes} includes, {len(faults)} against the rules")
    return 1 if faults or includes < 100 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
