"""The mark of whyzero, a struck zero, as hosts show it in their lists."""

from urllib.parse import quote

from mcp_types import Icon

MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#17324d"/>'
    '<g fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round"><ellipse cx="32" cy="32" rx="13" ry="19"/>'
    '<path stroke="#ffb454" d="M19 50 45 14"/></g></svg>'
)
ICONS = [Icon(src=f"data:image/svg+xml,{quote(MARK, safe='/=:')}", mime_type="image/svg+xml", sizes=["any"])]
"""Percent-encoded: scanners for leaked keys take a long base64 text for one."""
