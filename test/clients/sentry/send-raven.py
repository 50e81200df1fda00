"""Reports with raven, the older SDK for Python, what each of these senders reports; DSN names the server."""
import os
import sys

from raven import Client
from raven.transport.http import HTTPTransport

# The transport of the calling thread, so that all is sent when the program ends. After a time-out, by default of a second,
# the SDK drops reports for a while.
client = Client(os.environ["DSN"] + "?timeout=30", release="shop@1.2.3", environment="production", transport=HTTPTransport)


class TooLarge(Exception):
    pass


class OneWay(Exception):
    pass


class OtherWay(Exception):
    pass


def divide(number):
    return number / 0


def deeper(remaining):
    if remaining == 0:
        raise TooLarge("large")
    return deeper(remaining - 1)


# The SDK drops an exception whose objects have the addresses of an earlier one's, so all of them stay in memory.
reported = []


def report(work, **options):
    try:
        work()
    except Exception:
        reported.append(sys.exc_info())
        client.captureException(**options)


def fail(error):
    raise error


client.user_context({"id": 42})
client.tags_context({"shop": "Größe ☃"})
for _ in range(2):
    report(lambda: divide(1))
client.captureMessage("Größe ☃ 😀\nand more", level="warning")
report(lambda: deeper(80))
report(lambda: fail(OneWay("one")), fingerprint=["joined"])
report(lambda: fail(OtherWay("other")), fingerprint=["joined"])
