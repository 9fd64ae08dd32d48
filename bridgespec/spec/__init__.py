"""What schemas say: the two schema languages, read into one intermediate representation."""
