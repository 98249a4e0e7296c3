#!/usr/bin/env python3
"""write_messages.py PLAN: write to relays what a plan says (a JSON file), as clients of other people do.

The plan has "relays", a list of addresses, "events", in the order in which each relay gets them, and perhaps "perSecond", how many events
each relay gets in a second. An event may have:

  author  a name; whoever has this name signs with the same key each time
  kind    42 unless given
  text    what it says
  at      seconds from now, or before that if negative; 0 unless given
  tags    its tags
  on      the indexes of the relays that get it; all unless given
  label   a name for it, under which its id is printed; its text unless given. "#LABEL" in the tags of a later event is that id
  late    whether relays get it after all the others that are not late

Events are signed by two libraries of different authorship in turn, those with control characters by the first. stdout: one JSON line {"ids": {LABEL: id}, "authors": {NAME: key},
"refused": [[LABEL, relay, text]…]}. Exit 0: each relay has answered for each event, whether it took it or not; 1: one did not.
"""
import asyncio
import hashlib
import json
import sys
import time

import websockets
from aionostr.event import Event as OtherEvent
from nostr_sdk import EventBuilder, Keys, Kind, Tag, Timestamp

from relay_reading import log

# How many events are on their way to a relay at once.
WINDOW = 32
PATIENCE_SECONDS = 60


class Unanswered(Exception):
    """A relay did not say what became of an event; the text says more."""


def secret(author):
    return hashlib.sha256(f"the key of {author}".encode()).hexdigest()


def sign_with_sdk(author, date, kind, tags, text):
    builder = EventBuilder(Kind(kind), text).tags([Tag.parse(tag) for tag in tags])
    return json.loads(builder.custom_created_at(Timestamp.from_secs(date)).finalize(Keys.parse(secret(author))).as_json())


def sign_with_aionostr(author, date, kind, tags, text):
    key = Keys.parse(secret(author)).public_key().to_hex()
    event = OtherEvent(pubkey=key, content=text, created_at=date, kind=kind, tags=tags)
    event.sign(secret(author))
    return {"id": event.id, "pubkey": key, "created_at": date, "kind": kind, "tags": tags, "content": text, "sig": event.sig}


def signed(plan):
    """The label, the relays and the event of each entry of the plan; and the ids by label."""
    now, ids, made = int(time.time()), {}, []
    for number, entry in enumerate(plan["events"]):
        label = entry.get("label", entry["text"])
        tags = [[ids[part[1:]] if part.startswith("#") else part for part in tag] for tag in entry.get("tags", [])]
        # They disagree on what the id of a text with control characters is.
        sign = sign_with_aionostr if number % 2 and entry["text"].isprintable() else sign_with_sdk
        event = sign(entry["author"], now + entry.get("at", 0), entry.get("kind", 42), tags, entry["text"])
        if ids.setdefault(label, event["id"]) != event["id"]:
            sys.exit(f"two events are called {label}")
        made.append((entry.get("late", False), label, entry.get("on", range(len(plan["relays"]))), event))
    return [rest for _, *rest in sorted(made, key=lambda one: one[0])], ids


async def publish(url, events, per_second):
    """What the relay does not take: lists of label, relay and the relay's words."""
    waiting, refused, room = {}, [], asyncio.Semaphore(WINDOW)
    # Answers are read as they come, however many there are.
    async with websockets.connect(url, proxy=None, max_queue=None) as relay:
        async def answers():
            for _ in events:
                while (message := json.loads(await asyncio.wait_for(relay.recv(), PATIENCE_SECONDS)))[0] != "OK":
                    pass
                if message[1] not in waiting:
                    raise Unanswered(f"{url} answers for '{message[1]}': {message[3:]}")
                label = waiting.pop(message[1])
                if not message[2]:
                    refused.append([label, url, message[3]])
                room.release()

        reading = asyncio.create_task(answers())
        begin = time.monotonic()
        for number, (label, event) in enumerate(events):
            if per_second:
                await asyncio.sleep(begin + number / per_second - time.monotonic())
            await asyncio.wait_for(room.acquire(), PATIENCE_SECONDS)
            waiting[event["id"]] = label
            await relay.send(json.dumps(["EVENT", event], ensure_ascii=False))
        await reading
    return refused


async def main(path):
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    made, ids = signed(plan)
    work = [publish(url, [(label, event) for label, on, event in made if index in on], plan.get("perSecond"))
            for index, url in enumerate(plan["relays"])]
    try:
        refused = await asyncio.gather(*work)
    except (OSError, asyncio.TimeoutError, websockets.WebSocketException, Unanswered) as error:
        log(f"a relay did not answer: {type(error).__name__}: {error}")
        return 1
    authors = {entry["author"]: Keys.parse(secret(entry["author"])).public_key().to_hex() for entry in plan["events"]}
    print(json.dumps({"ids": ids, "authors": authors, "refused": sum(refused, [])}, ensure_ascii=False), flush=True)
    return 0


if len(sys.argv) != 2:
    log("usage: write_messages.py PLAN")
    sys.exit(2)
sys.exit(asyncio.run(main(sys.argv[1])))
