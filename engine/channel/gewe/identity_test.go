package gewe

import (
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// An outage that follows another is an event of its own, its repetition is not.
func TestOfflineIsToldAgain(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	at := func(now time.Time) engine.Key {
		t.Helper()
		receipt, err := r.Receive(&channel.Request{Body: []byte(`{"TypeName":"Offline","Appid":"` + appID + `","Wxid":"` + self + `"}`), Now: now})
		if err != nil || len(receipt.Events) != 1 {
			t.Fatal(err)
		}
		return receipt.Events[0].Key()
	}
	start := noon.Truncate(offlineSlot)
	if at(start) != at(start.Add(offlineSlot-time.Second)) {
		t.Error("a repetition is an event of its own")
	}
	if at(start) == at(start.Add(time.Hour)) {
		t.Error("an hour later it is the same")
	}
}

// Ids of ten digits are times and no identities.
func TestPseudoIDs(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	notice := func(content, appid string) *engine.Event {
		return receive(t, r, []byte(`{"appid":"`+appid+`","wxid":"`+self+`","msgType":"GROUP_NAME_CHANGE","newMsgId":1790000901,`+
			`"fromUser":"`+group+`","content":`+quote(content)+`}`))
	}
	a, b := notice(`你修改群名为“一群”`, appID), notice(`你修改群名为“二群”`, appID)
	if a.ID != "1790000901" || a.Key() == b.Key() {
		t.Errorf("%q and %q are one", a.Text, b.Text)
	}
	if again := notice(`你修改群名为“一群”`, "wx_after_a_new_login"); again.Key() != a.Key() {
		t.Error("delivered again, it is another")
	}
	if a.Text != "一群" || a.Actor != self {
		t.Errorf("renamed to %q by %q", a.Text, a.Actor)
	}
}

// A new login brings old notices again, under another appid and with other
// numbers in the account's sequence.
func TestNoticesWithoutAnIDAreKnownAgain(t *testing.T) {
	r := mustReceiver(t, channeltest.Host(t), shop())
	key := func(appid, data string) engine.Key {
		return receive(t, r, []byte(`{"TypeName":"DelContacts","Appid":"`+appid+`","Wxid":"`+self+`","Data":{"UserName":{"string":"`+friend+`"}`+data+`}}`)).Key()
	}
	first := key(appID, `,"MsgSeq":800000001`)
	for name, again := range map[string]engine.Key{
		"another MsgSeq":  key(appID, `,"MsgSeq":800000002`),
		"no MsgSeq":       key(appID, ``),
		"another appid":   key("wx_new", `,"MsgSeq":800000001`),
		"in lower case":   key(appID, `,"msgseq":5`),
		"both of another": key("wx_new", `,"MsgSeq":7`),
	} {
		if again != first {
			t.Errorf("%s makes another event of it", name)
		}
	}
	if key(appID, `,"MsgSeq":800000001,"Remark":{"string":"x"}`) == first {
		t.Error("another notice is the same")
	}
}
