"""Codecs derived from specs: binary, bulk and text, and the binding to the model. `format.Format` is the codec of one spec."""
