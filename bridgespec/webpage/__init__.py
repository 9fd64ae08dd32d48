"""The page that shows boards: one HTML file with its scripts and boards in it, which needs no network.

The boards stand in it as the published JSON of the model. All that is drawn from them is drawn by the scripts in ``static/``, and
no text of a file is ever read as markup: it becomes JSON here and text nodes there.
"""

from bridgespec.webpage.html import MOST_BOARDS, SuitPlays, demo_page, page, title_of
from bridgespec.webpage.printing import ANALYSED, SHEETS, find_chromium, print_pdf
from bridgespec.webpage.texts import texts

__all__ = ["ANALYSED", "MOST_BOARDS", "SHEETS", "SuitPlays", "demo_page", "find_chromium", "page", "print_pdf", "texts", "title_of"]
