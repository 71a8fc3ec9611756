"""Bytes that somebody calls text, decoded: by what they are, where that shows, and else by what is said of them."""

from __future__ import annotations

import codecs
import re

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_WIDER = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
"""What servers mean that name the narrower one (https://encoding.spec.whatwg.org/#names-and-labels)."""

_KNOWN = frozenset(
    "big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 euc_jp gb18030 "
    "iso2022_jp iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 "
    "iso8859-15 iso8859-16 johab koi8-r koi8-u mac-roman utf-8 utf-16 utf-16-le utf-16-be".split()
)
"""Python has more, and some of them are no encodings of text that anybody sends: ``unicode_escape``, ``utf-7``."""

_ESCAPING = frozenset({"iso2022_jp", "utf-16", "utf-16-le", "utf-16-be"})
"""Those whose text may look like ASCII."""

_LABEL = r"""["']?\s*([A-Za-z0-9_:.-]{2,40})"""
_META = re.compile(rf"<meta[^>]{{0,200}}?charset\s*=\s*{_LABEL}|encoding\s*=\s*{_LABEL}".encode(), re.I)
_IN_HEADER = re.compile(rf"charset\s*=\s*{_LABEL}", re.I)


def decoded(body: bytes, content_type: str = "", *, cut: bool = False) -> str:
    """The text of a body. Never fails: what is no character of the encoding becomes U+FFFD.

    Whatever is declared, bytes that are UTF-8 throughout are that: other text is so only by a rare accident.

    Args:
        content_type: As the header says it.
        cut: It ends where somebody stopped reading, maybe amid a character.
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return _decode(body[len(mark) :], encoding, "replace", cut)
    declared = declared_encoding(body, content_type)
    if declared not in _ESCAPING:
        try:
            return _decode(body, "utf-8", "strict", cut)
        except UnicodeDecodeError:
            pass
    return _decode(body, declared if declared not in ("", "utf-8") else "cp1252", "replace", cut)


def declared_encoding(body: bytes, content_type: str = "") -> str:
    """Python's name of the encoding that header or document declare; empty for none that is known."""
    head = _IN_HEADER.search(content_type)
    meta = _META.search(body[:1024])
    for label in (head and head[1], meta and (meta[1] or meta[2]).decode("ascii")):
        if label and (known := _codec(label)):
            return known
    return ""


def _codec(label: str) -> str:
    try:
        name = codecs.lookup(label.lower().removeprefix("x-")).name
    except LookupError:
        return ""
    name = _WIDER.get(name, name)
    return name if name in _KNOWN else ""


def _decode(body: bytes, encoding: str, errors: str, cut: bool) -> str:
    return codecs.getincrementaldecoder(encoding)(errors).decode(body, final=not cut)
