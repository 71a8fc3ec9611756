"""Bytes as text, whatever is said of them (toolbox/decoding.py)."""

import pytest

from entracte.toolbox.decoding import declared_encoding, decoded

GERMAN, JAPANESE, RUSSIAN, CHINESE = (
    "Grüße aus Köln – „schön“",
    "手紙は燃えた。",
    "Письмо сгорело",
    "信被烧了。",
)


@pytest.mark.parametrize(
    ("text", "encoding", "content_type"),
    [
        (GERMAN, "cp1252", "text/html; charset=iso-8859-1"),
        (GERMAN, "cp1252", "text/html"),
        (GERMAN, "cp1252", "text/html; charset=utf-8"),
        (GERMAN, "utf-8", "text/html; charset=iso-8859-1"),
        (GERMAN, "utf-8", "text/html; charset=no-such-thing"),
        (GERMAN, "utf-8-sig", "text/html; charset=iso-8859-1"),
        (GERMAN, "utf-16", "text/plain"),
        (JAPANESE, "cp932", 'text/html; charset="Shift_JIS"'),
        (JAPANESE, "cp932", "text/html; charset=x-sjis"),
        (JAPANESE, "euc_jp", "text/html; charset=EUC-JP"),
        (JAPANESE, "iso2022_jp", "text/html; charset=iso-2022-jp"),
        (JAPANESE, "utf-8", "text/html; charset=shift_jis"),
        (JAPANESE, "utf-16-le", "text/plain; charset=utf-16le"),
        (RUSSIAN, "cp1251", "text/html; charset=windows-1251"),
        (RUSSIAN, "koi8-r", "text/html; charset=koi8-r"),
        (CHINESE, "gb18030", "text/html; charset=gb2312"),
        (CHINESE, "utf-8", "text/html; charset=gbk"),
        (CHINESE, "big5hkscs", "text/html; charset=big5"),
    ],
)
def test_text_is_read_although_its_encoding_is_declared_wrongly_or_not_at_all(
    text: str, encoding: str, content_type: str
):
    """UTF-8 shows itself; a mark shows itself; of the rest, what is declared counts, in its wider form."""
    if encoding == "big5hkscs":
        text = "信被燒了"
    assert decoded(text.encode(encoding), content_type) == text


@pytest.mark.parametrize(
    "head",
    ['<meta charset="windows-1251">', '<?xml version="1.0" encoding="windows-1251"?>', "<META charset=cp1251 />"],
)
def test_a_document_declares_its_own_encoding(head: str):
    """Where the header says nothing."""
    assert decoded((head + RUSSIAN).encode("cp1251"), "text/html") == head + RUSSIAN


@pytest.mark.parametrize("label", ["unicode_escape", "utf-7", "rot13", "zip", "idna", "punycode", "hex", "base64"])
def test_python_codecs_that_are_no_encodings_are_not_used(label: str):
    """A server cannot have its text run through them."""
    assert declared_encoding(b"", f"text/plain; charset={label}") == ""
    assert decoded(b"\\u0041 +AGE- ab", f"text/plain; charset={label}") == "\\u0041 +AGE- ab"


def test_text_that_was_cut_loses_half_a_character_and_no_more():
    """It is UTF-8 all the same."""
    body = JAPANESE.encode()[:-1]
    assert decoded(body, cut=True) == JAPANESE[:-1]


def test_bytes_that_are_no_text_become_marks():
    """Nothing ever fails."""
    assert decoded(bytes(range(256)), "text/plain; charset=utf-8").count("\ufffd") == 5
    assert decoded(b"a\x80\xff", "text/plain; charset=ascii") == "a€ÿ"
