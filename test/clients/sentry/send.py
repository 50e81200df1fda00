"""Reports with the Sentry SDK for Python what each of these senders reports; DSN says to whom."""
import os

import sentry_sdk

sentry_sdk.init(
    os.environ["DSN"],
    release="shop@1.2.3",
    environment="production",
    traces_sample_rate=1.0,
    auto_session_tracking=True,
)
hub_or_scope = getattr(sentry_sdk, "get_isolation_scope", None)


def divide(number):
    return number / 0


class TooLarge(Exception):
    pass


def deeper(left):
    if left == 0:
        raise TooLarge("large")
    return deeper(left - 1)


class OneWay(Exception):
    pass


class OtherWay(Exception):
    pass


def report(error, **extra):
    with sentry_sdk.push_scope() as scope:
        if "fingerprint" in extra:
            scope.fingerprint = extra["fingerprint"]
        if "attachment" in extra:
            scope.add_attachment(bytes=extra["attachment"], filename="core.bin")
        try:
            raise error
        except Exception as raised:
            sentry_sdk.capture_exception(raised)


sentry_sdk.set_user({"id": 42})
sentry_sdk.set_tag("shop", "Größe ☃")
for _ in range(2):
    try:
        divide(1)
    except ZeroDivisionError as error:
        sentry_sdk.capture_exception(error)
sentry_sdk.capture_message("Größe ☃ 😀\nand more", level="warning")
try:
    deeper(80)
except TooLarge as error:
    sentry_sdk.capture_exception(error)
report(OneWay("one"), fingerprint=["joined"])
report(OtherWay("other"), fingerprint=["joined"], attachment=bytes(range(256)) * 4)
with sentry_sdk.start_transaction(name="checkout", op="task"):
    pass
if hub_or_scope is not None:
    scope = sentry_sdk.get_isolation_scope()
else:
    scope = sentry_sdk.Hub.current
scope.start_session()
scope.end_session()
client = sentry_sdk.Hub.current.client if hub_or_scope is None else sentry_sdk.get_client()
if client.session_flusher is not None:
    client.session_flusher.flush()
sentry_sdk.flush(timeout=10)
