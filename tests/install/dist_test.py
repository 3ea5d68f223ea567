#!/usr/bin/env python3
"""`make dist`: the same commit gives the same archive, and the recipes name it and its checksum."""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
IDENTITY = ["-c", "user.name=Rondo", "-c", "user.email=rondo@localhost"]


def checkout(folder):
    """A repository of what the script reads."""
    for name in ("include/rondo/rondo.h", "packaging/conda", "packaging/spack", "LICENSE"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (SOURCE / name).is_dir() else shutil.copy2
        copy(SOURCE / name, target)
    subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
    commit_all(folder)
    return folder


def commit_all(folder):
    for words in (["add", "."], [*IDENTITY, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", "-C", folder, *words], check=True)


def dist(source, into, *options):
    command = [sys.executable, SOURCE / "tools/dist.py", "--source", source, "--into", into]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


@unittest.skipUnless(shutil.which("git"), "there is no git")
class Dist(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.source = checkout(self.folder / "source")

    def test_the_recipes_name_the_archive_and_its_checksum(self):
        done = dist(self.source, self.folder / "dist", "--url", "https://example.org/releases/")
        self.assertEqual(done.returncode, 0, done.stderr)
        (archive,) = (self.folder / "dist").glob("rondo-source-*.tar.gz")
        checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
        sums = (self.folder / "dist/SHA256SUMS").read_text()
        self.assertEqual(sums, f"{checksum}  {archive.name}\n")
        for name in ("conda/recipe.yaml", "spack/package.py"):
            text = (self.folder / "dist/recipes" / name).read_text()
            self.assertIn(f"https://example.org/releases/{archive.name}", text)
            self.assertIn(checksum, text)
            self.assertIsNone(re.search(r"path: \.\.|CHECKOUT", text))
        with tarfile.open(archive) as tar:
            version = re.search(r"-source-(.*)\.tar\.gz", archive.name)[1]
            self.assertIn(f"rondo-{version}/LICENSE", tar.getnames())

    def test_the_same_commit_gives_the_same_bytes(self):
        made = [self.folder / name for name in ("first", "second")]
        for into in made:
            self.assertEqual(dist(self.source, into).returncode, 0)
        self.assertEqual(*[(into / "SHA256SUMS").read_text() for into in made])

    def test_a_link_out_of_the_tree_is_refused(self):
        (self.source / "LICENSE.link").symlink_to("LICENSE")
        (self.source / "outside").symlink_to(self.folder)
        commit_all(self.source)
        done = dist(self.source, self.folder / "dist")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("outside", done.stderr)
        self.assertNotIn("LICENSE", done.stderr)

    def test_what_is_not_committed_is_refused(self):
        with (self.source / "LICENSE").open("a") as file:
            file.write("more\n")
        done = dist(self.source, self.folder / "dist")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not committed", done.stderr)


if __name__ == "__main__":
    unittest.main()
