"""Programs that make releases; they are not part of the package."""
