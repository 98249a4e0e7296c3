#!/usr/bin/env python3
"""read_posts.py FILE: what a reader takes from events (NIP-01, one as JSON in each line) by the rules of NIP-10, 18, 25, 27, 28, 29 and 92.

Two libraries of different authorship recompute each id and check each signature. stdout: one JSON line for each event; what the event does
not have is absent. Exit 0: all are genuine and follow the rules; 1: one does not, stderr says which.
"""
import json
import sys

from aionostr.event import Event as OtherEvent
from nostr_sdk import Event, EventId, NostrParser, NostrSdkError, PublicKey, RelayUrl

from relay_reading import is_genuine, log


class Broken(Exception):
    """A rule is broken; the text says which."""


def need(condition, text):
    if not condition:
        raise Broken(text)


def event_id(text):
    return EventId.parse(text).to_hex()


def person(text):
    return PublicKey.parse(text).to_hex()


def hint(text):
    if text:
        RelayUrl.parse(text)
    return text


def post(tag):
    """[id, hint, author]: what a tag says about another post."""
    author = tag[-1] if tag[0] == "q" and len(tag) > 3 or len(tag) > 4 else None
    return [event_id(tag[1]), hint(tag[2]) if len(tag) > 2 else "", person(author) if author else ""]


def links(text):
    """The posts and people that a text links (NIP-27), and the addresses in it."""
    found = {"links": [], "people": [], "urls": []}
    for token in NostrParser().parse(text):
        if token.is_url():
            found["urls"].append(token.url)
        if not token.is_nostr():
            continue
        uri = token.uri
        if uri.is_event():
            event = uri.event
            kind = event.kind()
            found["links"].append([event.event_id().to_hex(), event.author().to_hex() if event.author() else "",
                                   kind.as_u16() if kind else None, [str(relay) for relay in event.relays()]])
        elif uri.is_note():
            found["links"].append([uri.event_id.to_hex(), "", None, []])
        elif uri.is_pubkey():
            found["people"].append(uri.public_key.to_hex())
        elif uri.is_profile():
            found["people"].append(uri.profile.public_key().to_hex())
    return found


def file(tag):
    """An imeta tag (NIP-92): its facts by name, with the values of names that come several times in a list."""
    facts = {}
    for fact in tag[1:]:
        name, value = fact.split(" ", 1)
        if name == "fallback":
            facts.setdefault(name, []).append(value)
        else:
            need(name not in facts, f"imeta has two of {name}")
            facts[name] = value
    need("url" in facts and len(facts) > 1, "imeta needs an address and something else")
    return facts


def message(kind, tags, content):
    def by_name(name):
        return [tag for tag in tags if tag[0] == name]

    read = {key: value for key, value in links(content).items() if key != "urls" and value}
    if kind == 42:
        marks = [tag[3] if len(tag) > 3 else "" for tag in by_name("e")]
        need(marks in (["root"], ["root", "reply"]), f"the marks are {marks}")
        read["root"] = post(by_name("e")[0])[:2]
        if len(marks) > 1:
            read["reply"] = post(by_name("e")[1])
    else:
        need(not by_name("e"), "posts in groups quote their parent")
    if by_name("q"):
        read["quotes"] = [post(tag) for tag in by_name("q")]
        linked = {link[0] for link in read.get("links", [])}
        need(all(quote[0] in linked for quote in read["quotes"]), "a quoted post is not linked in the text")
    if by_name("p"):
        read["mentions"] = [person(tag[1]) for tag in by_name("p")]
    need(set(read.get("people", [])) <= set(read.get("mentions", [])), "someone in the text is not mentioned")
    files = [file(tag) for tag in by_name("imeta")]
    need(all(facts["url"] in links(content)["urls"] for facts in files), "a file's address is not in the text")
    for name, values in (("files", files), ("hashtags", [tag[1] for tag in by_name("t")]),
                         ("warnings", [tag[1:] for tag in by_name("content-warning")]),
                         ("emoji", {tag[1]: tag[2] for tag in by_name("emoji")})):
        if values:
            read[name] = values
    read["text"] = content
    return read


def deletion(kind, tags, content):
    return {"deletes": [event_id(tag[1]) for tag in tags if tag[0] == "e"],
            "kinds": [int(tag[1]) for tag in tags if tag[0] == "k"], "reason": content}


def reaction(kind, tags, content):
    targets = [tag for tag in tags if tag[0] == "e"]
    need(targets, "a reaction needs a target")
    read = {"to": [event_id(targets[-1][1]), hint(targets[-1][2]), person(targets[-1][3])],
            "kinds": [int(tag[1]) for tag in tags if tag[0] == "k"],
            "mentions": [person(tag[1]) for tag in tags if tag[0] == "p"], "text": content}
    emoji = {tag[1]: tag[2] for tag in tags if tag[0] == "emoji"}
    if content.startswith(":"):
        need(content.strip(":") in emoji, "the shortcode has no picture")
        read["emoji"] = emoji
    return read


READERS = {42: message, 9: message, 5: deletion, 9005: deletion, 7: reaction}


def read(line):
    raw = json.loads(line)
    event = Event.from_json(line)
    need(is_genuine(event), "id or signature does not verify")
    other = OtherEvent(**raw)
    need(OtherEvent.compute_id(other.pubkey, other.created_at, other.kind, other.tags, other.content) == raw["id"] and other.verify(),
         "id or signature does not verify with the second library")
    kind, tags = event.kind().as_u16(), [tag.to_vec() for tag in event.tags()]
    need(tags == raw["tags"] and event.content() == raw["content"], "the library reads another event")
    about = READERS[kind](kind, tags, event.content())
    groups = [tag[1] for tag in tags if tag[0] == "h"]
    need(len(groups) <= (0 if kind == 42 else 1), f"the groups are {groups}")
    return {"kind": kind, "author": event.author().to_hex(), **({"group": groups[0]} if groups else {}), **about}


def main(path):
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                print(json.dumps(read(line), ensure_ascii=False), flush=True)
            except (Broken, NostrSdkError) as error:
                log(f"event {number}: {error}")
                return 1
    return 0


if len(sys.argv) != 2:
    log("usage: read_posts.py FILE")
    sys.exit(2)
sys.exit(main(sys.argv[1]))
