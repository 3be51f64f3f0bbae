"""A dataset as PyTorch's DataLoader wants it. Imports torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union
from typing import get_args

import numpy
import torch
import torch.utils.data

from .arguments import shown, texts
from .errors import UnsupportedError
from .pictures import picture
from .pixel_operations import PixelOperation
from .sample import Sample
from .together import makes_own
from .torch_types import Form
from .transforms import Transform

if TYPE_CHECKING:
    from .dataset import Dataset
    from .selection import Selection

# NumPy's types that torch makes tensors of, in 1.13, too.
_TENSORS = frozenset("b1 f2 f4 f8 i1 i2 i4 i8 u1".split())


class TorchSamples(torch.utils.data.Dataset):
    """The result of as_torch(): a map-style Dataset whose items torch's default collate
    takes.

    >>> import shardine
    >>> samples = shardine.Dataset("data").as_torch(transform=lambda image: image.size)
    >>> loader = torch.utils.data.DataLoader(samples, 6, shuffle=True)
    >>> for sizes, labels in loader:
    ...     print(len(labels))
    6
    6
    6
    6

    form: "tuple": (image, label); "dict": those, `id`, `key` and the sample's other
      fields by name: {"image": ..., "label": 3, "id": 17, "key": "tabby/1.jpg"}.
    transform: a function of the image as Pillow's, in RGB, which must be of a
      module where processes are spawned. An item that is still an image of Pillow's
      after it, or without one, becomes a tensor of uint8, 3 x height x width.
    fields: names of the fields that a dict has; by default all.

    A label is a number, as ImageFolder's target; several are a tensor of them.
    Arrays are tensors, bytes stay bytes. All samples must have the form of the
    first: as many labels, the same fields of the same types and shapes, and
    without a transform images of one size. ValueError, naming the sample: it has
    not; so has a sample without a label where a tuple needs one, and a field of a
    type that torch has not. UnsupportedError: a tuple of a sample without image.

    Goes through DataLoader with any number of workers, by fork or spawn, and any
    sampler; can be pickled.
    """

    def __init__(
        self,
        samples: Union[Dataset, Selection],
        form: Form = "tuple",
        *,
        transform: Optional[Callable[[Any], Any]] = None,
        fields: Optional[Sequence[str]] = None,
    ) -> None:
        if form not in get_args(Form):
            raise ValueError(f"form: {form!r} is neither 'tuple' nor 'dict'")
        if isinstance(transform, (Transform, PixelOperation)):
            raise TypeError(
                f"transform: {transform!r} is for a shardine.Loader; this is a "
                "function, such as torchvision's transforms"
            )
        if transform is not None and not callable(transform):
            raise TypeError(f"transform: {transform!r} is not a function")
        if fields is not None and form == "tuple":
            raise ValueError('fields: are of as_torch("dict")')
        whole: Any = getattr(samples, "dataset", samples)
        self.samples = samples
        self.form = form
        self.transform = whole.transform if transform is None else transform
        self.target_transform = whole.target_transform
        self._fields = None if fields is None else texts("fields", fields)
        self._first: Optional[Dict[str, Any]] = None

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, position: int) -> Any:
        return self._item(self.samples.sample(position))

    def __getitems__(self, positions: Sequence[int]) -> List[Any]:
        """The items at these positions, of a batch: they are read together."""
        if makes_own(self, TorchSamples):
            return [self[position] for position in positions]
        return [self._item(each) for each in self.samples.samples_at(positions)]

    def _item(self, sample: Sample) -> Any:
        item = self._parts(sample)
        if self._first is None:
            self._first = _form_of(self._parts_of_first())
        self._check(sample, _form_of(item))
        item = {name: value for name, value in item.items() if value is not None}
        return item if self.form == "dict" else (item["image"], item["label"])

    def _parts_of_first(self) -> Dict[str, Any]:
        return self._parts(self.samples.sample(0), is_shown=self.transform is None)

    def _parts(self, sample: Sample, is_shown: bool = True) -> Dict[str, Any]:
        parts: Dict[str, Any] = {"image": None, "label": self._label(sample)}
        if self.form == "tuple" or "image" in sample.fields:
            parts["image"] = self._image(sample) if is_shown else b""
        if self.form == "tuple":
            return parts
        parts["id"], parts["key"] = sample.id, sample.key
        names = [name for name in sample.fields if name != "image"]
        for name in names if self._fields is None else self._fields:
            if name in parts:
                raise ValueError(
                    f"sample {sample.key!r}: its field {name!r} has the name of "
                    "another part; fields=[...] can do without it"
                )
            parts[name] = _tensor(sample, name)
        return parts

    def _image(self, sample: Sample) -> Any:
        image: Any = picture(sample.image, sample.key, None)
        if self.transform is not None:
            image = self.transform(image)
        if not hasattr(image, "getbands"):  # no image of Pillow's
            return image
        pixels = numpy.array(image, copy=True)
        pixels = pixels if pixels.ndim == 3 else pixels[:, :, None]
        return torch.from_numpy(pixels.transpose(2, 0, 1).copy())

    def _label(self, sample: Sample) -> Any:
        labels = sample.labels
        if not labels:
            if self.form == "tuple":
                raise ValueError(
                    f"sample {sample.key!r}: it has no label, which a tuple needs; "
                    'as_torch("dict") can do without'
                )
            return None
        label: Any = labels[0] if len(labels) == 1 else torch.tensor(labels)
        return label if self.target_transform is None else self.target_transform(label)

    def _check(self, sample: Sample, form: Dict[str, Any]) -> None:
        """ValueError where torch could not collate it with others."""
        first = self._first
        assert first is not None
        for name in {**first, **form}:
            has, others = form.get(name), first.get(name)
            if has == others or (name == "image" and self._transforms(has, others)):
                continue
            way_out = {
                "image": "transform= can make them one size",
                "label": "a collate_fn of shardine.Dataset's own samples takes any",
            }.get(name, "fields=[...] can do without it")
            raise ValueError(
                f"sample {sample.key!r}: its {name} is {has or 'not there'}, and that "
                f"of the first sample {others or 'not there'}; {way_out}"
            )

    def _transforms(self, has: Any, others: Any) -> bool:
        """Whether the shapes of images are the transform's business."""
        return self.transform is not None and (has is None) == (others is None)

    @shown
    def __repr__(self) -> str:
        return f"<shardine.TorchSamples, {self.form!r}s of {self.samples!r}>"


def _form_of(parts: Dict[str, Any]) -> Dict[str, Any]:
    """The type of each part in words, as default_collate distinguishes types."""
    return {name: _words(value) for name, value in parts.items() if value is not None}


def _words(value: Any) -> str:
    if isinstance(value, (int, float)):  # which it mixes
        return "one number"
    if isinstance(value, torch.Tensor):
        sides = " x ".join(map(str, value.shape)) or "one"
        return f"{sides} {str(value.dtype).replace('torch.', '')}"
    return "bytes" if isinstance(value, bytes) else type(value).__name__


def _tensor(sample: Sample, name: str) -> Any:
    value = sample.fields.get(name)
    if not isinstance(value, numpy.ndarray):
        return value
    if value.dtype.str[1:] not in _TENSORS:
        raise UnsupportedError(
            f"sample {sample.key!r}: its field {name!r} is of {value.dtype}, which "
            "torch has no tensors of; fields=[...] can do without it"
        )
    return torch.from_numpy(value)
