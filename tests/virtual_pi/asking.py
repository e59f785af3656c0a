"""Runs in the appliance: sends a request to the page's API as the scorekeeper's phone, using the PIN.

python3 asking.py PATH BODY
"""

import http.cookiejar
import subprocess
import sys
import urllib.request
from pathlib import Path

BASE = "http://127.0.0.1:8000"
JAR = Path("/run/phone.cookies")
PIN = ["/usr/local/bin/traykeeper", "pin", "--state", "/var/lib/traykeeper"]

jar = http.cookiejar.LWPCookieJar(str(JAR))
if JAR.exists():
    jar.load(ignore_discard=True)
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))


def ask(path: str, body: str) -> str:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(BASE + path, body.encode() or None, headers)  # noqa: S310
    with opener.open(request, timeout=20) as answer:
        return answer.read().decode()


path, body = sys.argv[1:]
if body and not JAR.exists():
    pin = subprocess.run(PIN, capture_output=True, text=True, check=True).stdout.strip()
    ask("/api/v1/scorekeeper/pin", f'{{"pin": "{pin}"}}')
    jar.save(ignore_discard=True)
print(ask(path, body))  # noqa: T201 - that is what it is for
