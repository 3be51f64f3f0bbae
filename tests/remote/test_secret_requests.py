"""Requests that carry a secret or fetch one: where they go, and where not. All servers
are on loopback. Rows D2 to D4 of the field reports."""

import hashlib
import json
import os
import pathlib
import subprocess
from collections.abc import Iterator

import pytest

import s3_servers
from s3_servers import KEY, SECRET, Asked, Refusal, Service
from test_s3_credentials import NO_KEYS, answer, profiles, role_page

pytest_plugins = ["own_cache"]
SHARDINE = os.environ["SHARDINE"]


@pytest.fixture
def service(tmp_path: pathlib.Path) -> Iterator[Service]:
    (tmp_path / "objects").mkdir()
    with s3_servers.service_of_ours(tmp_path / "objects") as service:
        yield service


@pytest.fixture
def thief(tmp_path: pathlib.Path) -> Iterator[Service]:
    """Where redirects lead; it answers as if it were asked."""
    (tmp_path / "none").mkdir()
    with s3_servers.service_of_ours(tmp_path / "none") as thief:
        at = "/latest/meta-data/iam/security-credentials/"
        thief.pages = {"/latest/api/token": b"proof", at: b"role", f"{at}role": answer(),
                       "/agent": answer(), "/": role_page,
                       "/federation/credentials": json.dumps({"roleCredentials": {
                           "accessKeyId": "A", "secretAccessKey": "B",
                           "sessionToken": "C"}}).encode()}
        yield thief


def run(service: str, home: pathlib.Path, *words: str,
        **others: str) -> subprocess.CompletedProcess[str]:
    environment = s3_servers.environment(service, HOME=str(home), **NO_KEYS, **others)
    return subprocess.run([SHARDINE, "verify", "s3://data/set", *words], env=environment,
                          text=True, capture_output=True, timeout=60)


def sso(home: pathlib.Path) -> None:
    profiles(home, config="[default]\nsso_start_url = https://x/start\nsso_region = r\n"
                          "sso_account_id = 1\nsso_role_name = n\n")
    (home / ".aws/sso/cache").mkdir(parents=True)
    name = hashlib.sha1(b"https://x/start").hexdigest()
    (home / f".aws/sso/cache/{name}.json").write_text(json.dumps(
        {"accessToken": "bearer", "expiresAt": "2099-01-01T00:00:00Z"}))


def web_identity(home: pathlib.Path) -> dict[str, str]:
    (home / "token").write_text("web token")
    return {"AWS_ROLE_ARN": "arn:aws:iam::1:role/r",
            "AWS_WEB_IDENTITY_TOKEN_FILE": str(home / "token")}


@pytest.mark.parametrize("kind", ["instance", "container", "session", "web", "role"])
def test_no_request_for_credentials_follows_a_redirect(
    service: Service, thief: Service, tmp_path: pathlib.Path, kind: str
) -> None:
    def redirect(asked: Asked) -> Refusal | None:
        return (307, "Moved", {"Location": thief.address + asked.path})

    service.refuse = redirect
    own = {"instance": {"AWS_EC2_METADATA_SERVICE_ENDPOINT": service.address,
                        "AWS_EC2_METADATA_DISABLED": ""},
           "container": {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{service.address}/agent",
                         "AWS_CONTAINER_AUTHORIZATION_TOKEN": "proof"},
           "session": {"AWS_ENDPOINT_URL_SSO": service.address},
           "web": {"AWS_ENDPOINT_URL_STS": service.address} | web_identity(tmp_path),
           "role": {"AWS_ENDPOINT_URL_STS": service.address}}[kind]
    if kind == "session":
        sso(tmp_path)
    if kind == "role":
        profiles(tmp_path,
                 credentials=f"[base]\naws_access_key_id={KEY}\n"
                             f"aws_secret_access_key={SECRET}\n",
                 config="[default]\nrole_arn = arn:aws:iam::1:role/r\n"
                        "source_profile = base\n")
    done = run(service.address, tmp_path, **own)
    assert done.returncode != 0
    assert service.asked
    assert thief.asked == []


ELSEWHERE = "http://secrets.example"


def disabled(name: str) -> str:
    """The true addresses of metadata are never asked."""
    return "" if name == "AWS_EC2_METADATA_SERVICE_ENDPOINT" else "true"


@pytest.mark.parametrize(("name", "has_option"), [
    ("AWS_ENDPOINT_URL_STS", True), ("AWS_ENDPOINT_URL_SSO", True),
    ("AWS_EC2_METADATA_SERVICE_ENDPOINT", False),
    ("AWS_CONTAINER_CREDENTIALS_FULL_URI", False)])
def test_secrets_do_not_go_in_the_clear(
    service: Service, tmp_path: pathlib.Path, name: str, has_option: bool
) -> None:
    own = {name: ELSEWHERE, "AWS_EC2_METADATA_DISABLED": disabled(name)}
    if name == "AWS_ENDPOINT_URL_SSO":
        sso(tmp_path)
    if name == "AWS_ENDPOINT_URL_STS":
        own |= web_identity(tmp_path)
    done = run(service.address, tmp_path, **own)
    assert done.returncode == 2, done.stderr
    assert name in done.stderr
    assert ("http-credentials" in done.stderr) == has_option
    assert service.asked == []


def test_an_option_allows_plain_http_for_roles(
    service: Service, tmp_path: pathlib.Path
) -> None:
    """Its name leads nowhere; a proxy is not told of a secret."""
    own = {"AWS_ENDPOINT_URL_STS": ELSEWHERE} | web_identity(tmp_path)
    done = run(service.address, tmp_path, "--http-credentials", "--remote-patience=1",
               http_proxy=service.address, **own)
    assert done.returncode == 6, done.stderr
    assert "secrets.example" in done.stderr
    assert all(asked.method != "POST" for asked in service.asked)


@pytest.mark.parametrize("name", [
    "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL_SSO", "AWS_ENDPOINT_URL_S3",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_CONTAINER_CREDENTIALS_FULL_URI"])
@pytest.mark.parametrize("form", ["http://user:hidden@127.0.0.1:9/x",
                                  "http://127.0.0.1:9/x?token=hidden",
                                  "//user:hidden@x/?hidden#hidden"])
def test_what_an_address_hides_is_not_said(
    service: Service, tmp_path: pathlib.Path, name: str, form: str
) -> None:
    own = {name: form, "AWS_EC2_METADATA_DISABLED": disabled(name)}
    if name == "AWS_ENDPOINT_URL_SSO":
        sso(tmp_path)
    if name == "AWS_ENDPOINT_URL_STS":
        own |= web_identity(tmp_path)
    done = run(service.address, tmp_path, "--remote-patience=1", **own)
    assert done.returncode != 0
    assert "hidden" not in done.stdout + done.stderr


def test_what_tells_containers_apart_is_not_said(
    service: Service, tmp_path: pathlib.Path
) -> None:
    name = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
    done = run(service.address, tmp_path, **{name: "/hidden?hidden"})
    assert done.returncode == 2
    assert name in done.stderr
    assert "hidden" not in done.stderr
    service.refuse = lambda _: (500, "Broken", {})
    done = run(service.address, tmp_path, "--remote-patience=1",
               AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{service.address}/hidden")
    assert done.returncode != 0
    assert "hidden" not in done.stderr


def test_what_a_service_says_is_printable(
    service: Service, tmp_path: pathlib.Path
) -> None:
    service.refuse = lambda _: (403, "Evil\x7f\u202e", {})
    done = run(service.address, tmp_path, AWS_ENDPOINT_URL_STS=service.address,
               **web_identity(tmp_path))
    assert done.returncode != 0
    assert "\x7f" not in done.stderr and "\u202e" not in done.stderr


def proxied(service: Service, tmp_path: pathlib.Path, host: str) -> str:
    """Which Location the proxy gives for a public name, and the client's reaction."""
    def refuse(asked: Asked) -> Refusal | None:
        if asked.headers.get("host", "").startswith("public.example"):
            return (302, "Moved", {"Location": f"http://{host}/set/shardine.json"})
        return None

    service.refuse = refuse
    environment = s3_servers.environment(service.address, HOME=str(tmp_path))
    environment |= {"http_proxy": service.address, "NO_PROXY": "", "no_proxy": ""}
    done = subprocess.run([SHARDINE, "verify", "http://public.example/set"],
                          env=environment, text=True, capture_output=True, timeout=60)
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost:9", "[::1]:9", "10.1.2.3",
                                  "169.254.169.254", "[fe80::1]", "2130706433"])
def test_a_redirect_from_a_public_host_leads_to_none_inside(
    service: Service, tmp_path: pathlib.Path, host: str
) -> None:
    assert "a redirect from a public host" in proxied(service, tmp_path, host)
    hosts = {asked.headers["host"] for asked in service.asked}
    assert hosts == {"public.example"}


def test_a_redirect_to_another_public_host_is_followed(
    service: Service, tmp_path: pathlib.Path
) -> None:
    assert "redirect" not in proxied(service, tmp_path, "other.example")
    hosts = {asked.headers["host"] for asked in service.asked}
    assert hosts == {"public.example", "other.example"}


def test_a_listing_of_empty_pages_ends(service: Service, tmp_path: pathlib.Path) -> None:
    def page(asked: Asked) -> bytes:
        return (f"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>"
                f"{len(service.asked)}</NextContinuationToken></ListBucketResult>").encode()

    service.pages["/data"] = page
    for words in (["pack", "s3://data/set", str(tmp_path / "out")],
                  ["verify", "s3://data/set"]):
        done = subprocess.run(
            [SHARDINE, *words], text=True, capture_output=True, timeout=60,
            env=s3_servers.environment(service.address, HOME=str(tmp_path)))
        assert done.returncode != 0
        assert "s3://data/set" in done.stderr
