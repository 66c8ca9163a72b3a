package skills

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/kind"
)

// unkind says what is wrong with a section that is of no kind: whatever it
// holds that none of the kinds knows, one of which may be what it was to do.
func unkind(s engine.Section, kinds []kind.Kind) error {
	err := s.Decode(allKeys(kinds))
	var known []string
	for _, k := range kinds {
		known = append(known, k.Key)
	}
	for _, key := range s.Keys() {
		if nearest.Name(key, known) != "" {
			return err // its hint says what the skill was to do
		}
	}
	return errors.Join(err, s.Errorf("", "nothing says what this skill does (it needs one of: %s)", strings.Join(known, ", ")))
}

// allKeys makes a struct to decode a section into that has the keys of all
// kinds. Of two keys of one name the first counts.
func allKeys(kinds []kind.Kind) any {
	var all []reflect.StructField
	seen := make(map[string]bool)
	add := func(key string, t reflect.Type) {
		if key != "" && !seen[key] {
			seen[key] = true
			all = append(all, reflect.StructField{
				Name: "F" + strconv.Itoa(len(all)), Type: t, Tag: reflect.StructTag("toml:" + strconv.Quote(key)),
			})
		}
	}
	for _, k := range kinds {
		add(k.Key, reflect.TypeFor[any]())
		if k.Config == nil {
			continue
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(k.Config)) {
			add(f.Tag.Get("toml"), f.Type)
		}
	}
	return reflect.New(reflect.StructOf(all)).Interface()
}
