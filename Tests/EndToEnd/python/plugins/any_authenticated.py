"""Plug-in for nostr-relay 1.14: every key that completes NIP-42 may save; refusals use the standard words."""
from nostr_relay.auth import Action, Authenticator
from nostr_relay.errors import AuthenticationError


class AnyAuthenticated(Authenticator):
    async def authenticate(self, auth_event_json, challenge=""):
        token = await super().authenticate(auth_event_json, challenge=challenge)
        token["roles"] = set(token["roles"]) | {"a", "w"}
        return token

    async def can_do(self, auth_token, action, target=None):
        if action == Action.save.value and not auth_token:
            raise AuthenticationError("auth-required: authenticate to publish")
        return await super().can_do(auth_token, action, target)
