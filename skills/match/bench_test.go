package match

import (
	"strings"
	"testing"
)

// BenchmarkForms makes the forms in which texts are compared, of a message of
// 200 bytes.
func BenchmarkForms(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"ascii", strings.Repeat("Order 42 please ", 12)},
		{"chinese", "00000000042" + strings.Repeat("请问今天的优惠券在哪里领取", 5)[:189]},
		{"full-width signs", "00000000042" + strings.Repeat("请问今天的优惠券在哪里领取，谢谢您！", 4)[:189]},
		{"emoji", "00000000042" + strings.Repeat("请问今天的优惠券在哪里领取👍", 4)},
	} {
		for _, form := range []struct {
			name string
			make func(string) string
		}{{"Fold", Fold}, {"Plain", plain}, {"Answer", Answer}} {
			b.Run(form.name+"/"+bb.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					form.make(bb.text)
				}
			})
		}
	}
}
