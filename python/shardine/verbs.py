"""The work of the command shardine, from Python: an option --no-X is X=False, and
--dry-run is plan_pack().

All of them let other threads run. Ctrl-C ends them within two seconds with a
KeyboardInterrupt; the same call goes on from there. A failure is a ShardineError, a
wrong argument a TypeError or ValueError that names it; a result's warnings are given as
a UserWarning, too.

For all verbs that take a while:
  jobs: threads, 0 to 1024; 0, the default: this process's share of the
    processors. The result is the same for any number.
  progress: None, the default: a bar by tqdm, where that is installed, in a
    terminal or notebook; True: a bar; False: nothing; or a function, which is
    called with a Progress up to ten times a second and at the end, on the thread
    that called the verb. Its exception ends the work as Ctrl-C does.

For verbs that read folders of images:
  fields: files beside an image that are fields of its sample, by the end of their
    names after the image's stem: {"caption": ".txt", "mask": "_mask.png"} or
    "caption=.txt"; "auto": each other suffix by its own name. Files of text (.txt,
    .json, .xml, ...) are str in samples, all others bytes.
  pair: files of another tree, {"mask": "masks/{stem}.png"}: below the source, or by a
    whole path; {stem-_rgb} is the stem without "_rgb", {class} the first folder of the
    image's path, {dir} all of them.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Literal, Union, overload

from . import _core
from .arguments import are_shares
from .verb_call import run
from .verb_options import (
    ConvertOptions,
    IndexOptions,
    PackOptions,
    Path,
    ResizeOptions,
    ScanOptions,
    Shards,
    Source,
    To,
    VerifyOptions,
)
from .verb_results import (
    PackPlan,
    PackResult,
    ResizeResult,
    ScanResult,
    VerifyResult,
)

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "convert", "index", "pack", "plan_pack", "resize", "scan", "shuffle", "split",
    "verify",
]


def pack(source: Source, out: Path, **options: Unpack[PackOptions]) -> PackResult:
    """Packs the images of a folder into shuffled shards in the folder `out`.

    Bytes pass through untouched, each shard is read back before it gets its name,
    and the same call goes on where an interrupted one ended.

    >>> done = shardine.pack("photos", "out", format="webdataset", seed=1)
    >>> done
    PackResult(output='out', format='webdataset', samples=24, shards=1)
    >>> done.content_digest == shardine.info("out").content_digest
    True
    >>> shardine.pack("photos", "out", format="webdataset", seed=1).nothing_to_do
    True

    source: a folder with a folder for each class; or {"train": DIR, "val": DIR}. An
      archive (tar, tar.gz, tar.zst, zip) is the folder that it unpacks to.
    out: the dataset's folder, which need not exist.

    Source:
      list: a .lst, CSV, TSV, JSON or JSON lines file that has the samples, in place
        of a walk: columns path, label, split, id; all others become fields. list_root:
        the folder where its relative paths start, by default the source.
      metadata_file: the name of tables in the source, beside or above images: their
        column file_name starts from their folder, the others become labels and fields.
        By default metadata.csv and metadata.jsonl are read; "none": no file.
      label_map: a file of class numbers: lines "name number", names in order, or
        JSON. label_offset: an int that is added to every class number.
      blacklist: a file of keys or file names that are left out, one a line.
      val_labels: a file with the labels of images in a folder without class
        folders. unlabelled=True: take images that have no label.
      class_text: a file of what classes are called: "name, tab, text".
      bounding_boxes: a file of boxes, which become fields.
      annotations: "coco:instances.json", "voc:DIR" or "yolo:data.yaml", several with
        commas, of one split as "train=coco:train.json": boxes, polygons, masks,
        points and captions become fields. bad_annotations: "fail" (the default) or
        "skip", of annotations that cannot be.
      fields, pair: files that are fields of samples (see shardine.verbs).
      min_per_class: classes of fewer samples in a split are left out.
        empty_classes: "refuse" (the default), "keep", "drop". unite_classes=True:
        names that differ in their Unicode form alone (NFC, NFD) are one class.
        numbered_classes=True: class folders are whole numbers, and those are the
        labels; else names are ordered as text: 0, 1, 10, 2.
      hold_out: so many samples of each class go into split val. split: random
        splits, {"train": 0.9, "val": 0.1} or "train=0.9,val=0.1". stratify=True:
        each class is cut into the shares; small_classes: "refuse" (the default)
        or "train", where classes too small for a split then are. group_by: samples of
        one group are in one split: "folder:2", the name of the second folder in the
        key; "column:patient" of the list, by default its column group; or an expression
        (RE2) with one capture, "(p[0-9]+)". dedup_groups=True: images of the same bytes
        are in one split; near_groups=True: images that look alike are, too.
    Shards:
      format: "recordio" (the default), "tfrecord", "lmdb/datum", ...
      shards: the number in each split; or shard_size: image bytes of a shard, an int or
        a text such as "64M" (the default: "256M").
      seed: for the shuffle, split and hold_out, 0 to 2^64 - 1. shuffle=False keeps the
        order of the ids. suffix=False: shards without .rec and the like.
      lossy_labels=True: records may hold changed labels, where the format has no
        exact ones: integers for fractions, clipped ones, the first of several.
    Images:
      on_bad: "fail" (the default), "skip", "quarantine", "keep". check: "header"
        (the default), "decode", "none". kinds: the kinds of images that are good,
        by content: "jpeg", "png", "webp", "gif", "bmp", "tiff", all by default, and
        those that a complete dataset in `out` was made with. entry_points: "auto"
        (the default), "none".
      recode: "png" or "jpeg": images that are neither JPEG nor PNG are decoded and
        encoded again, JPEGs at `quality`; the color profile and the orientation stay,
        alpha is dropped. PNGs keep 16 bits a channel; to_8_bits=True scales them, of
        PNGs in the source as well.
      variants: which to make, ["original", "sz/160", "sz/320"]. For the sizes: encoding
        "jpeg" or "png"; quality 1 to 100; subsampling "420" or "444"; optimize;
        png_level 1 to 9; filter "bilinear" and Pillow's others; pass_order "pillow13"
        or "pillow12"; center_crop; color "keep", "color", "gray"; upscale; exif
        "ignore" or "apply"; keep_icc.
    Run: jobs, progress (see shardine.verbs); space_check=False begins even where
      the disk is too small. replace=True: a complete dataset in `out` gives way
      when the new one is made, with the files that its manifests list and no
      others; plan_pack(..., replace=True).replaced names them.

    Errors: InvalidArgumentError: options. CorruptError: a bad image under
    on_bad="fail". ChangedError: a source changed while at work, or `out` belongs
    to another plan. ExistsError: another pack is at work on it. UnsupportedError:
    the format cannot hold a sample. StorageError: disk.
    """
    given = {"source": source, "out": out}
    return run(
        "pack",
        _core.pack,
        given,
        options,
        kind=PackOptions,
        doing="packing",
        gives=PackResult,
    )


def plan_pack(source: Source, out: Path, **options: Unpack[PackOptions]) -> PackPlan:
    """The plan of pack() with the same arguments; writes nothing.

    >>> shardine.plan_pack("photos", "out", shard_size="64K").splits
    (PlannedSplit(name='train', samples=24, bytes=174072, shards=3),)

    Sizes are in bytes. The errors of pack(), except those of writing.
    """
    given = {"source": source, "out": out}
    return run(
        "plan_pack",
        _core.plan_pack,
        given,
        options,
        kind=PackOptions,
        doing="planning",
        gives=PackPlan,
    )


def verify(target: Path, **options: Unpack[VerifyOptions]) -> VerifyResult:
    """Checks a dataset, with the variants below it, or one shard file.

    >>> shardine.verify("packed", level="deep", against="photos")
    VerifyResult(target='packed', sound=True, samples=24)

    Damage is in the result's `findings`, no error: file, record, key, byte.

    level: "quick": manifest, sizes, headers of sidecars; "full", the default:
      every byte and checksum; "deep": decodes every image, too.
    against: a folder, or {"train": DIR, "val": DIR}, whose files the images must
      equal byte for byte. list, list_root: with `against`: pack()'s arguments, for keys
      that are no paths, such as those of files that the list names twice. image,
      label, key, one_hot, fields: of a shard file, as index() takes them.
    jobs, progress: see shardine.verbs.

    Errors: NotFoundError: no such target; StorageError: it could not be read.
    """
    given = {"target": target}
    return run(
        "verify",
        _core.verify,
        given,
        options,
        kind=VerifyOptions,
        doing="verifying",
        gives=VerifyResult,
    )


def convert(
    source: Shards, out: Path, **options: Unpack[ConvertOptions]
) -> PackResult:
    """Makes the dataset `out` of the dataset `source`, in another format or other
    shards.

    Payload bytes, ids, labels, keys, fields and order are kept, which the content
    digest proves; the same call goes on where an interrupted one ended.

    >>> done = shardine.convert("packed", "tars", format="webdataset", shards=2)
    >>> done.shards, done.content_digest == shardine.info("packed").content_digest
    (2, True)

    source: a dataset's folder; or shard files of any program that are in no
      dataset: one, several, a pattern, or {"train": FILE, "val": [FILE, FILE]}.

    Samples:
      split: a name or several: the samples of these; or, as for pack(), the shares
        of random splits. stratify, small_classes, group_by, dedup_groups, near_groups,
        hold_out: as for pack(). seed: for all these, 0 to 2^64 - 1.
      where: a condition, such as
        'label < 10 and key ~ "raw/*"'. limit: the first so many of each split.
      label_map: a file of other labels: "OLD NEW" lines. fields: the names of
        those that are kept beside the image, "none" or [] for none.
      prefix: what stands in front of each key; {shard} in it is the name of its
        shard in the source, {id} its id: "{shard}/".
      class_names: of shard files: a file with the classes' names by label. image,
        label, key, one_hot: of such files, as index() takes them.
      drop_keys: a file of keys to leave out, one a line, or a table of them.
    Shards:
      format, shards, shard_size, suffix: as for pack(); by default those of the
        source. reshuffle: the seed of a new order. strict=True: refuse data that only
        the sidecar index would keep. lossy_labels: as for pack().
    Images:
      pixels: "rgb", "bgr", "gray": decode the images, all of one size, to arrays.
        entry_points, recode, to_8_bits, quality: as for pack().
      encode: "png" or "jpeg": images that are arrays of uint8, bool or uint16 become
        encoded ones. image_layout: their axes, "hwc", "chw", "bgr" or "bgr-planes",
        as for Loader.
      on_bad: as for pack(), of images with a damaged header, or that are decoded;
        and of records of the source that cannot be read or do not match their
        checksums. "fail" looks at no image that passes through as it is.
    Run: jobs, progress (see shardine.verbs), space_check; replace, as for pack():
      `out` may be the source itself; dry_run=True with it changes nothing, and the
      result's `replaced` names the files that would go.

    >>> with open("unwanted.txt", "w") as keys:
    ...     _ = keys.write("boat/0.jpg\\n")
    >>> kept = shardine.convert("packed", "kept", drop_keys="unwanted.txt")
    >>> kept.samples, [(each.reason, each.count) for each in kept.ignored]
    (23, [('dropped', 1)])

    Errors as pack()'s, and CorruptError where the source is damaged.
    """
    given = {"source": source, "out": out}
    return run(
        "convert",
        _core.convert,
        given,
        options,
        kind=ConvertOptions,
        doing="converting",
        gives=PackResult,
    )


def split(source: Shards, out: Path, **options: Unpack[ConvertOptions]) -> PackResult:
    """convert(), with the samples cut into splits at random.

    >>> shares = {"train": 0.75, "val": 0.25}
    >>> _ = shardine.split("packed", "cut", split=shares, seed=1)
    >>> [(each.name, each.samples) for each in shardine.info("cut").splits]
    [('train', 18), ('val', 6)]

    source, out, options: as for convert(), with the shares `split`, or hold_out.

    All images of a patient, say, stay together:

    >>> _ = shardine.split("packed", "apart", split=shares, group_by="/(..)")
    >>> shardine.info("apart").made.options["group-by"]
    '/(..)'

    Errors as convert()'s.
    """
    if not are_shares(options.get("split")) and not options.get("hold_out"):
        raise ValueError(
            'into which splits? split={"train": 0.9, "val": 0.1} says shares, '
            "hold_out=N samples of each class"
        )
    return run(
        "split",
        _core.convert,
        {"source": source, "out": out},
        options,
        kind=ConvertOptions,
        doing="splitting",
        gives=PackResult,
    )


def shuffle(source: Shards, out: Path, **options: Unpack[ConvertOptions]) -> PackResult:
    """convert(), with the samples in a new random order.

    >>> shardine.shuffle("packed", "again", reshuffle=3).samples
    24

    source, out, options: as for convert(); reshuffle is 0 by default.

    Errors as convert()'s.
    """
    return run(
        "shuffle",
        _core.convert,
        {"source": source, "out": out},
        {**options, "reshuffle": options.get("reshuffle") or 0},
        kind=ConvertOptions,
        doing="shuffling",
        gives=PackResult,
    )


def index(files: Shards, out: Path, **options: Unpack[IndexOptions]) -> PackResult:
    """Makes a dataset of shard files, which stay where they are and are not
    written to: `out` gets the manifest and the sidecar indexes.

    >>> done = shardine.index("foreign.rec", "indexed")
    >>> done.samples, shardine.info("indexed").splits[0].shards[0].path
    (24, '../foreign.rec')

    files: a path or several, or those of each split: {"train": [FILE, FILE],
      "val": FILE}. Patterns stand for the files that fit them: "set-*.tar",
      "{a,b}/{000..149}.tar", also of addresses where they are in braces.

    split: the name of the split that all files are; of a file with several splits
      the one to take. class_names: a file with the names of the classes by label.
      list: labels and names of records, as pack() takes it. list_by: the column of a
      row that names its record: "key" (the default), or the id of a record that has
      none; "id"; "position": the id as its number from 0. format: where the contents of
      the files do not tell: "tfrecord/imagenet:label_offset=1".
    image, label, key: the fields of the records that are these: a feature of TFRecord,
      an extension ("input.jpg"), a dataset of HDF5 ("train/x", or "x" of each group), an
      item or a pattern of keys ("img-{n}") of LMDB. label="{folder}" is the folder in
      the key. Texts that are not all numbers become classes. one_hot: the label is a
      row of zeros with a single 1. fields: those that are kept beside the image.
    jobs, progress: see shardine.verbs.

    Errors: CorruptError: a file is damaged (record, byte); UnsupportedError: its
    format is not known; ChangedError: `out` has other files.
    """
    given = {"files": files, "out": out}
    indexed = run(
        "index",
        _core.index,
        given,
        options,
        kind=IndexOptions,
        doing="indexing",
        gives=PackResult,
    )
    if indexed.contents.lacks:
        warnings.warn(indexed.contents.text, stacklevel=2)
    return indexed


@overload
def resize(
    source: Source,
    out: Path,
    *,
    to: Literal["tree"] = "tree",
    **options: Unpack[ResizeOptions],
) -> ResizeResult: ...
@overload
def resize(
    source: Source, out: Path, *, to: Literal["shards"], **options: Unpack[ResizeOptions]
) -> PackResult: ...
def resize(
    source: Source, out: Path, *, to: To = "tree", **options: Unpack[ResizeOptions]
) -> Union[ResizeResult, PackResult]:
    """Resizes the images of `source` to one or several sizes, by one read and one
    decode of each; the same call goes on where an interrupted one ended.

    >>> shardine.resize("photos", "small", short_side=[16, 32], quality=80)
    ResizeResult(output='small', samples=24, files=48)
    >>> shardine.resize("packed", "shards", to="shards", short_side=16).sizes[0].path
    'sz/16'

    source: a folder, or {"train": DIR, "val": DIR}; for shards a dataset, too.
    to: "tree": files OUT/sz/SIZE/KEY, or OUT/sz/SIZE/SPLIT/KEY of several folders;
      "shards": datasets OUT/sz/SIZE.

    short_side: pixels of the shorter side, 1 to 65500: an int or several.
    preset: "imagenet18": the images and folders of its imagenet-sz, OUT/160 and
      OUT/320.
    on_bad, encoding and how else images are made, list, blacklist; and for shards
    the other options of a source, format, shards, shard_size, seed, shuffle,
    lossy_labels, entry_points: as for pack(). jobs, progress: see shardine.verbs.

    Errors as pack()'s.
    """
    if to not in ("tree", "shards"):
        raise ValueError(f'to: "{to}" is none of tree, shards')
    given = {"source": source, "out": out}
    if to == "tree":
        return run(
            "resize",
            _core.resize_tree,
            given,
            options,
            kind=ResizeOptions,
            doing="resizing",
            gives=ResizeResult,
        )
    return run(
        "resize",
        _core.resize_shards,
        given,
        options,
        kind=ResizeOptions,
        doing="resizing",
        gives=PackResult,
    )


def scan(target: Path, **options: Unpack[ScanOptions]) -> ScanResult:
    """Summarizes the images below a folder, or one file, before a pack: kinds, sizes in
    pixels, problems.

    >>> found = shardine.scan("photos", check="decode")
    >>> found, found.kinds[0].word, found.short_side.max
    (ScanResult(target='photos', files=24, bad=0), 'jpeg', 200)

    A problem of a file is no error: `problems` counts them by kind, with the first keys
    of each.

    check: "header" (the default) or "decode": how problems are looked for.
    jobs, progress: see shardine.verbs.

    Errors: NotFoundError: no such target; InvalidArgumentError: no image is in it.
    """
    given = {"target": target}
    return run(
        "scan",
        _core.scan,
        given,
        options,
        kind=ScanOptions,
        doing="scanning",
        gives=ScanResult,
    )
