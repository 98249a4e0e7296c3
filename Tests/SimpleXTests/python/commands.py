"""commands.py SEED COUNT

Writes COUNT commands as JSON lines: the name of the official function, its arguments, and the string that it makes of them.
"""

import json
import random
import sys

from official import load

_, commands, _, _ = load()
chance = random.Random(int(sys.argv[1]))

PIECES = ['"', "'", " ", "\n", "\r\n", "\t", "\\", "/", "//", "\u2028", "\x00", "\x1f", "{", "}", "[", "]", ",", "#", "@"]
PIECES += ["on", "off", "incognito=on", " messages=on", "/_delete #1", "é", "ß", "日本", "😀", "👩‍🚀", "\u200f", "\ufeff", "a", "Z", "0"]


def number():
    return chance.choice([1, 2, 9, 10, 2**31, 2**53 + 1, 2**63 - 1, chance.randrange(1, 10**6)])


def numbers():
    return list(dict.fromkeys(number() for _ in range(chance.randrange(1, 5))))


def text():
    return "".join(chance.choice(PIECES) for _ in range(chance.randrange(0, 12)))


def flag():
    return chance.random() < 0.5


def profile():
    value = {"displayName": text(), "fullName": text()}
    if flag():
        value["shortDescr"] = text()
    if flag():
        value["image"] = "data:image/png;base64," + text()
    if flag():
        value["groupPreferences"] = {"history": {"enable": "on"}, "commands": [text()], "other": {text(): [number(), None, 0.5]}}
    if flag():
        value["publicGroup"] = {"groupType": "channel", "groupLink": text(), "publicGroupId": text()}
    return value


def message():
    names = [name for name in ["bob", "Ann Lee", "é\"", "日本"] if chance.random() < 0.3][:3]
    content = {"type": "text", "text": text() + "".join(f" @'{name}'" for name in names)}
    if flag():
        content["type"] = "link"
        content["preview"] = {key: text() for key in ["uri", "title", "description", "image"]}
    return {"msgContent": content, "mentions": {name: index + 2**40 for index, name in enumerate(names)}}


def with_file():
    content = {"type": "file", "text": text()}
    return {"msgContent": content, "mentions": {}, "fileSource": {"filePath": "/srv/files/" + text()}}


def composed():
    whole = with_file() if flag() else message()
    return {**whole, "quotedItemId": number()} if flag() else whole


def group():
    return {"chatType": "group", "chatId": number()}


MAKERS = {
    "ShowActiveUser": dict,
    "ListUsers": dict,
    "CreateActiveUser": lambda: {
        "newUser": {
            "profile": {"displayName": text(), "fullName": ""},
            "pastTimestamp": False,
            "userChatRelay": False,
            "clientService": False,
        }
    },
    "APINewPublicGroup": lambda: {
        "userId": number(),
        "incognito": flag(),
        "relayIds": numbers(),
        "groupProfile": profile(),
    },
    "APIGetGroupRelays": lambda: {"groupId": number()},
    "APIAddGroupRelays": lambda: {"groupId": number(), "relayIds": numbers()},
    "APIRemoveMembers": lambda: {"groupId": number(), "groupMemberIds": numbers(), "withMessages": flag()},
    "APIMembersRole": lambda: {
        "groupId": number(), "groupMemberIds": numbers(),
        "memberRole": chance.choice(["observer", "member", "moderator", "admin", "owner"]),
    },
    "APIBlockMembersForAll": lambda: {"groupId": number(), "groupMemberIds": numbers(), "blocked": flag()},
    "APIDeleteMemberChatItem": lambda: {"groupId": number(), "chatItemIds": numbers()},
    "APIAllowRelayGroup": lambda: {"groupId": number()},
    "APIGetGroupLink": lambda: {"groupId": number()},
    "APIListGroups": lambda: {"userId": number()},
    "APIListMembers": lambda: {"groupId": number()},
    "APIUpdateGroupProfile": lambda: {"groupId": number(), "groupProfile": profile()},
    "APIDeleteChat": lambda: {
        "chatRef": {"chatType": "group", "chatId": number()},
        "chatDeleteMode": {"type": "full", "notify": flag()},
    },
    "APIConnectPlan": lambda: {"userId": number(), "connectTarget": "https://smp.example.com/c#" + 42 * chance.choice("aZ09_-") + "A"},
    "APILeaveGroup": lambda: {"groupId": number()},
    "APISendMessages": lambda: {
        "sendRef": group(),
        "liveMessage": False,
        "signMessages": flag(),
        "composedMessages": [composed()],
    },
    "APIUpdateChatItem": lambda: {
        "chatRef": group(),
        "chatItemId": number(),
        "liveMessage": False,
        "updatedMessage": message(),
    },
    "APIDeleteChatItem": lambda: {
        "chatRef": group(),
        "chatItemIds": numbers(),
        "deleteMode": chance.choice(["broadcast", "history"]),
    },
    "APIChatItemReaction": lambda: {
        "chatRef": group(),
        "chatItemId": number(),
        "add": flag(),
        "reaction": {"type": "emoji", "emoji": chance.choice("👍👎😀😂😢❤🚀✅")},
    },
}

for index in range(int(sys.argv[2])):
    name = list(MAKERS)[index % len(MAKERS)]
    arguments = MAKERS[name]()
    string = getattr(commands, name + "_cmd_string")(arguments)
    print(json.dumps({"function": name, "arguments": arguments, "string": string}))
