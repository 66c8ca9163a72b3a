package generic

import (
	"encoding/json"
	"testing"
)

func TestWords(t *testing.T) {
	tests := []struct{ raw, want string }{
		{`"success"`, "success"},
		{`""`, ""},
		{`"\u0073uccess"`, "success"},
		{`"a\"b"`, `a"b`},
		{"\"a\xffb\"", "a\uFFFDb"},
		{`"好"`, "好"},
		{`200`, "200"},
		{`-1.5e3`, "-1.5e3"},
		{`true`, "true"},
		{`null`, ""},
		{`{"code":1}`, `{"code":1}`},
		{`[0]`, `[0]`},
	}
	for _, tt := range tests {
		w := word("before")
		if err := json.Unmarshal([]byte(tt.raw), &w); err != nil || string(w) != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.raw, w, err, tt.want)
		}
	}
}
