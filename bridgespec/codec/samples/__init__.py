"""Files made of a schema alone: values that it allows, texts that its grammar derives, and faults whose findings are known."""
