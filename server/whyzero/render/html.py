"""A document as one web page: no script, no network, every text escaped."""

from __future__ import annotations

from html import escape

from whyzero.analyses.report import NextStep
from whyzero.render.blocks import (
    Block,
    Bullets,
    Check,
    Document,
    Facts,
    Heading,
    Headline,
    Paragraph,
    Quotes,
    Steps,
    Table,
    Tone,
    flat,
    place,
    quoted_lines,
)
from whyzero.render.commands import as_command, as_sentence

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #777; --good: #18794e; --bad: #c62828; --unsure: #a15c00; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1rem; font-weight: normal; color: var(--quiet); }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
.headline { font-size: 1.4rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .unsure { color: var(--unsure); } .quiet { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--quiet); } dd { margin: 0; }
blockquote { margin: .2rem 0 .8rem; padding-left: .8rem; border-left: 3px solid var(--line); white-space: pre-wrap; }
code, blockquote { font: .85rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
"""


def to_html(document: Document) -> str:
    """The whole page."""
    title = escape(flat(document.title))
    body = "\n".join(_html(block) for block in document.blocks)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n{body}\n</body></html>\n"
    )


def _html(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{_e(text)}</h2>"
        case Headline(text, tone):
            return f'<p class="headline {tone}">{_e(text)}</p>'
        case Paragraph(text, tone):
            return f'<p class="{tone}">{_e(text)}</p>'
        case Facts(pairs):
            return "<dl>" + "".join(f"<dt>{_e(label)}</dt><dd>{_e(value)}</dd>" for label, value in pairs) + "</dl>"
        case Bullets(items):
            return "<ul>" + "".join(f"<li>{_e(item)}</li>" for item in items) + "</ul>"
        case Quotes(evidence):
            return "\n".join(
                f"<div><code>{_e(place(one))}</code><blockquote>{escape(chr(10).join(quoted_lines(one)))}</blockquote></div>"
                for one in evidence
            )
        case Check():
            return f'<p class="{Tone.PLAIN}">{as_sentence(block, _code, escape)}</p>'
        case Steps(steps):
            return "<ul>" + "".join(f"<li>{_code(one)}<br>{_e(one.why)}</li>" for one in steps) + "</ul>"
        case Table(columns, rows, note):
            head = "".join(f"<th>{_e(column)}</th>" for column in columns)
            body = "".join("<tr>" + "".join(f"<td>{_e(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            foot = f'<p class="quiet">{_e(note)}</p>' if note else ""
            return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def _code(step: NextStep) -> str:
    return f"<code>{_e(as_command(step))}</code>"


def _e(text: str) -> str:
    return escape(flat(text))
