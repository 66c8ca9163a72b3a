package wecom

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"bot/engine/channel/wecom/crypt"
)

// parseXML reads a document. What users write may hold characters that XML does
// not have, on which the decoder stops: the message is not lost for them, they
// are.
func parseXML(data []byte) (*node, error) {
	root, err := readXML(data)
	if errors.Is(err, errSyntax) {
		if clean := cleanXML(data); !bytes.Equal(clean, data) {
			return readXML(clean)
		}
	}
	return root, err
}

// readXML returns the root element. Attributes and name spaces mean nothing
// here.
func readXML(data []byte) (*node, error) {
	r := xmlReader{from: xml.NewDecoder(bytes.NewReader(data))}
	root := &node{}
	for {
		t, err := r.from.Token()
		switch {
		case err == io.EOF && len(root.kids) == 1:
			return root.kids[0], nil
		case err != nil:
			return root.first(), errSyntax
		}
		switch t := t.(type) {
		case xml.Directive:
			return root.first(), errDoctype
		case xml.StartElement:
			if len(root.kids) == 1 {
				return root.first(), errAfter
			}
			if err := r.element(root, t, 1); err != nil {
				return root.first(), err
			}
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return root.first(), errSyntax
			}
		}
	}
}

// first is the element that was begun, or an empty one.
func (n *node) first() *node {
	if len(n.kids) == 0 {
		return n
	}
	return n.kids[0]
}

type xmlReader struct {
	from     *xml.Decoder
	elements int
}

// element reads the element that begins with start into n.
func (r *xmlReader) element(n *node, start xml.StartElement, depth int) error {
	if r.elements++; r.elements > maxElements {
		return errMany
	}
	if depth > maxDepth {
		return errDeep
	}
	k := &node{name: start.Name.Local}
	n.kids = append(n.kids, k)
	var text strings.Builder
	for {
		t, err := r.from.Token()
		if err != nil {
			return errSyntax
		}
		switch t := t.(type) {
		case xml.Directive:
			return errDoctype
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			if err := r.element(k, t, depth+1); err != nil {
				return err
			}
		case xml.EndElement:
			if len(k.kids) == 0 {
				k.text = text.String()
			}
			return nil
		}
	}
}

// cleanXML drops the characters that XML does not have, written plainly or,
// outside of CDATA sections, by their numbers, and mends what is no UTF-8.
func cleanXML(data []byte) []byte {
	const open, shut = "<![CDATA[", "]]>"
	clean := make([]byte, 0, len(data))
	for {
		outside, rest, more := bytes.Cut(data, []byte(open))
		for len(outside) > 0 {
			n := strayReference(outside)
			if n == 0 {
				clean, n = appendRune(clean, outside)
			}
			outside = outside[n:]
		}
		if !more {
			return clean
		}
		inside, rest, _ := bytes.Cut(rest, []byte(shut))
		clean = append(clean, open...)
		for len(inside) > 0 {
			var n int
			clean, n = appendRune(clean, inside)
			inside = inside[n:]
		}
		clean, data = append(clean, shut...), rest
	}
}

// appendRune appends the first character of data, if XML has it, and returns
// its length in data.
func appendRune(clean, data []byte) ([]byte, int) {
	r, n := utf8.DecodeRune(data)
	if crypt.InXML(r) {
		clean = utf8.AppendRune(clean, r)
	}
	return clean, n
}

// strayReference is the length of the character reference that data begins
// with, 0 where it is none or names a character that XML has.
func strayReference(data []byte) int {
	const longest = 12
	end := bytes.IndexByte(data[:min(len(data), longest)], ';')
	if end < 0 || !bytes.HasPrefix(data, []byte("&#")) {
		return 0
	}
	digits, base := string(data[2:end]), 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	r, err := strconv.ParseUint(digits, base, 31)
	if err != nil || crypt.InXML(rune(r)) {
		return 0
	}
	return end + 1
}
