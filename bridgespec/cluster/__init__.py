"""Work in chunks on more machines than one: a Dask cluster does them, a folder or a URL keeps what is done."""
