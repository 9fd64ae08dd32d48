"""The page that shows boards: one self-contained HTML file, which needs no network.

`page` embeds the boards as the published JSON of the model, with the scripts of ``static/``, which draw everything. No text of
a file is ever parsed as markup: it is written as JSON here, and shown in text nodes there.
"""

from bridgespec.webpage.document_page import MOST_BOARDS, SuitPlays, demo_page, page, title_of
from bridgespec.webpage.page_texts import texts
from bridgespec.webpage.printing import ANALYSED, SHEETS, find_chromium, print_pdf

__all__ = ["ANALYSED", "MOST_BOARDS", "SHEETS", "SuitPlays", "demo_page", "find_chromium", "page", "print_pdf", "texts", "title_of"]
