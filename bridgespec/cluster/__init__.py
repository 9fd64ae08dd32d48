"""Work in chunks on several machines: a Dask cluster does the chunks, a folder or a URL stores their results."""
