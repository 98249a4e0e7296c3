"""How the scripts here read from one relay: as an anonymous reader, with a client for each relay that shares nothing."""
import sys
from contextlib import asynccontextmanager
from datetime import timedelta

from nostr_sdk import ClientBuilder, NostrSdkError, ReqTarget


class Unread(Exception):
    """The relay did not answer; the text says why."""


def log(text):
    print(text, file=sys.stderr, flush=True)


@asynccontextmanager
async def connected(url, seconds):
    """Gives a function that fetches what matches a filter. No signer, no authenticator; each step may take so many seconds."""
    client = ClientBuilder().build()
    limit = timedelta(seconds=seconds)

    async def fetch(query):
        return list(await client.fetch_events(ReqTarget.single(url, [query]), limit))

    try:
        await client.add_relay(url)
        tried = await client.try_connect(limit)
        if tried.failed:
            raise Unread(f"connect: {list(tried.failed.values())[0]}")
        yield fetch
    except NostrSdkError as error:
        raise Unread(f"{type(error).__name__}: {error}") from error
    finally:
        await client.shutdown()


def is_genuine(event):
    return event.verify_id() and event.verify_signature()
