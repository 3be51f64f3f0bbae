"""Pixels of shardine's operations and of torchvision's kernels, given the same
parameters. A second reading of shardine/pixel_operations.h draws these parameters here,
to check its description of the draws.

SHARDINE_CROPS: so many crops of the photos, instead of 200.
"""

import math
import os
import pathlib
import warnings
from typing import Any, Callable, Iterator, List, Sequence, Tuple

import numpy
import numpy.typing
import pytest
import torch
from PIL import Image

import shardine

# Newer torch has another name for a class that torchvision 0.15 asks for.
if not hasattr(torch._C, "DisableTorchFunctionSubclass"):
    torch._C.DisableTorchFunctionSubclass = torch._C.DisableTorchFunction
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it has no libjpeg for this torch
    import torchvision

    torchvision.disable_beta_transforms_warning()
    import torchvision.transforms.v2.functional as kernels

SEED = 0x123456789AB
MODES = {
    "nearest": torchvision.transforms.InterpolationMode.NEAREST,
    "bilinear": torchvision.transforms.InterpolationMode.BILINEAR,
}
CROPS = int(os.environ.get("SHARDINE_CROPS", "200"))
WIDTH, HEIGHT = 61, 47
Pixels = numpy.typing.NDArray[numpy.uint8]
Apply = Callable[["Draws", torch.Tensor], torch.Tensor]


class Draws:
    """Draws of the operation that is alone in its list."""

    def __init__(self, sample: int, epoch: int = 0) -> None:
        self.sample, self.epoch = sample, epoch

    def words(self, draw: int, first: int = 256) -> Tuple[int, ...]:
        low = 2**32 - 1
        c0, c1, c2 = self.sample & low, self.sample >> 32, self.epoch
        c3, k0, k1 = first + draw, SEED & low, SEED >> 32
        for _ in range(10):
            one, other = 0xD2511F53 * c0, 0xCD9E8D57 * c2
            c0, c1, c2, c3 = (
                other >> 32 ^ c1 ^ k0,
                other & low,
                one >> 32 ^ c3 ^ k1,
                one & low,
            )
            k0, k1 = k0 + 0x9E3779B9 & low, k1 + 0xBB67AE85 & low
        return c0, c1, c2, c3

    def uniform(self, draw: int, word: int) -> float:
        return self.words(draw)[word] / 2**32

    def below(self, draw: int, word: int, count: int) -> int:
        return self.words(draw)[word] * count >> 32

    def between(self, draw: int, word: int, low: float, high: float) -> float:
        return low + self.uniform(draw, word) * (high - low)


def extremes(width: int, height: int) -> Iterator[Pixels]:
    for value in (0, 1, 127, 254, 255):
        yield numpy.full((height, width, 3), value, numpy.uint8)
    y, x = numpy.mgrid[:height, :width]
    yield numpy.repeat(((x + y) % 2 * 255).astype(numpy.uint8)[..., None], 3, 2)
    ramp = numpy.repeat(((x * 5 + y) % 256).astype(numpy.uint8)[..., None], 3, 2)
    yield ramp
    for channel in range(3):
        constant = ramp.copy()
        constant[..., channel] = 200
        constant[..., (channel + 1) % 3] //= 3
        yield constant
    noise = numpy.random.default_rng(width)
    for high in (2, 8, 256):
        yield noise.integers(0, high, (height, width, 3), numpy.uint8)


def crops() -> Iterator[Pixels]:
    photos = [
        numpy.asarray(Image.open(path).convert("RGB"))
        for path in sorted(pathlib.Path(os.environ["PHOTOS"]).rglob("*.JPEG"))
    ]
    large = [p for p in photos if p.shape[0] >= HEIGHT and p.shape[1] >= WIDTH]
    places = numpy.random.default_rng(1)
    for i in range(CROPS):
        photo = large[i % len(large)]
        y = places.integers(photo.shape[0] - HEIGHT + 1)
        x = places.integers(photo.shape[1] - WIDTH + 1)
        yield photo[y : y + HEIGHT, x : x + WIDTH]


def packed(folder: pathlib.Path, images: Sequence[Pixels]) -> str:
    (folder / "tree" / "all").mkdir(parents=True)
    for i, image in enumerate(images):
        Image.fromarray(image).save(folder / "tree" / "all" / f"{i:05}.png")
    shardine.pack(folder / "tree", folder / "out")
    return str(folder / "out")


Source = Tuple[str, Tuple[int, int]]  # and height, width


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> List[Source]:
    folder = tmp_path_factory.mktemp("sources")
    images = [*crops(), *extremes(WIDTH, HEIGHT)]
    made = [(packed(folder / "crops", images), (HEIGHT, WIDTH))]
    for height, width in ((1, 1), (2, 5), (3, 3), (130, 1)):
        path = packed(folder / f"{height}x{width}", list(extremes(width, height)))
        made.append((path, (height, width)))
    return made


def pixels(source: Source, *operations: Any) -> Iterator[Tuple[int, torch.Tensor]]:
    """Ids, and images as C x H x W."""
    path, size = source
    loader = shardine.Loader(
        path,
        batch_size=64,
        last_batch="short",
        order="sequential",
        seed=SEED,
        layout="nchw",
        transform=[shardine.CenterCrop(size, resize=0), *operations],
    )
    for batch in loader:
        for sample, image in zip(batch.ids, batch.images):
            yield int(sample), torch.from_numpy(numpy.array(image))


def differences(source: Source, operation: Any, apply: Apply) -> Iterator[torch.Tensor]:
    for (sample, before), (same, after) in zip(
        pixels(source), pixels(source, operation)
    ):
        assert sample == same
        expected = before
        if Draws(sample).uniform(0, 0) < operation.p:
            expected = apply(Draws(sample), before)
        yield (after.int() - expected.int()).abs()


def blur(draws: Draws, image: torch.Tensor) -> torch.Tensor:
    sigma = draws.between(0, 1, 0.1, 2.0)
    return kernels.gaussian_blur_image_tensor(image, [5, 3], [sigma, sigma])


def cutout(draws: Draws, image: torch.Tensor) -> torch.Tensor:
    height, width = image.shape[1:]
    x, y = draws.below(1, 0, width), draws.below(1, 1, height)
    top, left = max(y - 6, 0), max(x - 6, 0)
    image = image.clone()
    image[:, top : y + 6, left : x + 6] = torch.tensor([9, 8, 7])[:, None, None]
    return image


def erase(draws: Draws, image: torch.Tensor) -> torch.Tensor:
    height, width = image.shape[1:]
    for draw in range(1, 11):
        area = height * width * draws.between(draw, 0, 0.1, 0.6)
        ratio = math.exp(draws.between(draw, 1, math.log(0.3), math.log(3.3)))
        h, w = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if h < height and w < width:
            i = draws.below(draw, 2, height - h + 1)
            j = draws.below(draw, 3, width - w + 1)
            value = torch.tensor([1.0, 2.0, 3.0])[:, None, None]
            return kernels.erase_image_tensor(image, i, j, h, w, value)
    return image


def affine(operation: Any) -> Apply:
    """The kernel call of an Affine, a RandomAffine or a RandomRotation."""
    mode = MODES[operation.interpolation]
    fill = operation.fill
    fill = list(fill) if isinstance(fill, tuple) else fill

    def fixed(draws: Draws, image: torch.Tensor) -> torch.Tensor:
        return kernels.affine_image_tensor(
            image,
            operation.angle,
            list(operation.translate),
            operation.scale,
            list(operation.shear),
            mode,
            fill,
        )

    def turned(draws: Draws, image: torch.Tensor) -> torch.Tensor:
        angle = draws.between(1, 0, -operation.degrees, operation.degrees)
        return kernels.rotate_image_tensor(image, angle, mode, fill=fill)

    def drawn(draws: Draws, image: torch.Tensor) -> torch.Tensor:
        height, width = image.shape[1:]
        across, down = operation.translate
        x0, x1, y0, y1 = operation.shear
        return kernels.affine_image_tensor(
            image,
            draws.between(1, 0, -operation.degrees, operation.degrees),
            [
                round((2 * draws.uniform(1, 1) - 1) * (across * width)),
                round((2 * draws.uniform(1, 2) - 1) * (down * height)),
            ],
            draws.between(1, 3, *operation.scale),
            [draws.between(2, 0, x0, x1), draws.between(2, 1, y0, y1)],
            mode,
            fill,
        )

    if isinstance(operation, shardine.Affine):
        return fixed
    return drawn if isinstance(operation, shardine.RandomAffine) else turned


def jitter(word: int, low: float, high: float, kernel: Any) -> Apply:
    return lambda draws, image: kernel(image, draws.between(1, word, low, high))


def simple(kernel: Any, *parameters: Any) -> Apply:
    return lambda draws, image: kernel(image, *parameters)


def affines(interpolation: Any) -> List[Tuple[Any, Apply]]:
    shears = (-20.0, 30.0, -10.0, 15.0)
    several = [
        shardine.Affine(90, interpolation=interpolation),
        shardine.Affine(45, (3, -2), 0.75, (10, 5), interpolation, (1, 2, 250)),
        shardine.Affine(translate=(-7, 4), interpolation=interpolation, fill=None),
        shardine.RandomRotation(180, interpolation, fill=(9, 200, 3)),
        shardine.RandomRotation(30, interpolation, fill=None, p=0.7),
        shardine.RandomAffine(
            30, (0.3, 0.4), (0.5, 1.7), shears, interpolation, (250, 0, 9)
        ),
    ]
    return [(each, affine(each)) for each in several]


EQUAL = [
    *affines("nearest"),
    (shardine.RandomHorizontalFlip(), simple(kernels.horizontal_flip_image_tensor)),
    (shardine.RandomVerticalFlip(), simple(kernels.vertical_flip_image_tensor)),
    (shardine.RandomInvert(), simple(kernels.invert_image_tensor)),
    (shardine.RandomAutocontrast(1), simple(kernels.autocontrast_image_tensor)),
    (shardine.RandomEqualize(1), simple(kernels.equalize_image_tensor)),
    *(
        (shardine.RandomPosterize(b, 1), simple(kernels.posterize_image_tensor, b))
        for b in range(9)
    ),
    *(
        (shardine.RandomSolarize(t, 0.9), simple(kernels.solarize_image_tensor, t))
        for t in (0, 127.5, 128, 255)
    ),
    (
        shardine.ColorJitter(brightness=(0, 2.5)),
        jitter(0, 0, 2.5, kernels.adjust_brightness_image_tensor),
    ),
    (shardine.RandomErasing(0.8, (0.1, 0.6), value=(1, 2, 3)), erase),
    (shardine.Cutout(13, (9, 8, 7), 0.8), cutout),
]

ONE_LEVEL = [
    *affines("bilinear"),
    (
        shardine.ColorJitter(contrast=0.9, p=0.8),
        jitter(1, 1 - 0.9, 1.9, kernels.adjust_contrast_image_tensor),
    ),
    (
        shardine.ColorJitter(saturation=(0, 3)),
        jitter(2, 0, 3, kernels.adjust_saturation_image_tensor),
    ),
    (
        shardine.ColorJitter(hue=0.5),
        jitter(3, -0.5, 0.5, kernels.adjust_hue_image_tensor),
    ),
    (
        shardine.RandomGrayscale(0.7),
        simple(kernels.rgb_to_grayscale_image_tensor, 3),
    ),
    *(
        (
            shardine.RandomAdjustSharpness(factor, 1),
            simple(kernels.adjust_sharpness_image_tensor, factor),
        )
        for factor in (0, 0.3, 1, 1.9, 7)
    ),
]


@pytest.mark.parametrize("operation, apply", EQUAL, ids=lambda v: repr(v)[:40])
def test_equal_bit_for_bit(sources: List[Source], operation: Any, apply: Apply) -> None:
    for source in sources:
        for difference in differences(source, operation, apply):
            assert difference.max() == 0


@pytest.mark.parametrize("operation, apply", ONE_LEVEL, ids=lambda v: repr(v)[:40])
def test_within_one_level(sources: List[Source], operation: Any, apply: Apply) -> None:
    check_one_level(sources, operation, apply)


def test_blur_within_one_level(sources: List[Source]) -> None:
    # torchvision has no mirror of images that the kernel is larger than.
    fitting = [s for s in sources if min(s[1]) > 2]
    check_one_level(fitting, shardine.GaussianBlur((5, 3)), blur)


def check_one_level(sources: List[Source], operation: Any, apply: Apply) -> None:
    off = total = 0
    for source in sources:
        for difference in differences(source, operation, apply):
            assert difference.max() <= 1
            off += int(difference.sum())
            total += difference.numel()
    print(operation, off, "of", total)
    assert off < total / 100  # saturation of gray: v f + v (1 - f)


def test_jitter_is_its_four_in_the_order_drawn(sources: List[Source]) -> None:
    operation = shardine.ColorJitter(0.4, 0.4, 0.4, 0.1)
    named = [
        jitter(0, 0.6, 1.4, kernels.adjust_brightness_image_tensor),
        jitter(1, 0.6, 1.4, kernels.adjust_contrast_image_tensor),
        jitter(2, 0.6, 1.4, kernels.adjust_saturation_image_tensor),
        jitter(3, -0.1, 0.1, kernels.adjust_hue_image_tensor),
    ]

    def apply(draws: Draws, image: torch.Tensor) -> torch.Tensor:
        order = [0, 1, 2, 3]
        for i in (3, 2, 1):
            j = draws.below(2, 3 - i, i + 1)
            order[i], order[j] = order[j], order[i]
        for each in order:
            image = named[each](draws, image)
        return image

    off = total = 0
    for difference in differences(sources[0], operation, apply):
        # A level that one of them is off, the next may make more of.
        assert difference.max() <= 6
        off += int((difference > 0).sum())
        total += difference.numel()
    assert off < total / 100


def test_lighting_is_its_formula(sources: List[Source]) -> None:
    from statistics import NormalDist

    values = numpy.array([0.2175, 0.0188, 0.0045])
    vectors = numpy.array(
        [
            [-0.5675, 0.7192, 0.4009],
            [-0.5808, -0.0045, -0.8140],
            [-0.5836, -0.6948, 0.4203],
        ]
    )

    def apply(draws: Draws, image: torch.Tensor) -> torch.Tensor:
        words = draws.words(1)[:3]
        normal = [NormalDist(0, 0.5).inv_cdf((w + 0.5) / 2**32) for w in words]
        added = 255 * vectors @ (values * normal)
        moved = image.double() + torch.from_numpy(added)[:, None, None]
        return moved.clamp(0, 255).round().to(torch.uint8)

    for source in sources:
        for difference in differences(source, shardine.Lighting(0.5), apply):
            assert difference.max() == 0


@pytest.mark.parametrize("padding", [0, 4, (3, 2), (1, 2, 3, 4)])
@pytest.mark.parametrize("needed", [False, True])
def test_random_crop_with_padding(
    sources: List[Source], padding: Any, needed: bool
) -> None:
    size = (70, 32) if needed else (40, 32)
    crop = shardine.RandomCrop(size, padding, needed, fill=(5, 6, 7))
    path, _ = sources[0]
    loader = shardine.Loader(
        path,
        batch_size=64,
        last_batch="short",
        order="sequential",
        seed=SEED,
        transform=crop,
        layout="nchw",
    )
    after = [(int(s), image) for b in loader for s, image in zip(b.ids, b.images)]
    several = padding if isinstance(padding, tuple) else (padding, padding)
    left, top, right, bottom = several * (4 // len(several))
    for (sample, image), (same, cropped) in zip(pixels(sources[0]), after):
        assert sample == same
        height, width = HEIGHT + top + bottom, WIDTH + left + right
        more = max(size[0] - height, 0)
        sides = [left, top + more, right, bottom + more]
        framed = kernels.pad_image_tensor(image, sides, fill=[5.0, 6.0, 7.0])
        words = Draws(sample).words(0, first=0)
        x = words[2] * (width - size[1] + 1) >> 32
        y = words[3] * (height + 2 * more - size[0] + 1) >> 32
        expected = kernels.crop_image_tensor(framed, y, x, *size)
        assert (torch.from_numpy(numpy.array(cropped)) == expected).all()
