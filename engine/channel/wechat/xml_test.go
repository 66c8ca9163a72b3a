package wechat

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for name, tt := range map[string]struct{ doc, want string }{
		"a whole document":            {`<?xml version="1.0"?><m><a><b>x</b></a></m>`, "x"},
		"another charset by name":     {`<?xml version="1.0" encoding="gb2312"?><m><a><b>你</b></a></m>`, "你"},
		"an id before it":             {"wxid_1:\n<m><a><b>x</b></a></m>", "x"},
		"a bare ampersand":            {`<m><a><b>x & y&z</b></a></m>`, "x & y&z"},
		"broken behind it":            {`<m><a><b>x</b></a><c d=>&#0;`, "x"},
		"broken inside it":            {"<m><a><b>x\x00y</b></a></m>", ""},
		"the first of two":            {`<m><a><b>x</b></a><a><b>y</b></a></m>`, "x"},
		"character data and entities": {`<m><a><b><![CDATA[<x>]]>&amp;&lt;</b></a></m>`, "<x>&<"},
		"nothing":                     {``, ""},
		"no XML":                      {`你好`, ""},
		"an angle":                    {`1 < 2`, ""},
		"an entity that is a bomb":    {`<!DOCTYPE m [<!ENTITY e "eeee">]><m><a><b>&e;</b></a></m>`, "&e;"},
	} {
		if got := Parse(tt.doc).Child("a", "b").Text(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	start := time.Now()
	for name, doc := range map[string]string{
		"deep":            strings.Repeat("<a>", 300_000),
		"wide":            "<a>" + strings.Repeat("<b/>x", 200_000) + "</a>",
		"many attributes": "<a " + strings.Repeat(`b="c" `, 100_000) + "/>",
		"many words":      "<a>" + strings.Repeat("<![CDATA[x]]>", 80_000) + "</a>",
	} {
		var count func(n *Node) (nodes, depth int)
		count = func(n *Node) (nodes, depth int) {
			nodes = 1
			for _, c := range n.all() {
				m, d := count(c)
				nodes, depth = nodes+m, max(depth, d)
			}
			return nodes, depth + 1
		}
		if nodes, depth := count(Parse(doc)); nodes > maxNodes || depth > maxDepth {
			t.Errorf("%s: %d nodes, %d deep", name, nodes, depth)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
