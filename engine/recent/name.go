package recent

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// file is one file of the archive.
type file struct {
	name string
	hour time.Time // in which its events were handled
	part int
	size int64
}

const hourForm = "2006-01-02T15"

var filename = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d)(?:\.(\d{3,6}))?$`)

// nameOf is what a file is called.
func nameOf(hour time.Time, part int) string {
	name := hour.Format(hourForm)
	if part > 0 {
		name += fmt.Sprintf(".%03d", part)
	}
	return name
}

// list returns the archive's files in a folder, the oldest first. Whatever else
// lies there is left alone.
func list(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		m := filename.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		hour, err := time.ParseInLocation(hourForm, m[1], time.UTC)
		if err != nil {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		part, _ := strconv.Atoi(m[2])
		files = append(files, file{name: e.Name(), hour: hour, part: part, size: info.Size()})
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(a.hour.Compare(b.hour), cmp.Compare(a.part, b.part))
	})
	return files, nil
}
