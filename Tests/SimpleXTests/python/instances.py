"""instances.py SEED COUNT

Writes COUNT messages of a core as JSON lines: a message made at random from the official package's type definitions, and what Baton
uses of it, taken from it by path. Words and members that no version knows yet are strewn in.
"""

import json
import random
import sys
import types
import typing

from official import load

T, _, replies, events = load()
chance = random.Random(int(sys.argv[1]))

PIECES = ["a", "Z", "7", " ", '"', "\\", "/", "é", "日本", "😀", "{", "]", "#"]
HINTS = {}
STRANGE = [None, 1, -0.5, "text", [], {}, [{"type": "x"}], {"groupKeys": {"memberPrivKey": "SECRET-1"}}]


def likely(share):
    return chance.random() < share


def hints(kind):
    if kind not in HINTS:
        HINTS[kind] = typing.get_type_hints(kind, include_extras=True)
    return HINTS[kind]


def weight(kind):
    """How much an alternative would grow: the number of its members."""
    return len(hints(kind)) if typing.is_typeddict(kind) else 0


def instance(kind, key, depth):
    origin = typing.get_origin(kind)
    if origin is typing.NotRequired:
        return instance(typing.get_args(kind)[0], key, depth)
    if origin is typing.Literal:
        return chance.choice(typing.get_args(kind)) if key == "type" or likely(0.97) else "newWord"
    if origin in (types.UnionType, typing.Union):
        alternatives = typing.get_args(kind)
        if depth > 8:
            alternatives = [min(alternatives, key=weight)]
        value = instance(chance.choice(alternatives), key, depth)
        if isinstance(value, dict) and likely(0.02):
            value["type"] = "newTag"
        return value
    if origin is list:
        count = 0 if depth > 6 else chance.randrange(0, 3)
        return [instance(typing.get_args(kind)[0], key, depth + 1) for _ in range(count)]
    if origin is dict:
        return {"k": 1} if likely(0.5) else {}
    if typing.is_typeddict(kind):
        value = {}
        for name, hint in hints(kind).items():
            if typing.get_origin(hint) is not typing.NotRequired or (depth < 6 and likely(0.6)):
                value[name] = instance(hint, name, depth + 1)
        if likely(0.1):
            value["newMember"] = chance.choice(STRANGE)
        return value
    if kind is bool:
        return likely(0.5)
    if kind is int:
        number = chance.choice([0, 1, 2**31, 2**53 + 1, 2**63 - 1, chance.randrange(10**6)])
        return str(number) if key == "agentUserId" and likely(0.5) else number
    if kind is float:
        return chance.random() * 100
    if kind is str:
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(0, 6)))
        return "SECRET-" + text if key in ("rootPrivKey", "memberPrivKey") else text
    if kind is object:
        return "anything"
    raise TypeError(f"{key}: {kind}")


# What Baton uses, in the order in which the Swift side lists it.


def tags(error):
    found = [error["type"]]
    inner = [v for k, v in error.items() if isinstance(v, dict) and (k.endswith("Err") or k.endswith("Error") or k == "errorType")]
    return found + (tags(inner[0]) if inner else [])


def error(value):
    entity = value.get("connectionEntity_")
    place = None
    if entity and entity["type"] == "rcvGroupMsgConnection":
        place = [entity["groupInfo"]["groupId"], entity["groupMember"]["groupMemberId"]]
    return [tags(value), place]


def user(value):
    return [value["userId"], value["localDisplayName"], value["profile"]["displayName"], value["activeUser"], value["userChatRelay"]]


def member(value):
    connection = value.get("activeConn")
    word = connection and connection["connStatus"]["type"]
    status = word and [word, connection["connStatus"]["connError"] if word == "failed" else None]
    keys = ["groupMemberId", "groupId", "memberId", "memberRole", "memberStatus", "localDisplayName"]
    name = value["memberProfile"]["displayName"]
    name = name.encode()[:200].decode(errors="ignore") or None
    return [value[key] for key in keys] + [status, value.get("relayLink"), name, value["blockedByAdmin"]]


def clean(value):
    """Without private keys."""
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items() if k not in ("groupKeys", "rootPrivKey", "memberPrivKey")}
    return [clean(v) for v in value] if isinstance(value, list) else value


def group(value):
    summary = value["groupSummary"]
    return [value["groupId"], value["useRelays"], value["localDisplayName"], clean(value["groupProfile"])] + [
        member(value["membership"]),
        value.get("relayOwnStatus"),
        value["createdAt"],
        summary["currentMembers"],
        summary.get("publicMemberCount"),
        value.get("preparedGroup", {}).get("connLinkStartedConnection"),
    ]


def link(value):
    contact = value["connLinkContact"]
    return [contact.get("connShortLink"), contact["connFullLink"]]


def given_link(value):
    return [value.get("connShortLink"), value["connFullLink"]]


def plan(value):
    if value["type"] == "error":
        return ["error", error(value["chatError"])]
    if value["type"] != "groupLink":
        return ["other", value["type"]]
    inner = value["groupLinkPlan"]
    known = {
        "ok": lambda: ["ok", clean(inner["groupSLinkData_"]["groupProfile"]) if "groupSLinkData_" in inner else None],
        "ownLink": lambda: ["own", group(inner["groupInfo"])],
        "connectingConfirmReconnect": lambda: ["joining", None],
        "connectingProhibit": lambda: ["joining", group(inner["groupInfo_"]) if "groupInfo_" in inner else None],
        "known": lambda: ["known", group(inner["groupInfo"])],
        "noRelays": lambda: ["noRelays"],
        "updateRequired": lambda: ["tooOld"],
    }
    return known.get(inner["type"], lambda: ["other", inner["type"]])()


def relay(value):
    keys = ["chatRelayId", "address", "domains", "preset", "enabled", "deleted"]
    return [value[key] for key in keys] + [value.get("tested"), value["relayProfile"]["displayName"]]


def group_relay(value):
    return [value["groupRelayId"], value["groupMemberId"], relay(value["userChatRelay"]), value["relayStatus"]] + [
        value.get("relayLink"),
        value["relayCap"].get("webDomain"),
    ]


def result(value):
    return [relay(value["relay"]), error(value["relayError"]) if "relayError" in value else None]


def chat(value):
    """Nothing for what a member says to those who run the group."""
    return group(value["groupInfo"]) if value["type"] == "group" and "groupChatScope" not in value else None


def sender(direction):
    """The member who wrote something."""
    value = direction.get("groupMember")
    return [value["memberId"], value["memberProfile"]["displayName"] or None] if value and value["memberId"] else None


def author(direction, meta):
    kind = direction["type"]
    if kind == "groupSnd":
        return ["channel" if meta["showGroupAsSender"] else "user"]
    if kind == "groupRcv":
        return ["member", direction["groupMember"]["groupMemberId"]]
    return ["otherOwner"] if kind == "channelRcv" else ["unknown", kind]


def content(value):
    if value["type"] not in ("sndMsgContent", "rcvMsgContent"):
        return None
    message = value["msgContent"]
    preview = message["preview"] if message["type"] == "link" else {}
    return [message["type"], message["text"], preview.get("uri"), preview.get("title")]


def send_error(value):
    kind = value["type"]
    if kind in ("auth", "quota", "expired"):
        return [kind]
    if kind == "other":
        return [kind, value["sndError"]]
    if kind not in ("relay", "proxy", "proxyRelay"):
        return ["unknown", kind]
    server = value["srvError"]
    words = server["srvError"] if server["type"] == "other" else server["type"]
    return [kind, words] if kind == "relay" else [kind, value["proxyServer"], words]


def status(value):
    kind = value["type"]
    is_complete = value.get("sndProgress") == "complete"
    if kind in ("sndError", "sndWarning"):
        return [kind[3:].lower(), send_error(value["agentError"])]
    known = {
        "sndNew": ["new"],
        "sndSent": ["sent", is_complete],
        "sndRcvd": ["received", value.get("msgRcptStatus") == "ok", is_complete],
        "sndErrorAuth": ["error", ["auth"]],
        "rcvNew": ["incoming", False],
        "rcvRead": ["incoming", True],
        "invalid": ["invalid", value.get("text")],
    }
    return known.get(kind, ["unknown", kind])


def file_error(value):
    kind = value["type"]
    if kind in ("auth", "blocked", "noFile"):
        return [kind]
    if kind == "other":
        return [kind, value["fileError"]]
    if kind != "relay":
        return ["unknown", kind]
    server = value["srvError"]
    return [kind, server["srvError"] if server["type"] == "other" else server["type"]]


def file(value):
    state = value["fileStatus"]
    kind = state["type"]
    if kind in ("sndError", "sndWarning"):
        return [value["fileName"], [kind[3:].lower(), file_error(state["sndFileError"])], value["fileSize"]]
    known = {
        "sndStored": ["stored"],
        "sndTransfer": ["uploading"],
        "sndComplete": ["complete"],
        "sndCancelled": ["cancelled"],
        "invalid": ["invalid", state.get("text")],
    }
    return [value["fileName"], known.get(kind, ["unknown", kind]), value["fileSize"]]


def reaction(value):
    return value["emoji"] if value["type"] == "emoji" else ""


def item(value):
    meta = value["meta"]
    deleted = meta.get("itemDeleted")
    quote = value.get("quotedItem")
    counts = [[reaction(each["reaction"]), each["userReacted"], each["totalReacted"]] for each in value["reactions"]]
    return [
        meta["itemId"],
        meta.get("itemSharedMsgId"),
        meta["itemTs"],
        author(value["chatDir"], meta),
        content(value["content"]),
        file(value["file"]) if "file" in value else None,
        status(meta["itemStatus"]),
        meta["itemEdited"],
        deleted and deleted["type"],
        meta["editable"],
        meta["deletable"],
        counts,
        sender(value["chatDir"]),
        meta["itemText"],
        meta["userMention"],
        quote and [quote.get("itemId"), quote.get("sharedMsgId")],
    ]


def chat_item(value):
    return [chat(value["chatInfo"]), item(value["chatItem"])]


def deletion(value):
    return [chat_item(value["deletedChatItem"]), chat_item(value["toChatItem"]) if "toChatItem" in value else None]


def reaction_change(value):
    outer = value["reaction"]
    inner = outer["chatReaction"]
    who = [author(inner["chatDir"], {"showGroupAsSender": False}), sender(inner["chatDir"])]
    return [value["added"], reaction(inner["reaction"]), chat(outer["chatInfo"]), item(inner["chatItem"])] + who


def fields(**parts):
    def take(value):
        return [[part(each) for each in value[key]] if isinstance(value[key], list) else part(value[key]) for key, part in parts.items()]

    return take


def same(value):
    return value


WHOLE = fields(groupInfo=group, groupLink=link, groupRelays=group_relay)
USES_OF_REPLIES = {
    "cmdOk": fields(),
    "activeUser": fields(user=user),
    "usersList": fields(users=lambda entry: user(entry["user"])),
    "chatStarted": fields(),
    "chatRunning": fields(),
    "chatStopped": fields(),
    "publicGroupCreated": WHOLE,
    "publicGroupCreationFailed": fields(addRelayResults=result),
    "groupRelays": fields(groupInfo=group, groupRelays=group_relay),
    "groupRelaysAdded": WHOLE,
    "groupRelaysAddFailed": fields(addRelayResults=result),
    "userDeletedMembers": fields(groupInfo=group, members=member),
    "membersRoleUser": fields(groupInfo=group, members=member),
    "membersBlockedForAllUser": fields(groupInfo=group, members=member),
    "relayGroupAllowed": fields(groupInfo=group),
    "groupLink": fields(groupInfo=group, groupLink=link),
    "groupsList": fields(groups=group),
    "groupMembers": lambda value: fields(groupInfo=group, members=member)(value["group"]),
    "groupUpdated": fields(fromGroup=group, toGroup=group),
    "groupDeletedUser": fields(groupInfo=group),
    "leftMemberUser": fields(groupInfo=group),
    "connectionPlan": fields(connLink=given_link, connectionPlan=plan),
    "newChatItems": fields(chatItems=chat_item),
    "chatItemUpdated": fields(chatItem=chat_item),
    "chatItemNotChanged": fields(chatItem=chat_item),
    "chatItemsDeleted": fields(chatItemDeletions=deletion),
    "chatItemReaction": reaction_change,
    "chatCmdError": fields(chatError=error),
}
USES_OF_EVENTS = {
    "groupRelayUpdated": fields(groupInfo=group, member=member, groupRelay=group_relay),
    "groupLinkDataUpdated": fields(groupInfo=group, groupLink=link, groupRelays=group_relay, relaysChanged=same),
    "groupMemberUpdated": fields(groupInfo=group, fromMember=member, toMember=member),
    "connectedToGroupMember": fields(groupInfo=group, member=member),
    "leftMember": fields(groupInfo=group, member=member),
    **{
        tag: fields(groupInfo=group)
        for tag in [
            "joinedGroupMember", "joinedGroupMemberConnecting", "memberAcceptedByOther", "memberRole", "memberBlockedForAll",
        ]
    },
    "deletedMember": fields(groupInfo=group, byMember=member, deletedMember=member),
    "deletedMemberUser": fields(groupInfo=group, member=member),
    "groupDeleted": fields(groupInfo=group, member=member),
    "groupUpdated": fields(fromGroup=group, toGroup=group),
    "newChatItems": fields(chatItems=chat_item),
    "chatItemUpdated": fields(chatItem=chat_item),
    "chatItemsDeleted": fields(chatItemDeletions=deletion),
    "groupChatItemsDeleted": fields(groupInfo=group, chatItemIDs=same),
    "chatItemReaction": reaction_change,
    "chatItemsStatusesUpdated": fields(chatItems=chat_item),
    "hostConnected": fields(protocol=same, transportHost=same),
    "hostDisconnected": fields(protocol=same, transportHost=same),
    "chatError": fields(chatError=error),
    "chatErrors": lambda value: [error(each) for each in value["chatErrors"]],
    "messageError": fields(severity=same, errorMessage=same),
}


def kinds(module):
    found = {}
    for kind in vars(module).values():
        if typing.is_typeddict(kind) and "type" in hints(kind):
            found[typing.get_args(hints(kind)["type"])[0]] = kind
    return found


def messages(module, uses):
    """What Baton knows comes as often as all the rest together."""
    all_kinds = kinds(module)
    missing = set(uses) - set(all_kinds)
    while True:
        known = sorted(set(uses) - missing)
        tag = chance.choice(known if likely(0.5) else sorted(all_kinds))
        answer = instance(all_kinds[tag], "", 0)
        yield tag, answer, uses[tag](answer) if tag in uses else None


sources = [(True, messages(replies, USES_OF_REPLIES)), (False, messages(events, USES_OF_EVENTS))]
for number in range(int(sys.argv[2])):
    is_reply, source = sources[number % 2]
    tag, answer, used = next(source)
    frame = {"resp": answer}
    if is_reply:
        frame["corrId"] = str(number)
    if likely(0.1):
        frame["newMember"] = chance.choice(STRANGE)
    print(json.dumps({"tag": tag, "used": used, "frame": json.dumps(frame)}))
