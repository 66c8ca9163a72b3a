package config

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretFile sets a secret from the file that its twin key in table n names.
func (b *binder) secretFile(n *node, key string, v reflect.Value, path string) {
	child := n.fields[key]
	base := strings.TrimSuffix(key, "_file")
	name, ok := child.value.(string)
	switch {
	case child.bad != nil:
		return
	case !ok:
		b.mismatch(child, reflect.TypeFor[string](), nil, path)
		return
	case n.fields[base] != nil:
		b.fail(child.key, "", fmt.Sprintf("both %s and %s are given", base, key), "keep one of them")
		return
	}
	data, err := b.section.disk.read(resolve(child.at.src, name), maxSecret)
	if err != nil {
		b.fail(child.at, path, fmt.Sprintf("cannot read %q: %v", name, bare(err)), "")
		return
	}
	secret := secretIn(data)
	wrong := stray(secret)
	switch {
	case secret == "":
		b.fail(child.at, path, fmt.Sprintf("file %q is empty", name), "")
		return
	case looksUTF16(data):
		b.fail(child.at, path, fmt.Sprintf("file %q looks like UTF-16", name), "save it as UTF-8")
		return
	case wrong != "":
		b.fail(child.at, path, fmt.Sprintf("file %q holds %s", name, wrong), "the file is to hold the "+base+" alone, on one line")
		return
	}
	v.Set(reflect.ValueOf(NewSecret(secret)))
}

// secretIn is the secret in a file. Editors end a file with a newline, and some begin
// it with a mark of its encoding; no secret does.
func secretIn(data []byte) string {
	return strings.TrimRight(strings.TrimLeft(string(data), "\ufeff"), "\r\n")
}

// stray names the control character in a secret, "" where there is none. No platform
// gives out such a secret, and neither a header nor an address can carry one: whatever
// is sent with it would fail.
func stray(secret string) string {
	i := strings.IndexFunc(secret, unicode.IsControl)
	if i < 0 {
		return ""
	}
	switch r, _ := utf8.DecodeRuneInString(secret[i:]); r {
	case '\n', '\r':
		return "a line break"
	case '\t':
		return "a tab"
	default:
		return fmt.Sprintf("a control character (%U)", r)
	}
}

// bare drops the path from an error: the operator knows it as he wrote it.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
