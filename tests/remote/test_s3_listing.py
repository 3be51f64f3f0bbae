"""Trees of more keys than a page has are listed folder by folder, at the same time:
SeaweedFS and moto, and the requests to them."""

import contextlib
import http.server
import pathlib
from collections.abc import Iterator

import pytest

import s3_proxy
import s3_servers
from places import PHOTOS
from s3_objects import using
from shardine_program import output, run

pytest_plugins = ["own_cache"]
SERVICES = {"seaweedfs": s3_servers.seaweedfs, "moto": s3_servers.moto}
# More than a page of 1,000, in folders of folders, and one whose classes have a file
# each.
TREES = {
    "large": [f"many/c{label:02}/{number:03}.jpg" for label in range(9)
              for number in range(130)] + ["few/c00/x.jpg", "notes.txt"],
    "deep": [f"{label % 2}/{label % 3}/c{label}/a/{number:03}.jpg" for label in range(6)
             for number in range(180)],
    "small": [f"c{label:04}/0.jpg" for label in range(1050)],
    "page": [f"c{label}/{number}.jpg" for label in range(5) for number in range(40)],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("root")
    for name, keys in TREES.items():
        for key in keys:
            path = root / name / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
    for photo in sorted(PHOTOS.glob("hounds/*"))[:3]:
        for name, content in {
            f"hounds/{photo.name}": photo.read_bytes(),
            f"hounds/{photo.stem}.txt": b"a dog",
            f"notes/hounds/{photo.stem}.json": b'{"legs": 4}',
        }.items():
            path = root / "fielded" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return root


@pytest.fixture(scope="module", params=SERVICES)
def proxy(
    request: pytest.FixtureRequest, root: pathlib.Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[s3_proxy.Proxy]:
    folder = tmp_path_factory.mktemp("service") / "own"
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(SERVICES[request.param](folder))
        s3_servers.upload(address, root, "trees/")
        proxy = stack.enter_context(s3_proxy.before(address))
        stack.enter_context(using(proxy.address))
        yield proxy


@pytest.mark.parametrize("name", TREES)
def test_each_tree_is_listed_as_it_is_on_a_disk(
    proxy: s3_proxy.Proxy, root: pathlib.Path, name: str
) -> None:
    del proxy.asked[:]
    listed = output("list", f"s3://data/trees/{name}")
    assert listed == output("list", root / name)
    assert listed.count("\n") == len([key for key in TREES[name] if key.endswith(".jpg")])
    pages = [target for _, target in proxy.asked if "list-type=2" in target]
    below = [target for target in pages if "delimiter" in target]
    if name in ("large", "deep"):
        # The first page, then each folder.
        folders = {parent for key in TREES[name] for parent in pathlib.Path(key).parents}
        assert len(below) == len(folders)
        assert len(pages) == len(folders) + 1
    else:
        assert not below
        assert len(pages) == -(-len(TREES[name]) // 1000)


class Circle(http.server.BaseHTTPRequestHandler):
    """A service that says that a folder is in itself."""

    def do_GET(self) -> None:
        has_folders = "delimiter" in self.path
        inside = ("<CommonPrefixes><Prefix>t/</Prefix></CommonPrefixes>" if has_folders
                  else "<Contents><Key>t/c/0.jpg</Key><Size>1</Size><LastModified>"
                       "2026-01-01T00:00:00.000Z</LastModified></Contents>"
                       "<IsTruncated>true</IsTruncated>"
                       "<NextContinuationToken>more</NextContinuationToken>")
        body = f"<ListBucketResult>{inside}</ListBucketResult>".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_folder_in_itself_is_refused() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Circle)
    with s3_servers.serving(server), using(f"http://127.0.0.1:{server.server_address[1]}"):
        refused = run("list", "s3://data/t")
    assert refused.returncode == 6
    assert "s3://data/t: a listing of a folder in itself" in refused.stderr


def test_files_beside_images_are_fields_as_on_a_disk(
    proxy: s3_proxy.Proxy, root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    flags = ("--fields=text=.txt", "--pair=note=notes/{class}/{stem}.json",
             "--format=webdataset")
    output("pack", "s3://data/trees/fielded", tmp_path / "far", *flags)
    output("pack", root / "fielded", tmp_path / "near", *flags)
    output("diff", tmp_path / "far", tmp_path / "near")
    assert '"text" (' not in output("verify", tmp_path / "far")
    assert '{"name":"note"' in output("ls", tmp_path / "far", "--json")
