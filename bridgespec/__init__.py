"""bridgespec: every bridge file format declared once, everything else derived."""
