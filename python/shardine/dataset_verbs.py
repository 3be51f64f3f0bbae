"""The command's verbs on existing datasets, from Python. shardine.verbs describes jobs,
progress and the end of a call."""

from __future__ import annotations

import sys
from typing import (
    TYPE_CHECKING,
    Any,
    Iterable,
    Iterator,
    Literal,
    Optional,
    Tuple,
    Union,
    cast,
    overload,
)

from . import _core
from .arguments import flag
from .audit_results import AuditResult
from .card_results import CardResult
from .dataset_results import (
    DatasetInfo,
    DiffResult,
    ExtractResult,
    ListedSample,
    NativeIndex,
    ReindexResult,
)
from .report_results import ReportResult
from .sample import key_bytes_of
from .verb_call import check_names, run
from .verb_options import (
    AuditOptions,
    CardOptions,
    DiffOptions,
    ExtractOptions,
    MergeOptions,
    NativeOptions,
    Path,
    ReindexOptions,
    RelabelOptions,
    ReportOptions,
)
from .verb_results import PackResult

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "audit",
    "card",
    "cat",
    "diff",
    "export",
    "extract",
    "info",
    "ls",
    "merge",
    "reindex",
    "relabel",
    "report",
]


def info(dataset: Path, *, counts: bool = False) -> DatasetInfo:
    """What the manifest of a dataset says. Opens no shard.

    >>> shardine.info("packed")
    DatasetInfo(format='recordio/mxnet', variant='original', samples=24, shards=1)
    >>> [(each.name, each.count) for each in shardine.info("packed").classes]
    [('boat', 8), ('house', 8), ('tree', 8)]

    >>> [split] = shardine.info("packed", counts=True).splits
    >>> split.class_counts, [field.name for field in split.fields]
    ((8, 8, 8), ['image'])

    dataset: its folder, or its shardine.json. counts: the indexes are read, too, for
    fields and for the samples of each class by split.

    Errors: NotFoundError: no dataset; CorruptError: the manifest or an index is
    damaged.
    """
    return cast(DatasetInfo, _core.info({"dataset": dataset, "counts": flag("counts", counts)}))


def ls(
    dataset: Path,
    *,
    split: Optional[str] = None,
    class_name: Optional[str] = None,
    limit: int = 0,
) -> Iterator[ListedSample]:
    """The samples of a dataset, by split, shard and record, with where each lies.

    >>> for sample in shardine.ls("packed"):
    ...     if sample.id == 0:
    ...         sample
    ListedSample(id=0, split='train', labels=(0,), key='boat/0.jpg')

    An iterator, of this process alone, that holds some thousand samples at a time:
    a thread reads ahead until it is deleted.

    >>> len(list(shardine.ls("packed", class_name="boat", limit=2)))
    2

    split, class_name: only samples of this split, and of this class, a name or a
      label's number. limit: only the first so many; 0: all.

    Errors, from next(): NotFoundError: no dataset; InvalidArgumentError: no such
    split or class; CorruptError: a sidecar index is damaged.
    """
    given = {"dataset": dataset, "split": split, "class_name": class_name, "limit": limit}
    return cast("Iterator[ListedSample]", _core.ls(given))


@overload
def cat(  # type: ignore[overload-overlap]
    dataset: Path, key: Union[str, bytes], *, split: Optional[str] = None
) -> bytes: ...


@overload
def cat(
    dataset: Path, key: Iterable[Union[str, bytes]], *, split: Optional[str] = None
) -> list[bytes]: ...


def cat(
    dataset: Path,
    key: Union[str, bytes, Iterable[Union[str, bytes]]],
    *,
    split: Optional[str] = None,
) -> Union[bytes, list[bytes]]:
    """The encoded image of the sample with that key, its checksum verified; for several
    keys a list of images, requested from a server at once.

    >>> shardine.cat("packed", "boat/0.jpg")[:3]
    b'\\xff\\xd8\\xff'
    >>> [len(image) for image in shardine.cat("packed", ["boat/0.jpg", "boat/1.jpg"])]
    [7253, 7253]

    key: as ls() gives it, or the bytes themselves. split: needed where several
      splits have that key.

    Errors: NotFoundError: no such sample; InvalidArgumentError: several splits
    have it, or one has it twice; CorruptError: it is damaged.
    """
    alone = isinstance(key, (str, bytes)) or not isinstance(key, Iterable)
    keys = [key_bytes_of(each) for each in ([key] if alone else key)]  # type: ignore[arg-type]
    if not keys:
        return []
    given = {"dataset": dataset, "keys": keys, "split": split}
    images = _core.cat(given)
    return images[0] if alone else images


def extract(
    dataset: Path, directory: Path, **options: Unpack[ExtractOptions]
) -> ExtractResult:
    """Writes every image of a dataset to DIRECTORY/KEY, or DIRECTORY/SPLIT/KEY
    when there are several splits. No name leaves the directory.

    >>> shardine.extract("packed", "files")
    ExtractResult(directory='files', files=24, kept=0, bytes=174072, annotation_files=0)
    >>> shardine.extract("packed", "files").kept
    24

    names: the form of file names: "key"; or "id", 00000007.jpg with the extension of
      the content; or "class/id", in folders of their classes.
    overwrite=True: replace files that are there with other contents; by default
      that is an ExistsError. on_bad="skip": leave out records that do not match
      their checksums and images without a sound header; rejected.jsonl in the
      directory lists them. progress: see shardine.verbs.

    Errors: ExistsError, UnsupportedError: a key that cannot be a file; both name
    it. CorruptError: an image is damaged.
    """
    return run(
        "extract",
        _core.extract,
        {"dataset": dataset, "directory": directory},
        options,
        kind=ExtractOptions,
        doing="extracting",
        gives=ExtractResult,
    )


def export(
    form: str, dataset: Path, directory: Path, **options: Unpack[ExtractOptions]
) -> ExtractResult:
    """Writes every image of a dataset, as extract() does, and its annotations in a
    form of other programs. Annotations are the fields that pack(annotations=) makes.

    >>> shardine.export("hf", "packed", "hub").annotation_files
    1

    form: "coco", annotations/instances_SPLIT.json and captions_SPLIT.json; "voc",
      JPEGImages, Annotations and ImageSets/Main; "yolo", images/SPLIT, labels/SPLIT
      and data.yaml; "hf", metadata.jsonl of an image folder of Hugging Face's
      datasets, with all fields. Boxes keep their pixels; YOLO has them as parts of
      the turned image, cut off at its edge.
    The options are those of extract(). The notes of the result say what the form
      could not hold.

    Errors: as of extract(); ValueError: a form that there is not, or one that the
    dataset has no fields for.
    """
    return run(
        "export",
        _core.extract,
        {"form": form, "dataset": dataset, "directory": directory},
        options,
        kind=ExtractOptions,
        doing="exporting",
        gives=ExtractResult,
    )


def diff(first: Path, second: Path, **options: Unpack[DiffOptions]) -> DiffResult:
    """The differences between two datasets, whatever their formats and shards.

    >>> _ = shardine.convert("packed", "few", where="label < 2", format="tfrecord")
    >>> found = shardine.diff("packed", "few", limit=1)
    >>> found.removed, found.differences
    (8, (Difference(kind='removed', split='train', key='tree/0.jpg'),))

    limit: so many `differences` are kept at most, by default all of them, some
      hundred bytes each; the counts cover all. progress: see shardine.verbs.

    Errors: NotFoundError: no dataset; CorruptError: a sidecar index is damaged.
    """
    return run(
        "diff",
        _core.diff,
        {"first": first, "second": second},
        options,
        kind=DiffOptions,
        doing="comparing",
        gives=DiffResult,
    )


def audit(*datasets: Path, **options: Unpack[AuditOptions]) -> AuditResult:
    """Images that datasets have more than once, byte for byte: in two splits, with
    different labels, or twice in a split.

    >>> shardine.audit("packed")
    AuditResult(samples=24, leaking=0, conflicting=1, duplicates=23)
    >>> shardine.audit("packed").copies[0].findings
    ('label-conflict', 'duplicate')

    The indexes give the candidates, whose images are read again and compared.
    datasets: one or several; or a tree of files that is none, where sizes do.

    >>> shardine.audit("packed", near=True).near_pairs
    0

    index_only: read no image; findings are not proved then. near: find images that look
      alike, too, which takes a second for about 700 photos; near_distance: compare the
      pixels of images whose hashes differ in up to so many of 256 bits, 1 to 101, of
      any two. By default that is 31, and 84 in the smallest splits, of 50,000 samples
      together.
    odd: find images that are dark, light, odd_aspect_ratio, low_information, blurry,
      grayscale or odd_size, as CleanVision 0.3.7 defines these names. Each image is
      decoded, a JPEG at the least of its eight sizes that has 64 pixels at its short
      side. odd_size compares all images of the datasets.

    >>> sorted(shardine.audit("packed", odd=True).odd_counts)[:2]
    ['blurry', 'dark']

    clean: write a .lst of the only dataset without the copies, one of each split where
      there are several. From the smallest split to the largest, each in its order, a
      sample stays unless it is a copy of one that stays.
    jobs, progress: see shardine.verbs.

    Errors: NotFoundError: no dataset; CorruptError: an index or an image is damaged;
    InvalidArgumentError: a list of several datasets.
    """
    return run(
        "audit",
        _core.audit,
        {"datasets": datasets},
        options,
        kind=AuditOptions,
        doing="auditing",
        gives=AuditResult,
    )


def report(dataset: Path, out: Path, **options: Unpack[ReportOptions]) -> ReportResult:
    """Writes one HTML file to look at a dataset with: whether evaluations on its splits
    can be trusted and their repairs, its identity, images that splits share, label
    conflicts, classes, images, files left out, and samples.

    >>> shardine.report("packed", "report.html").answer
    'one-split'

    The page needs no network, has at most 5 MB, and holds all of it as JSON.
    dataset: its folder, or its shardine.json. out: the file; an earlier report is
    replaced.

    overwrite: also over a file that is no report. samples: how many are shown at most,
      as many of each class; 1000 by default. seed: decides which.
    progress: see shardine.verbs.

    Errors: NotFoundError: no dataset; CorruptError: an index is damaged;
    InvalidArgumentError: `out` is another file, or a folder.
    """
    return run(
        "report",
        _core.report,
        {"dataset": dataset, "out": out},
        options,
        kind=ReportOptions,
        doing="reporting",
        gives=ReportResult,
    )


def card(
    dataset: Path, out: Optional[Path] = None, **options: Unpack[CardOptions]
) -> CardResult:
    """Writes three files to publish a dataset with: README.md with the head that Hugging
    Face's hub reads, croissant.json of MLCommons' vocabulary, and manifest-sha256.txt,
    which `sha256sum -c` compares in the dataset's folder.

    >>> shardine.card("packed", "card", license="cc-by-4.0").samples
    24

    Every file of the dataset is read once and compared with its manifest. Of a
    WebDataset, datasets.load_dataset(FOLDER) then gives the names of the classes.
    dataset: its folder, or its shardine.json. out: folder of the card; that of the
    dataset by default. Files that hold the same are kept.

    name: of the dataset; that of its folder by default. license: as the hub calls it.
      citation: a file of text. overwrite: also over files that were changed, or are no
      card's. jobs: threads; this process's share by default.
    progress: see shardine.verbs.

    Errors: NotFoundError: no dataset; CorruptError: a file is not the one that the
    manifest names, and nothing is written; InvalidArgumentError: a file of the same
    name is no unchanged card, or a dataset on a server needs `out`.
    """
    return run(
        "card",
        _core.card,
        {"dataset": dataset, **({} if out is None else {"out": out})},
        options,
        kind=CardOptions,
        doing="digesting",
        gives=CardResult,
    )


def merge(
    sources: Iterable[Path], out: Path, **options: Unpack[MergeOptions]
) -> PackResult:
    """Makes one dataset `out` of several, which are not written to. Splits and
    classes unite by name, ids are renumbered; the same call goes on where an
    interrupted one ended.

    >>> shardine.merge(["packed", "packed"], "both", prefix="{n}/").samples
    48

    sources: folders of datasets, or shard files that are in none.

    prefix: what stands in front of each key; {name} in it is the name of its
      source, {n} the number, from 0 on, {shard} the name of its shard there, {id}
      its id there. format: by default that of the first.
    on_bad, drop_keys: as for convert().
    lossy_labels, entry_points, space_check, replace: as for pack(). jobs, progress:
      see shardine.verbs.

    Errors as convert()'s; InvalidArgumentError: two samples with one key.
    """
    return run(
        "merge",
        _core.merge,
        {"sources": sources, "out": out},
        options,
        kind=MergeOptions,
        doing="merging",
        gives=PackResult,
    )


def relabel(
    source: Path, out: Path, list: Path, **options: Unpack[RelabelOptions]
) -> PackResult:
    """Makes the dataset `out` of the dataset `source` with the labels of a list;
    samples that are not in it keep theirs.

    >>> with open("new.lst", "w") as new:
    ...     _ = new.write("0\\t2\\tboat/0.jpg\\n")
    >>> _ = shardine.relabel("packed", "relabelled", "new.lst")
    >>> shardine.diff("packed", "relabelled").relabelled
    1

    list: a .lst: lines of id, labels and key, tabs between; CSV, TSV or JSON. by: the
      column of a row that names the sample: "key" (the default), or the id of a sample
      that has none; "id", whatever the key; "position": the id as a number from 0.
    on_bad: as for convert().
    lossy_labels, entry_points, space_check: as for pack(). jobs, progress: see
      shardine.verbs.

    Errors as convert()'s; InvalidArgumentError: a line that is no sample's, or a label
    outside the classes.
    """
    return run(
        "relabel",
        _core.relabel,
        {"source": source, "out": out, "list": list},
        options,
        kind=RelabelOptions,
        doing="relabelling",
        gives=PackResult,
    )


@overload
def reindex(
    dataset: Path, *, native: Literal[False] = False, **options: Unpack[ReindexOptions]
) -> ReindexResult: ...
@overload
def reindex(
    dataset: Union[Path, Iterable[Path]],
    *,
    native: Literal[True],
    **options: Unpack[NativeOptions],
) -> Tuple[NativeIndex, ...]: ...
def reindex(
    dataset: Union[Path, Iterable[Path]], *, native: bool = False, **options: Any
) -> Union[ReindexResult, Tuple[NativeIndex, ...]]:
    """Rebuilds the files beside the shards of a dataset; shards, samples and digests
    stay as they are.

    >>> shardine.reindex("packed", entry_points="none").datasets[0].files_removed
    1
    >>> shardine.reindex("foreign.rec", native=True)[0].index
    'foreign.idx'

    dataset: its folder; the variants below it are reindexed with it.
    entry_points: "auto" (the default): found where they are missing; "none": taken
      away. jobs, progress: see shardine.verbs.

    native=True: `dataset` is a shard file or several, of a dataset or not, and each
    gets the index of its format's own tool. replace=True: also over one that says
    something else, which is an ExistsError by default.

    Errors: NotFoundError: no dataset; CorruptError: a shard is damaged;
    UnsupportedError: a format whose programs have no index.
    """
    if flag("native", native):
        check_names("reindex", options, NativeOptions)
        indexes = _core.native_index({**options, "files": dataset})
        return cast("Tuple[NativeIndex, ...]", indexes)
    return run(
        "reindex",
        _core.reindex,
        {"dataset": dataset},
        options,
        kind=ReindexOptions,
        doing="reindexing",
        gives=ReindexResult,
    )
