package hourly

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// File is one file of a folder.
type File struct {
	Path string
	Hour time.Time // in which its records were written, UTC
	part int
	Size int64
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

// List returns the files in a folder, the oldest first. Whatever else
// lies there is left alone.
func List(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []File
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
		files = append(files, File{Path: filepath.Join(dir, e.Name()), Hour: hour, part: part, Size: info.Size()})
	}
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(a.Hour.Compare(b.Hour), cmp.Compare(a.part, b.part))
	})
	return files, nil
}
