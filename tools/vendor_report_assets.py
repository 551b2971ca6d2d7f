"""Fetch the report's Parquet reader from npm and bundle it into one small script.

The page must open without a network, so what it needs is kept inside the package. Run this only to
take newer versions; the result is committed. It needs ``npm`` and fetches packages by name.

    python tools/vendor_report_assets.py
"""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "src" / "cautious" / "report" / "vendor"
PACKAGES = {"hyparquet": "1.31.5", "hyparquet-compressors": "1.1.2", "fzstd": "0.1.1"}
BUNDLER = ("@esbuild/linux-x64", "0.28.2")

# Snappy is read by hyparquet itself. Brotli is left out: its dictionary alone is larger than all
# the rest, and hardly anybody writes it.
ENTRY = """
export { parquetMetadata, parquetRead } from "hyparquet";
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


def fetch(name: str, version: str, into: Path) -> Path:
    """Unpack one npm package below ``node_modules``."""
    command = ["npm", "pack", f"{name}@{version}", "--silent"]
    archive = subprocess.run(command, cwd=into, check=True, capture_output=True, text=True)
    folder = into / "node_modules" / name
    folder.mkdir(parents=True)
    with tarfile.open(into / archive.stdout.split()[-1]) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def main() -> None:
    """Write the bundle, the licences and the versions."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        licences = []
        for package, version in PACKAGES.items():
            folder = fetch(package, version, work)
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
    VENDOR.joinpath("versions.json").write_text(json.dumps(PACKAGES, indent=2) + "\n")


if __name__ == "__main__":
    main()
