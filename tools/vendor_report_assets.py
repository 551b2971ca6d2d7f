"""Fetch the report's Parquet reader from npm and bundle it into one small script.

The page must open without a network, so what it needs is kept inside the package. Run this only to
take newer versions; the result is committed. It needs ``npm``, fetches packages by name and refuses
an archive whose digest is not the one below. For a new version, put in its digest
(``npm view NAME@VERSION dist.integrity``) after looking at what changed.

    python tools/vendor_report_assets.py
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "src" / "cautious" / "report" / "vendor"
# Version, and the digest that npm publishes for its archive.
PACKAGES = {
    "hyparquet": (
        "1.31.5",
        "sha512-KPVfaxW8xOiO2/4fjeiBfFNEXhGVw9tfcb9ha2iNZdJ3J/yBjEwIeAnTyyuhllFFTb9YO9wg0DfRAOnm6KCvBg==",
    ),
    "hyparquet-compressors": (
        "1.1.2",
        "sha512-0Hx6w0ZpVpNCefKy5xBYLTp6rKeZn/tsUzuliNzfKqSCdLcTQSfwATEoeedS703Y17k1qNS61HwRME5aOeNkPg==",
    ),
    "fzstd": (
        "0.1.1",
        "sha512-dkuVSOKKwh3eas5VkJy1AW1vFpet8TA/fGmVA5krThl8YcOVE/8ZIoEA1+U1vEn5ckxxhLirSdY837azmbaNHA==",
    ),
}
BUNDLER = (
    "@esbuild/linux-x64",
    "0.28.2",
    "sha512-4xTZr1FUmSoQW4XIWmit3tzQrUTZM+N3P0XV8xROKYF50XfI7xeO90+1bZvNwxIufQ9hDQVRJH5YhgPVF8A/HQ==",
)

# Snappy is read by hyparquet itself. Brotli is left out: its dictionary alone is larger than all
# the rest, and hardly anybody writes it.
ENTRY = """
export { parquetMetadata, parquetRead } from "hyparquet";
export { parquetHeader } from "hyparquet/src/column.js";
export { decompressPage } from "hyparquet/src/datapage.js";
export { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
export { readPlain } from "hyparquet/src/plain.js";
import { decompress } from "fzstd";
import { gunzip } from "./node_modules/hyparquet-compressors/src/gzip.js";
import { decompressLz4, decompressLz4Raw } from "./node_modules/hyparquet-compressors/src/lz4.js";
export const compressors = {
  GZIP: (input, length) => gunzip(input, new Uint8Array(length)),
  ZSTD: (input) => decompress(input),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
};
"""


def digest(content: bytes) -> str:
    """Digest in the form that npm and browsers use."""
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


def fetch(name: str, version: str, expected: str, into: Path) -> Path:
    """Unpack one npm package below ``node_modules``, if it is the one expected."""
    command = ["npm", "pack", f"{name}@{version}", "--silent"]
    archive = subprocess.run(command, cwd=into, check=True, capture_output=True, text=True)
    path = into / archive.stdout.split()[-1]
    found = digest(path.read_bytes())
    if found != expected:
        raise SystemExit(f"{name} {version} has the digest {found}, not {expected}; not used.")
    folder = into / "node_modules" / name
    folder.mkdir(parents=True)
    with tarfile.open(path) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def main() -> None:
    """Write the bundle, the licences and the versions."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        licences = []
        for package, (version, expected) in PACKAGES.items():
            folder = fetch(package, version, expected, work)
            kind = json.loads((folder / "package.json").read_text())["license"]
            text = (folder / "LICENSE").read_text().strip()
            licences.append(f"{package} {version} ({kind})\n\n{text}\n")
            for part in folder.iterdir():
                part.rename(folder.parent / part.name)
        bundler = fetch(*BUNDLER, work) / "bin" / "esbuild"
        (work / "entry.js").write_text(ENTRY)
        options = ["--bundle", "--minify", "--format=iife", "--global-name=Parquet"]
        result = ["--legal-comments=none", f"--outfile={VENDOR / 'parquet.min.js'}"]
        subprocess.run([bundler, "entry.js", *options, *result], cwd=work, check=True)
    VENDOR.joinpath("LICENSES.txt").write_text(f"\n{'-' * 72}\n\n".join(licences))
    versions = {package: version for package, (version, _) in PACKAGES.items()}
    bundle = digest((VENDOR / "parquet.min.js").read_bytes())
    document = {"packages": versions, "bundler": list(BUNDLER[:2]), "parquet.min.js": bundle}
    VENDOR.joinpath("versions.json").write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
