package wordfilter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// many makes n words of two to five Chinese characters, one in five a Latin one
// of five to twelve letters.
func many(n int) []Word {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]Word, n)
	for i := range words {
		var b strings.Builder
		if i%5 == 0 {
			for range 5 + r.IntN(8) {
				b.WriteByte(byte('a' + r.IntN(26)))
			}
		} else {
			for range 2 + r.IntN(4) {
				b.WriteRune(rune(0x4e00 + r.IntN(3500)))
			}
		}
		words[i] = Word{b.String(), Replace, Place{"words.txt", i + 1}}
	}
	return words
}

// message is 600 bytes of Chinese with some Latin and signs, in which no word is.
var message = strings.Repeat("请问今天的优惠券在哪里领取？ Order 42, please. ", 12)[:600]

func BenchmarkNew100000(b *testing.B) {
	words := many(100_000)
	b.ReportAllocs()
	for b.Loop() {
		New(Options{Words: words, Mask: '*'})
	}
}

func BenchmarkFind(b *testing.B) {
	hit := "微 信" + message[len("请问"):]
	for _, n := range []int{10, 100_000} {
		f, _ := New(Options{Words: append(many(n), Word{"微信", Replace, Place{"words.txt", 0}}), Mask: '*'})
		for _, bb := range []struct{ name, text string }{{"none", message}, {"one", hit}} {
			b.Run(fmt.Sprintf("words=%d/%s", n, bb.name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(bb.text)))
				for b.Loop() {
					f.Cover(bb.text, f.Find(bb.text))
				}
			})
		}
	}
}
