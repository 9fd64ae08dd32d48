"""The documentation generator: the static site made from the specs, the rules and the commands (`site.Site`), the book of a
bidding system (`book_site.BookSite`), and pages of single files (`dumppage.page`).
"""
