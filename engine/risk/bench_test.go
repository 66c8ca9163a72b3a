package risk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// matrix has n rows of all sorts, none of which hits.
func matrix(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[risk]]\nname = \"r%d\"\naction = \"mute\"\n", i)
		switch i % 5 {
		case 0:
			b.WriteString("on = \"message\"\nmore_than = \"1000000/s\"\n")
		case 1:
			b.WriteString("on = \"link\"\n")
		case 2:
			b.WriteString("on = \"words\"\nwords = [\"赌博\", \"加微信\", \"vx\"]\n")
		case 3:
			b.WriteString("on = \"long\"\n")
		case 4:
			b.WriteString("on = \"member_left\"\nmore_than = \"5/m\"\n")
		}
	}
	return b.String()
}

// quietly is a Guard whose surroundings do nothing.
func quietly(tb testing.TB, rows int) *Guard {
	began := time.Now()
	g := New(Options{
		Hit: func(Hit) {}, Alert: func(Hit) {}, Now: time.Now, Clock: func() time.Duration { return time.Since(began) },
	})
	g.SetRules(rulesOf(tb, matrix(rows)))
	return g
}

// message is one as people write them; the id is changed in place.
func message() *engine.Event {
	return &engine.Event{
		Account: "shop", Kind: engine.Message, Type: "text", ID: "m1", Sender: "wxid_1", Conversation: "wxid_1",
		Text: "你好，请问这件衣服还有 M 码吗？什么时候可以发货，谢谢！",
	}
}

var ids = func() (all [8192]string) {
	for i := range all {
		all[i] = fmt.Sprint("m", i)
	}
	return all
}()

func BenchmarkAdmit(b *testing.B) {
	for _, rows := range []int{0, 5, 50} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			g, e := quietly(b, rows), message()
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				e.ID = ids[n%len(ids)]
				if reason := g.Admit(e); reason != "" {
					b.Fatal(reason)
				}
			}
		})
	}
}
