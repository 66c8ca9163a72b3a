"""The usual way to take callbacks in: a lock per message id, then a list.

Run by gunicorn. REDIS_PORT is where Redis listens on the loopback. The lock
and the push are two steps, as they usually are: a crash between them loses
the message for as long as the lock lasts.
"""

import os

import redis
from flask import Flask, jsonify, request

LOCK_SECONDS = 86400

app = Flask(__name__)
store = redis.Redis(port=int(os.environ["REDIS_PORT"]))


@app.post("/callback/load")
def callback():
    message = request.get_json(silent=True)
    if not message or not message.get("msg_id"):
        return jsonify(status="error"), 400
    if store.set("lock:msg:" + message["msg_id"], "1", nx=True, ex=LOCK_SECONDS):
        store.lpush("wechat_message_queue", request.get_data())
    return jsonify(status="success")
