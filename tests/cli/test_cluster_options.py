"""Work on a cluster: the same bytes as by threads, whatever fails, and no finished chunk lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bridgespec.cli.cluster_options import regrouped
from bridgespec.cluster import run as running
from bridgespec.cluster.chunk_store import SUFFIX, ChunkStore, digest
from bridgespec.cluster.jobs import checked, convert_chunk, solve_chunk, versions
from bridgespec.errors import UsageError
from bridgespec.model.generator import chunks
from bridgespec.version import VERSION
from tests.cli.running import ROOT, process, run

if find_spec("distributed") is None:
    pytest.skip("the extra 'cluster' is not installed", allow_module_level=True)
DEALS = 24
CHUNK = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Deals, and their tables as threads solve them."""
    made = tmp_path_factory.mktemp("cluster")
    assert run("generate", "rpdd", "--deals", f"0-{DEALS}", "-o", made / "d.zbd", "-q").exit_code == 0
    assert run("solve", made / "d.zbd", "-o", made / "threads.zrd", "-q").exit_code == 0
    return made


@contextmanager
def scheduler(
    workers: int, *options: str, **extra: str
) -> Iterator[tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers in processes of their own, each of which may be killed."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "30", **extra}
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    head = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, env=env)
    assert head.stderr is not None
    address = next(line.split()[-1].decode() for line in head.stderr if b"Scheduler at:" in line)
    crew = [worker(address, env, *options[2:]) for _ in range(workers)]
    try:
        yield address, head, crew
    finally:
        for one in (*crew, head):
            one.kill()
            one.wait()


def worker(address: str, env: dict[str, str], *options: str) -> subprocess.Popen[bytes]:
    """One worker with one thread and no nanny."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    return subprocess.Popen([*command, *options], stderr=subprocess.DEVNULL, env=env)


def solving(folder: Path, address: str, name: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    call = ["solve", "d.zbd", "-o", name, "--cluster", address, "--chunk", str(CHUNK), "--store", f"{name}.store"]
    command = [sys.executable, "-m", "bridgespec", *call]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finished(folder: Path, name: str) -> int:
    """How many chunks are kept."""
    return len(list((folder / f"{name}.store").glob(f"*{SUFFIX}")))


def wait_for(folder: Path, name: str, count: int) -> None:
    """Until so many chunks are done."""
    for _ in range(2400):
        if finished(folder, name) >= count:
            return
        time.sleep(0.05)
    raise AssertionError("no chunk was done in two minutes")


@pytest.mark.long
def test_whatever_is_killed_the_bytes_are_the_same(folder: Path) -> None:
    """A worker, the client, then the scheduler: what was done is kept, the next run goes on, and the file is that of threads."""
    name = "killed.zrd"
    with scheduler(1) as (address, head, crew):
        client = solving(folder, address, name)
        wait_for(folder, name, 1)
        crew[0].kill()
        crew.append(worker(address, {**os.environ, "PYTHONPATH": str(ROOT)}))
        wait_for(folder, name, 2)
        client.kill()
        client.wait()
        before = finished(folder, name)
        client = solving(folder, address, name)
        wait_for(folder, name, before + 1)
        head.kill()
        told, _ = client.communicate(timeout=120)
        assert client.returncode == 2
        # A client that had not yet reached it has nothing to go on from.
        assert ("the scheduler is gone" in told and "the same command goes on" in told) or "no scheduler at" in told
        assert not (folder / name).exists()
        kept = finished(folder, name)
        assert kept >= 3
    with scheduler(1) as (address, _, _):
        client = solving(folder, address, name)
        told, _ = client.communicate(timeout=240)
        assert client.returncode == 0, told
        assert f"{kept} chunks of an earlier run" in told
    assert (folder / name).read_bytes() == (folder / "threads.zrd").read_bytes()


@pytest.mark.long
def test_a_cluster_here_solves_and_converts(folder: Path) -> None:
    """``--cluster local`` starts one and ends it; nothing is left beside the files."""
    done = process("solve", folder / "d.zbd", "-o", folder / "here.zrd", "--cluster", "local", "-j", "1", "--chunk", str(CHUNK))
    assert done.returncode == 0, done.stderr
    assert (folder / "here.zrd").read_bytes() == (folder / "threads.zrd").read_bytes()
    assert not list(folder.glob(".here*"))


@pytest.mark.long
def test_chunks_are_converted_as_files_are(folder: Path, tmp_path: Path) -> None:
    """The jobs of a conversion, joined, are the bytes of ``convert``; done twice, a chunk stays as it is."""
    store = ChunkStore(str(tmp_path / "store"))
    store.prepare()
    run("convert", folder / "threads.zrd", tmp_path / "whole.zdd", "-q")
    data = (folder / "threads.zrd").read_bytes()
    joined = b""
    for first in range(0, DEALS, 7):
        part = data[23 * first : 23 * (first + 7)]
        name = digest(part)
        for _ in range(2):
            assert convert_chunk(store.url, name, part, "zrd", "zdd", ()) == len(part) // 23
        joined += store.read(name) or b""
    assert joined == (tmp_path / "whole.zdd").read_bytes()


@pytest.mark.long
def test_a_damaged_chunk_is_done_again(tmp_path: Path) -> None:
    """A chunk holds its own digest; one that was cut off counts as missing."""
    store = ChunkStore(str(tmp_path / "store"))
    store.prepare()
    deals = next(chunks(0, 1))
    assert solve_chunk(store.url, "x", deals.tobytes(), (1 << 20) - 1, 16) == 1
    good = store.read("x")
    assert good is not None
    (path,) = (tmp_path / "store").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert store.read("x") is None
    solve_chunk(store.url, "x", deals.tobytes(), (1 << 20) - 1, 16)
    assert store.read("x") == good
    assert store.names() == {"x"}
    store.clear()
    assert store.names() == set()


def test_rows_are_regrouped() -> None:
    """Whatever the parts, the rows come in order, so many at a time."""
    rows = np.arange(46, dtype=np.uint8).reshape(23, 2)
    for cuts in ([3, 4, 20], [], [1, 2, 3, 23], [10, 20]):
        parts = list(regrouped(np.split(rows, cuts), 5))
        assert [len(part) for part in parts] == [5, 5, 5, 5, 3]
        assert (np.concatenate(parts) == rows).all()


@pytest.mark.long
def test_calls_that_cannot_be_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody at an address, a store without a cluster, nothing for chunks to do, an unknown kind of store; no folder is left."""
    monkeypatch.setattr(running, "CONNECT", 1)
    here, names = folder / "d.zbd", sorted(path.name for path in folder.iterdir())
    for call, says in (
        (("solve", here, "-o", folder / "x.zrd", "--cluster", "tcp://127.0.0.1:9"), "no scheduler at"),
        (("solve", here, "-o", folder / "x.zrd", "--store", "y"), "--cluster"),
        (("solve", here, "-o", "-", "--to", "zrd", "--cluster", "local"), "--store"),
        (("convert", here, folder / "x.pbn", "--cluster", "local"), "leave it out"),
        (("solve", here, "-o", folder / "x.zrd", "--cluster", "local", "--store", "nowhere://x"), "nowhere"),
    ):
        result = run(*call)
        assert result.exit_code == 2, call
        assert says in result.stderr
        assert "chunks are kept" not in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == names


@pytest.mark.slow
def test_chunks_are_kept_in_an_object_store(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3, as moto's server on this machine gives it."""
    pytest.importorskip("s3fs", reason="pip install s3fs 'moto[server]'")
    server = pytest.importorskip("moto.server", reason="pip install s3fs 'moto[server]'").ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in {
            "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1",
            "FSSPEC_S3_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        call = ("solve", folder / "d.zbd", "-o", tmp_path / "s3.zrd", "--cluster", "local", "-j", "1", "--chunk", "6")
        for words in ("", "4 chunks of an earlier run"):
            done = process(*call, "--store", "s3://bucket/run")
            assert done.returncode == 0, done.stderr
            assert words in done.stderr
            assert (tmp_path / "s3.zrd").read_bytes() == (folder / "threads.zrd").read_bytes()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The options of a certificate that is its own authority."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    made = tmp_path_factory.mktemp("tls")
    key, cert = str(made / "key.pem"), str(made / "cert.pem")
    call = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        cert,
        "-days",
        "2",
        "-subj",
        "/CN=x",
    ]
    subprocess.run(call, check=True, capture_output=True)
    return ("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)


@pytest.mark.long
def test_tls_options_are_those_of_dask(folder: Path, tls: tuple[str, ...]) -> None:
    """With the certificate the work is done; without it, or without encryption, the scheduler is not reached."""
    with scheduler(1, "--protocol", "tls", *tls) as (address, _, _):
        assert address.startswith("tls://")
        call = ["solve", folder / "d.zbd", "--chunk", str(CHUNK), "-q", "-o", folder / "tls.zrd"]
        done = process(*call, "--cluster", address, *tls)
        assert done.returncode == 0, done.stderr
        assert (folder / "tls.zrd").read_bytes() == (folder / "threads.zrd").read_bytes()
        for more in ([address], [address.replace("tls:", "tcp:"), *tls]):
            refused = process(*call, "--cluster", *more)
            assert refused.returncode == 2, refused.stderr
            assert "no scheduler at" in refused.stderr


OTHER = """
import bridgespec.version
bridgespec.version.VERSION = "0.0.9"
"""


@pytest.mark.long
def test_other_versions_on_a_worker_are_an_error(folder: Path, tmp_path: Path) -> None:
    """The version of a worker is compared before work is given out, and again by a worker that comes later."""
    (tmp_path / "sitecustomize.py").write_text(OTHER)
    other = f"{tmp_path}{os.pathsep}{ROOT}"
    call = ["solve", folder / "d.zbd", "--chunk", str(CHUNK), "-q", "-o", tmp_path / "x.zrd", "--cluster"]
    with scheduler(1, PYTHONPATH=other) as (address, _, _):
        done = process(*call, address)
        assert done.returncode == 2
        assert f"bridgespec 0.0.9 there, {VERSION} here" in done.stderr
        assert not (tmp_path / "x.zrd").exists()
    with pytest.raises(UsageError, match=f"bridgespec {VERSION} there, 0.0.9 here"):
        checked({**versions(), "bridgespec": "0.0.9"}, lambda: 1)
    assert checked(versions(), lambda: 1) == 1
