"""Compares shardine.ImageRecordIter with mxnet.io.ImageRecordIter, value for value: by
their arguments where nothing is random, else by MXNet's draws.

Runs under the Python that has mxnet. PHOTOS: the folder of the test photos.
"""

import math
import pathlib
import tempfile
import unittest
from typing import Any

import numpy
from record_files import RecordFile, drawn_images, photos, png_of

# Which this MXNet still uses.
numpy.bool = bool  # type: ignore[misc, assignment]
import mxnet  # noqa: E402
from mxnet_draws import MxnetDraws  # noqa: E402

import shardine  # noqa: E402

SHAPE = (3, 24, 32)
IMAGES = 42
SEEDS = 48  # times IMAGES: about 2,000 samples of each operation
f32 = numpy.float32

FIXED: list[dict[str, Any]] = [
    {},
    *({"resize": side, "inter_method": method}
      for side in (10, 24, 31, 70) for method in (1, 2, 3, 4, 9)),
    *({"rotate": angle, "inter_method": method, "fill_value": 9}
      for angle in (1, 45, 90, 180, 271, 359) for method in (1, 2, 3, 4, 9)),
    {"rotate_list": "33"},
    {"rotate": 20, "resize": 60, "pad": 5},
    {"pad": 11, "fill_value": 3},
    {"pad": 200},
    *({"min_random_scale": scale, "max_random_scale": scale, "inter_method": method}
      for scale in (0.4, 0.77, 1.3, 2.5) for method in (1, 2, 9)),
    *({"min_aspect_ratio": ratio, "max_aspect_ratio": ratio}
      for ratio in (0.6, 1.2, 1.9)),
    {"min_img_size": 75}, {"max_img_size": 30}, {"max_img_size": 30.7, "rotate": 5},
    *({"min_crop_size": side, "max_crop_size": side, "inter_method": method}
      for side in (1, 12, 24, 25) for method in (0, 1, 2, 3, 4, 9)),
    {"min_crop_size": 20, "max_crop_size": 20, "pad": 4, "rotate": 10},
    {"random_resized_crop": True},
    {"mirror": True}, {"mirror": True, "rand_mirror": True},
    {"mean_r": 123.68, "mean_g": 116.28, "mean_b": 103.53},
    {"mean_r": 30, "std_r": 58.4, "std_g": 57.1, "std_b": 57.4, "scale": 0.3,
     "mirror": True},
    {"scale": 1 / 255},
    {"dtype": "uint8", "mirror": True},
    {"dtype": "int8", "mean_r": 100.5, "mean_g": 3.2, "mean_b": 128, "mirror": True},
    {"round_batch": True, "label_width": 1},
]


def whole_part(part: Any) -> shardine.ImageRecordCrop:
    """The one crop that fits is all of it."""
    height, width = part.shape[:2]
    if height == width:
        return shardine.ImageRecordCrop(SHAPE[1:], crop_size=(width, width))
    return shardine.ImageRecordCrop(
        SHAPE[1:], resized_crop=True, aspect=(width / height, width / height))


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        encoded = [png_of(image) for image in drawn_images(IMAGES)]
        self.file = RecordFile(self.folder, encoded)

    def both(self, file: RecordFile, shape: tuple[int, int, int], size: int,
             **options: Any) -> None:
        """An epoch of each: the same batches."""
        theirs = mxnet.io.ImageRecordIter(
            path_imgrec=file.rec, path_imgidx=file.idx, data_shape=shape,
            batch_size=size, preprocess_threads=1, verbose=False, **options)
        ours = shardine.ImageRecordIter(
            path_imgrec=file.rec, path_imgidx=file.idx, data_shape=shape,
            batch_size=size, preprocess_threads=1, verbose=False, **options)
        self.assertEqual([tuple(each) for each in theirs.provide_data],
                         ours.provide_data)
        self.assertEqual([tuple(each) for each in theirs.provide_label],
                         ours.provide_label)
        steps = 0
        for their, our in zip(theirs, ours, strict=True):
            expected = their.data[0].asnumpy()
            self.assertEqual(our.data[0].dtype, expected.dtype)
            numpy.testing.assert_array_equal(our.data[0], expected, str(options))
            numpy.testing.assert_array_equal(
                our.label[0], their.label[0].asnumpy(), str(options))
            self.assertEqual(our.pad, their.pad)
            steps += 1
        self.assertEqual(steps, math.ceil(file.images / size))


class ByArguments(Case):
    def test_values_labels_and_pads_are_equal_where_nothing_is_random(self) -> None:
        for options in FIXED:
            with self.subTest(**options):
                self.both(self.file, SHAPE, 8, **options)

    def test_an_image_that_is_too_small_grows(self) -> None:
        for shape in ((3, 60, 20), (3, 20, 95), (3, 100, 100)):
            for method in (1, 2, 3, 4, 9):
                self.both(self.file, shape, 5, inter_method=method)

    def test_photos_have_the_same_pixels(self) -> None:
        file = RecordFile(self.folder, photos(), "photos")
        for options in ({}, {"resize": 100}, {"rotate": 30, "resize": 130}):
            self.both(file, (3, 96, 96), 4, **options)

    def test_gray_images_have_one_channel(self) -> None:
        gray = [png_of(image[..., :1].repeat(3, 2)) for image in drawn_images(9)]
        file = RecordFile(self.folder, gray, "gray")
        for options in ({}, {"rotate": 40, "mean_r": 7, "std_r": 2}):
            self.both(file, (1, 24, 24), 4, **options)

    def test_colors_become_the_same_gray(self) -> None:
        pngs = [png_of(image) for image in drawn_images(9)]
        for name, encoded in (("colors", pngs), ("photos", photos())):
            file = RecordFile(self.folder, encoded, f"gray_{name}")
            for options in ({}, {"rotate": 40, "mean_r": 7, "std_r": 2}, {"resize": 31}):
                self.both(file, (1, 24, 24), 4, **options)

    def test_several_labels(self) -> None:
        encoded = [png_of(image) for image in drawn_images(7)]
        file = RecordFile(self.folder, encoded, "labels", width=3)
        self.both(file, SHAPE, 2, label_width=3)

    def test_a_list_takes_the_place_of_labels(self) -> None:
        self.both(self.file, SHAPE, 6, path_imglist=self.file.lst)

    def test_a_mean_image_is_read_made_and_written_as_theirs(self) -> None:
        ours, theirs = (str(self.folder / name) for name in ("ours", "theirs"))
        given: dict[str, Any] = {"path_imgrec": self.file.rec, "data_shape": SHAPE,
                                 "batch_size": 4, "verbose": False}
        mxnet.io.ImageRecordIter(mean_img=theirs, **given)
        shardine.ImageRecordIter(mean_img=ours, **given)
        made, expected = (mxnet.nd.load(path)["mean_img"].asnumpy()
                          for path in (ours, theirs))
        # MXNet adds up floats.
        numpy.testing.assert_allclose(made, expected, rtol=2e-6)
        for dtype in ("float32", "int8"):
            for mirror in (False, True):
                self.both(self.file, SHAPE, 5, mean_img=theirs, mirror=mirror,
                          dtype=dtype)


class ByWhatWasDrawn(Case):
    """The slot's seed makes MXNet draw the same for each image of one-image batches;
    ranges of ours that are no ranges take it."""

    def check(self, seed: int, transform: list[Any], dtype: Any = "float32",
              **options: Any) -> None:
        theirs = mxnet.io.ImageRecordIter(
            path_imgrec=self.file.rec, path_imgidx=self.file.idx, data_shape=SHAPE,
            batch_size=1, preprocess_threads=1, verbose=False, seed_aug=seed,
            **options)
        expected = numpy.concatenate([each.data[0].asnumpy() for each in theirs])
        loader = shardine.Loader(
            shardine.Dataset([self.file.rec]), batch_size=1, order="sequential",
            layout="nchw", dtype=dtype, transform=transform)
        made = numpy.concatenate([each.images for each in loader])
        numpy.testing.assert_array_equal(made, expected, str((options, transform)))

    def test_shear_angle_scale_and_aspect(self) -> None:
        for seed in range(SEEDS):
            draws = MxnetDraws(seed)
            shear = draws.uniform() * f32(0.3) * f32(2) - f32(0.3)
            angle = draws.whole(-40, 40)
            scale = draws.uniform(0.7, 1.4)
            aspect = draws.uniform(float(f32(1) - f32(0.2)), float(f32(1) + f32(0.2)))
            cut = shardine.ImageRecordCrop(
                SHAPE[1:], shear=(float(shear),) * 2, angle=(angle, angle),
                scale=(float(scale),) * 2, aspect=(float(aspect),) * 2)
            self.check(seed, [cut], max_shear_ratio=0.3, max_rotate_angle=40,
                       min_random_scale=0.7, max_random_scale=1.4,
                       max_aspect_ratio=0.2)

    def test_an_angle_of_a_list(self) -> None:
        for seed in range(SEEDS):
            draws = MxnetDraws(seed)
            draws.uniform()
            draws.whole(0, 0)
            angle = (0, 90, 135, 270)[draws.whole(0, 3)]
            self.check(seed, [shardine.ImageRecordCrop(SHAPE[1:], angles=[angle])],
                       rotate_list="0,90,135,270")

    def test_brightness_contrast_and_saturation(self) -> None:
        for seed in range(SEEDS):
            for place, name in enumerate(("brightness", "contrast", "saturation")):
                draws = MxnetDraws(seed)
                for _ in range(place):
                    draws.uniform()
                factor = float(f32(1.0 + float(draws.uniform(-0.8, 0.8))))
                jitter = shardine.ImageRecordJitter(**{name: (factor, factor)})
                self.check(seed, [shardine.ImageRecordCrop(SHAPE[1:]), jitter],
                           **{name: 0.8})

    def test_hue_saturation_and_lightness(self) -> None:
        for seed in range(SEEDS):
            draws = MxnetDraws(seed)
            shifts = []
            for most in (50, 160, 170):
                share = draws.uniform()
                share = (share + f32(4) * draws.uniform()) / f32(5)
                shifts.append(int(share * f32(most) * f32(2) - f32(most)))
            hls = shardine.RandomHLS(*((each, each) for each in shifts))
            self.check(seed, [shardine.ImageRecordCrop(SHAPE[1:]), hls],
                       random_h=50, random_s=160, random_l=170)

    def test_contrast_and_illumination_of_the_normalization(self) -> None:
        for seed in range(SEEDS):
            draws = MxnetDraws(seed)
            contrast = draws.uniform() * f32(0.4) * f32(2) - f32(0.4) + f32(1)
            light = draws.uniform() * f32(30) * f32(2) - f32(30)
            contrast, light = contrast * f32(0.5), light * f32(0.5)
            theirs = mxnet.io.ImageRecordIter(
                path_imgrec=self.file.rec, path_imgidx=self.file.idx,
                data_shape=SHAPE, batch_size=1, preprocess_threads=1, verbose=False,
                seed_aug=seed, max_random_contrast=0.4, max_random_illumination=30,
                scale=0.5, mean_r=10, std_g=3)
            ours = shardine.ImageRecordIter(self.file.rec, SHAPE, 1, dtype="uint8")
            mean = numpy.array([10, 0, 0], f32).reshape(3, 1, 1)
            std = numpy.array([1, 3, 1], f32).reshape(3, 1, 1)
            for their, our in zip(theirs, ours, strict=True):
                values = our.data[0].astype(f32)
                numpy.testing.assert_array_equal(
                    (values - mean) * (contrast / std) + light / std,
                    their.data[0].asnumpy())

    def test_random_crops(self) -> None:
        for seed in range(SEEDS):
            draws = MxnetDraws(seed)
            side = draws.whole(10, 24)
            file = RecordFile(self.folder, [png_of(drawn_images(1)[0])], "one")
            row, column = draws.whole(0, 40 - side), draws.whole(0, 50 - side)
            theirs = mxnet.io.ImageRecordIter(
                path_imgrec=file.rec, path_imgidx=file.idx, data_shape=SHAPE,
                batch_size=1, preprocess_threads=1, verbose=False, seed_aug=seed,
                min_crop_size=10, max_crop_size=24, rand_crop=True)
            part = drawn_images(1)[0][row:row + side, column:column + side]
            cut = RecordFile(self.folder, [png_of(part)], "part")
            ours = shardine.ImageRecordIter(
                cut.rec, SHAPE, 1, min_crop_size=side, max_crop_size=side)
            numpy.testing.assert_array_equal(
                ours.next().data[0], theirs.next().data[0].asnumpy())

    def test_random_resized_crops(self) -> None:
        for seed in range(SEEDS):
            draws = MxnetDraws(seed)
            image = drawn_images(1)[0]
            part = self.resized_part(draws, image)
            theirs = mxnet.io.ImageRecordIter(
                path_imgrec=self.first(image).rec, path_imgidx=self.first(image).idx,
                data_shape=SHAPE, batch_size=1, preprocess_threads=1, verbose=False,
                seed_aug=seed, random_resized_crop=True, min_random_area=0.1,
                max_random_area=0.9, min_aspect_ratio=0.7, max_aspect_ratio=1.5)
            cut = RecordFile(self.folder, [png_of(part)], "part")
            loader = shardine.Loader(
                shardine.Dataset([cut.rec]), batch_size=1, layout="nchw",
                order="sequential", dtype="float32",
                transform=whole_part(part))
            numpy.testing.assert_array_equal(
                next(iter(loader)).images, theirs.next().data[0].asnumpy())

    def first(self, image: Any) -> RecordFile:
        return RecordFile(self.folder, [png_of(image)], "one")

    def resized_part(self, draws: MxnetDraws, image: Any) -> Any:
        rows, columns = image.shape[:2]
        for _ in range(10):
            area = f32(rows * columns) * draws.uniform(0.1, 0.9)
            ratio = draws.uniform(0.7, 1.5)
            height = math.floor(float(numpy.sqrt(area / ratio)) + 0.5)
            width = math.floor(float(numpy.sqrt(area * ratio)) + 0.5)
            if draws.uniform() > 0.5:
                height, width = width, height
            if height <= rows and width <= columns:
                row = draws.whole(0, rows - height)
                column = draws.whole(0, columns - width)
                return image[row:row + height, column:column + width]
        raise AssertionError("none of ten fits")

    def test_noise_of_principal_components(self) -> None:
        vectors = numpy.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140],
                               [-0.5836, -0.6948, 0.4203]], f32)
        vectors = vectors * numpy.array([55.46, 4.794, 1.148], f32)
        off = total = 0
        for seed in range(SEEDS):
            along = numpy.array(MxnetDraws(seed).normals(0.8, 3), f32)
            added = (vectors * along).sum(1, dtype=f32).reshape(3, 1, 1)
            theirs = mxnet.io.ImageRecordIter(
                path_imgrec=self.file.rec, path_imgidx=self.file.idx,
                data_shape=SHAPE, batch_size=1, preprocess_threads=1, verbose=False,
                seed_aug=seed, pca_noise=0.8)
            ours = shardine.ImageRecordIter(self.file.rec, SHAPE, 1)
            for their, our in zip(theirs, ours, strict=True):
                made = numpy.clip(numpy.trunc(our.data[0] + added), 0, 255)
                away = numpy.abs(made - their.data[0].asnumpy())
                self.assertLessEqual(away.max(), 1)
                off += int((away > 0).sum())
                total += away.size
        # The logarithm's last bit differs.
        self.assertLess(off / total, 1e-3)


if __name__ == "__main__":
    unittest.main()
