"""Ways out of errors, in Python's words: the program's advice (tools/cli/advice.cc,
whose messages these are), by parameters and functions instead of flags and commands."""

from __future__ import annotations

import errno
from typing import Optional

_MATCH = (
    'by="id" or "position" asks for another match (of index list_by=, of a Dataset '
    "labels_by=); rows of other samples are to be removed"
)
_TARGETS = (
    "pack the folder of images alone, with pair= those if the message names any; "
    "label_map= makes them classes"
)
_BY_ID = 'format="webdataset:keys=id" names them by ids'
_NAMES = 'names="id" of extract() gives each sample a file of its own'
# By a part of the message.
BY_MESSAGE = {
    "metadata files of the source are read": (
        'metadata_file="none" takes the images without it'
    ),
    "metadata-file not given, now auto": (
        'metadata_file="none" keeps the meaning that the dataset was made with'
    ),
    "made with kinds jpeg,png;": (
        'kinds=["jpeg", "png"] keeps the meaning that the dataset was made with'
    ),
    ", made with kinds ": (
        "kinds= with these keeps the meaning that the dataset was made with"
    ),
    "image layouts hwc, chw": "image_layout= names that order",
    "; the kinds are ": "kinds= with it takes such images, too",
    "no label, for lack of class folders": (
        "val_labels=FILE gives labels, unlabelled=True takes them without"
    ),
    "no label here, this one first": "unlabelled=True takes them without",
    " that cannot be)": 'bad_annotations="skip" leaves out and lists them',
    "not below the source": (
        "source can be any folder that all files of the list lie in, such as /; "
        "list_root= says where its relative paths start, if not there"
    ),
    "pairs of an image and its target": _TARGETS,
    "is named as targets are": _TARGETS,
    " no images, first ": (
        'empty_classes="keep" numbers such classes, "drop" leaves them out'
    ),
    "two class names are one in Unicode": "unite_classes=True makes them one class",
    "rows of the list is of one of the": _MATCH,
    " of no sample, by their ": _MATCH,
    " would hold label ": (
        "lossy_labels=True writes it so: the sidecar index keeps the exact labels, "
        "which other programs do not read"
    ),
    "the writer has ended, and took back": "write all samples with a new Writer",
    "the disk is too small: ": "space_check=False begins all the same",
    "is a file on a server, not a dataset": (
        "shardine.convert(file, output) makes a dataset of it"
    ),
    "is a file, not a dataset": "shardine.index() makes a dataset of shard files",
    "is in another place than the dataset that is to name it": (
        "shardine.convert() reads shard files where they lie"
    ),
    "only shards of a pack that is not finished": (
        "else shardine.index(shards, output) makes a dataset of them"
    ),
    "the layouts' parameter database picks one": (
        'shardine.index(file, output, format="LAYOUT:database=NAME")'
    ),
    "is a tar file of tar files": (
        "unpacked in a new folder, shardine.index() takes shards of samples, "
        "shardine.pack() folders of images"
    ),
    "is another index than the one of this file": (
        "replace=True writes this file's in its place"
    ),
    "; holding out ": (
        "min_per_class=N of pack() or where=EXPR of convert() leaves such classes out"
    ),
    " is too small for split ": 'small_classes="train" leaves such classes in train',
    " no group, this one first": (
        'group_by="^(PATTERN|.*)" makes each other key a group of its own'
    ),
    "shares cut the samples of one split, ": (
        "where=\"split = 'NAME'\" takes those of one"
    ),
    "a seed is of splits that are cut; ": (
        'split={"train": 0.9, "val": 0.1} or hold_out=N cuts, reshuffle=SEED makes a '
        "new order"
    ),
    "the names or numbers of their inputs before the keys": 'prefix="{n}/" does so',
    "the numbers of their inputs and their ids there before the keys": (
        'prefix="{n}/{id}/" does so'
    ),
    "a key that cannot name files of an archive": _BY_ID,
    "twice, which would make one sample of two": _BY_ID,
    " holds no key twice": 'prefix="{id}/" of convert() tells keys apart by ids',
    " labels, the first sample ": (
        'Dataset.select(where="labels = 1") takes the samples of one number of labels; '
        "an array in a field may be ragged"
    ),
    "the key is no path inside": _NAMES,
    "the key has a name ": _NAMES,
    " have one name": _NAMES,
    " a file and a folder of one name": _NAMES,
    "which holds another sample of this extraction": _NAMES,
    "has this key more than once": _NAMES,
    " to name a folder by": _NAMES,
    "is there and is no unchanged file of a card": (
        "out=DIR writes elsewhere, overwrite=True replaces it"
    ),
    "a card of a dataset on a server needs a folder": "out=DIR names one",
    "do not add up to the digests of the manifest": "shardine.verify() says more",
}
# By the error of the operating system.
BY_ERRNO = {
    errno.EAGAIN: "allow more with ulimit -u, or use fewer jobs or threads",
    errno.EDQUOT: "make room, and call it again",
    errno.EFBIG: "allow more with ulimit -f, or give a smaller shard_size",
    errno.EMFILE: "allow more with ulimit -n or resource.setrlimit()",
    errno.ENOMEM: "use fewer jobs or threads, or allow more with ulimit -v",
    errno.ENOSPC: "make room, and call it again",
    errno.EPERM: "choose another place",
    errno.EROFS: "choose another place",
}


def advice(text: str, path: Optional[str], number: int) -> Optional[str]:
    """The advice on an error, if there is any. `number`: its errno, or 0.

    >>> import errno
    >>> advice("out: open: too many open files", "out", errno.EMFILE)
    'allow more with ulimit -n or resource.setrlimit()'
    """
    for part, way_out in BY_MESSAGE.items():
        if part in text:
            return way_out
    is_sidecar = (path or "").endswith(".sdx") and "/.shardine/" in (path or "")
    if number == errno.ENOENT and is_sidecar:
        return "copy the folder .shardine as well: DIR/* leaves it out"
    return BY_ERRNO.get(number)
