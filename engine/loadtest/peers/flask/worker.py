"""Answers what app.py queued: reads a state, changes it, writes it, replies.

REDIS_PORT and PLATFORM_PORT are ports on the loopback. Nothing is kept of a
message while it is in hand, as usual with a plain list: a crash loses it.
"""

import http.client
import json
import os

import redis

store = redis.Redis(port=int(os.environ["REDIS_PORT"]))
platform = http.client.HTTPConnection("127.0.0.1", int(os.environ["PLATFORM_PORT"]))


def answer(message):
    key = "state:" + message["sender"]
    state = json.loads(store.get(key) or '{"misses": 0}')
    state["misses"] += 1
    store.set(key, json.dumps(state), ex=3600)
    reply = {"appId": "", "content": message["content"][:11], "to": message["sender"]}
    platform.request(
        "POST",
        "/v1/message/send_text",
        json.dumps(reply, separators=(",", ":")),
        {"Content-Type": "application/json", "Idempotency-Key": message["msg_id"]},
    )
    platform.getresponse().read()


while True:
    _, body = store.brpop("wechat_message_queue")
    answer(json.loads(body))
