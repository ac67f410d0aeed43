#!/usr/bin/env python3
"""The public interface of the Rust library `akunu`, as its documentation has it: declarations, methods and their signatures.

    cargo doc -p akunu --no-deps        (.ci/run has made the documentation already)
    tools/public_api.py DOC             compares with docs/public-api.txt, and says what differs
    tools/public_api.py DOC --update    writes it

DOC is the folder of the documentation, target/doc. A difference is no error in itself: look at what it means for programs that use the
library, say so in CHANGELOG.md, and commit the listing with the change. Nothing beside Python and stable rustdoc is needed for it.
"""

import argparse
import difflib
import html
import re
import sys
from pathlib import Path

LISTING = Path(__file__).parent.parent / "docs/public-api.txt"


def text(markup: str) -> str:
    """What a reader sees of it, in one line."""
    # (rustdoc marks types with notable traits on some pages, and not every time.)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", markup)).replace("\u200b", "").replace("\u24d8", "").split())


def declaration(page: str) -> str:
    found = re.search(r'<pre class="rust item-decl"><code>(.*?)</code></pre>', page, re.S)
    # Attributes are written apart, and are not what a program depends on.
    # Nor is how much a page hides until it is clicked.
    plain = re.sub(r'<div class="code-attribute">.*?</div>|<summary class="hideme">.*?</summary>', "", found[1]) if found else ""
    return text(plain)


def methods(page: str) -> list[str]:
    """Of the type's own implementations, and of a trait."""
    own = re.split(r'<h2 id="(?:trait-implementations|synthetic-implementations|blanket-implementations|implementors|foreign-impls)"', page)[0]
    found = re.findall(r'<section id="(?:ty)?(?:method|associatedconstant)\.[^"]*"[^>]*>.*?<h4 class="code-header">(.*?)</h4>', own, re.S)
    return [text(re.sub(r'<div class="where">', " ", f)) for f in found]


def traits(page: str) -> list[str]:
    part = re.search(r'<div id="trait-implementations-list">(.*?)<h2 id="(?:synthetic|blanket)-implementations"', page, re.S)
    found = sorted({text(i) for i in re.findall(r'<h3 class="code-header">(.*?)</h3>', part[1], re.S)}) if part else []
    # Those without parameters in one line.
    plain = [re.sub(r"^impl (\w+) for .*$", r"\1", i) for i in found if re.match(r"impl \w+ for ", i)]
    return ["impl " + ", ".join(plain)] * bool(plain) + [i for i in found if not re.match(r"impl \w+ for ", i)]


def listing(crate: Path) -> list[str]:
    all_items = (crate / "all.html").read_text()
    lines = ["# Made by tools/public_api.py; do not edit."]
    index = (crate / "index.html").read_text()
    lines += sorted(text(found) for found in re.findall(r"<dt[^>]*><code>(pub use .*?)</code>", index, re.S))
    for page, path in sorted(re.findall(r'<a href="([a-z_/]*[a-z]+\.[^"]*\.html)">([^<]*)</a>', all_items), key=lambda item: item[1]):
        if page.startswith(".."):
            continue
        markup = (crate / page).read_text()
        lines.append(f"{path}: {declaration(markup)}")
        lines += [f"    {line}" for line in methods(markup)]
        lines += [f"    {line}" for line in traits(markup)]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("doc", type=Path)
    parser.add_argument("--update", action="store_true")
    a = parser.parse_args()
    if not (a.doc / "akunu/all.html").is_file():
        sys.exit(f"{a.doc} has no documentation of akunu; make it with: cargo doc -p akunu --no-deps")
    lines = listing(a.doc / "akunu")
    if len(lines) < 100:
        sys.exit(f"only {len(lines)} lines: rustdoc's pages are not as this script reads them; mend it")
    if a.update:
        LISTING.write_text("\n".join(lines) + "\n")
        return
    committed = LISTING.read_text().splitlines() if LISTING.exists() else []
    differs = list(difflib.unified_diff(committed, lines, "docs/public-api.txt", "the documentation", lineterm="", n=0))
    if differs:
        print("\n".join(differs[:60]))
        sys.exit("the public interface has changed; if that is meant: tools/public_api.py DOC --update, and a line in CHANGELOG.md")


if __name__ == "__main__":
    main()
