"""Checks which shared libraries programs and modules draw in, directly or not: the
libraries they were linked for and nothing that those bring along, such as curl, LDAP
and Kerberos by way of a shared libhdf5.

Proves first that it sees a library that is not on the list.
Usage: linked_libraries.py FILE...
"""

import re
import subprocess
import sys

# Libraries that every Linux has; with the loader, which has its path.
SYSTEM = {"linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64",
          "libc", "libdl", "libgcc_s", "libm", "libpthread", "libstdc++"}
OURS = {"libboost_program_options", "libcsv", "libgif", "libisal", "libjpeg", "liblmdb",
        "libpng16", "libprotobuf-lite", "libre2", "libsimdjson", "libtiff", "libutf8proc",
        "libwebp", "libwebpdemux", "libxxhash", "libyaml-0", "libz", "libzstd"}
# Compressions of TIFF, which a shared libtiff brings along.
OF_TIFF = {"libLerc", "libdeflate", "libjbig", "liblzma", "libsharpyuv"}


def foreign(listing: str) -> list[str]:
    """The libraries of an `ldd` that are on neither list."""
    names = re.findall(r"^\s*(?:\S*/)?([^\s/]+?)\.so\b", listing, re.MULTILINE)
    if "libc" not in names:
        raise SystemExit(f"not what ldd prints:\n{listing}")
    return sorted({*names} - SYSTEM - OURS - OF_TIFF)


def main(files: list[str]) -> int:
    if foreign("\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibz.so.1 => not found\n"
               "\tlibcurl.so.4 => /lib/libcurl.so.4 (0x1)\n") != ["libcurl"]:
        raise SystemExit("linked_libraries.py does not see a foreign library")
    faults = 0
    for file in files:
        listing = subprocess.run(["ldd", file], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
        strangers = foreign(listing)
        faults += len(strangers)
        if strangers:
            print(f"{file} draws in {', '.join(strangers)}")
    print(f"{len(files)} files, {faults} foreign libraries")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
