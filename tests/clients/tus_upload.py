"""Sends a file by tuspy to the URL of an upload, in pieces with checksums.

Usage: python tus_upload.py URL FILE
"""

import json
import sys

from tusclient.uploader import Uploader

url, file = sys.argv[1:]
uploader = Uploader(file, url=url, chunk_size=600_000, retries=20, retry_delay=1, upload_checksum=True)
uploader.upload()
print(json.dumps({"offset": uploader.offset}))
