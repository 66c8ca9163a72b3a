package wecom

import (
	"bytes"
	"encoding/json"
	"io"
)

// parseJSON reads an object. Numbers keep their digits.
func parseJSON(data []byte) (*node, error) {
	r := jsonReader{from: json.NewDecoder(bytes.NewReader(data))}
	r.from.UseNumber()
	root := &node{}
	t, err := r.from.Token()
	if err != nil || t != json.Delim('{') {
		return root, errSyntax
	}
	if err := r.object(root, 1); err != nil {
		return root, err
	}
	if _, err := r.from.Token(); err != io.EOF {
		return root, errAfter
	}
	return root, nil
}

type jsonReader struct {
	from     *json.Decoder
	elements int
}

// object reads the members of an object into n.
func (r *jsonReader) object(n *node, depth int) error {
	for r.from.More() {
		name, err := r.from.Token()
		if err != nil {
			return errSyntax
		}
		if err := r.value(n, name.(string), depth); err != nil { // a name is a string, or Token fails
			return err
		}
	}
	return r.close()
}

// value reads the next value as an element of n, or a list as one for each.
func (r *jsonReader) value(n *node, name string, depth int) error {
	t, err := r.from.Token()
	if err != nil {
		return errSyntax
	}
	if depth >= maxDepth {
		return errDeep
	}
	if t == json.Delim('[') {
		for r.from.More() {
			if err := r.value(n, name, depth+1); err != nil {
				return err
			}
		}
		return r.close()
	}
	if r.elements++; r.elements > maxElements {
		return errMany
	}
	k := &node{name: name}
	n.kids = append(n.kids, k)
	switch t := t.(type) {
	case string:
		k.text = t
	case json.Number:
		k.text = t.String()
	case bool:
		k.text = "false"
		if t {
			k.text = "true"
		}
	case json.Delim: // { it is, since Token checks what may stand here
		return r.object(k, depth+1)
	}
	return nil
}

// close steps over the end of a list or an object.
func (r *jsonReader) close() error {
	if _, err := r.from.Token(); err != nil {
		return errSyntax
	}
	return nil
}
