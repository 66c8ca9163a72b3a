package loadtest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"
)

// callbackPath is where every server under test takes its callbacks.
const callbackPath = "/callback/load"

// The parts of a callback that change from one to the next, all of fixed width.
const (
	idDigits    = 20
	indexDigits = 10
	convDigits  = 8
)

// convPrefix begins every conversation's id.
const convPrefix = "wxid_load_"

// filler brings the body to about 600 bytes, most of them Chinese text, as
// messages in a shop's chat have.
const filler = "您好，我想咨询一下上周在你们店里下的那个订单，物流信息已经三天没有更新了，" +
	"请帮忙查一下现在到哪里了，大概什么时候能够送到；另外收货地址可能需要改成公司的地址，" +
	"如果来得及的话麻烦备注一下，谢谢！顺便问问最近有没有满减的优惠活动可以参加，" +
	"我想再买两件同款的送给朋友，颜色要深一点的。"

// request is one callback as it goes over the wire. Only digits are written
// over from one event to the next: nothing is encoded or allocated while the
// load runs. It belongs to one connection.
type request struct {
	bytes         []byte
	conversations uint64
	id, conv      int // offsets
	index         int
}

// newRequest lays out the bytes. All events of a run carry the same platform
// time, its beginning; runs are far shorter than any age limit.
func newRequest(host string, conversations int, now time.Time) *request {
	zero := func(n int) string { return string(bytes.Repeat([]byte{'0'}, n)) }
	body := fmt.Sprintf(`{"msg_id":"%s","sender":"%s%s","nickname":"顾客","content":"#%s %s","timestamp":%d,"device":"android","room_id":null}`,
		zero(idDigits), convPrefix, zero(convDigits), zero(indexDigits), filler, now.Unix())
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		callbackPath, host, len(body))
	r := &request{bytes: []byte(head + body), conversations: uint64(conversations)}
	after := func(mark string) int { return bytes.Index(r.bytes, []byte(mark)) + len(mark) }
	r.id, r.conv, r.index = after(`"msg_id":"`), after(convPrefix), after(`"content":"#`)
	return r
}

// fill makes it the callback of event i. The same i always gives the same bytes.
func (r *request) fill(i uint64) {
	digits(r.bytes[r.id:r.id+idDigits], messageID(i))
	digits(r.bytes[r.conv:r.conv+convDigits], i%r.conversations)
	digits(r.bytes[r.index:r.index+indexDigits], i)
}

// messageID is the platform's id of event i: 20 digits, different for different
// i below 2^62, and in no order. Ascending ids would flatter a store that keeps
// them in a tree.
func messageID(i uint64) uint64 {
	const first, mask = 10_000_000_000_000_000_000, 1<<62 - 1
	x := i * 0x9E3779B97F4A7C15 & mask // odd, so that it can be undone
	x ^= x >> 29
	x = x * 0xBF58476D1CE4E5B9 & mask
	x ^= x >> 32
	return first + x
}

// digits writes v in decimal, with leading zeros, over the whole of b.
func digits(b []byte, v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
}

// delivery is what a reply tells of the event it answers.
type delivery struct {
	index        uint64
	conversation uint64
	key          uint64 // a hash of the idempotency key
}

// parseDelivery reads the body of a send_text: whom it is to and, from the
// start of the echoed text, which event it answers.
func parseDelivery(body []byte) (d delivery, ok bool) {
	var inText, inTo bool
	if d.index, inText = number(body, `"content":"#`, indexDigits); !inText {
		return d, false
	}
	d.conversation, inTo = number(body, `"to":"`+convPrefix, convDigits)
	return d, inTo
}

func number(b []byte, mark string, width int) (uint64, bool) {
	i := bytes.Index(b, []byte(mark))
	if i < 0 || len(b) < i+len(mark)+width {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[i+len(mark):][:width]), 10, 64)
	return v, err == nil
}

// hashKey is FNV-1a: 64 bits are plenty to tell apart the few keys that one
// event's replies can have.
func hashKey(key []byte) uint64 {
	h := fnv.New64a()
	h.Write(key)
	return h.Sum64()
}
