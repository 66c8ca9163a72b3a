package console

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"bot/engine/config"
)

// fileState is how a file on disk stands to that which runs.
type fileState string

const (
	fileSame    fileState = "same"
	fileChanged fileState = "changed"
	fileSecrets fileState = "secrets" // only what is not shown differs
	fileNew     fileState = "new"
	fileGone    fileState = "gone"
)

// fileDiff is one file of the configuration and how it differs.
type fileDiff struct {
	Name  string
	Bytes int64 // of what runs, or of the new file
	State fileState
	Lines []diffLine
	More  int // lines of the difference that are left out
}

// diffLine is one line of a unified diff; Kind is add, del, at or "".
type diffLine struct{ Kind, Text string }

// maxDiff bounds the shown difference of one file in lines.
const maxDiff = 500

// diffs compares files by their names, in the order in which they were read; those
// that are new come last. Secrets are concealed before anything is compared.
func diffs(running, disk []config.File) (all []fileDiff) {
	onDisk := make(map[string]string, len(disk))
	for _, f := range disk {
		onDisk[f.Name] = f.Text
	}
	known := make(map[string]bool, len(running))
	for _, f := range running {
		known[f.Name] = true
		text, there := onDisk[f.Name]
		if there {
			all = append(all, compare(f.Name, f.Text, text))
		} else {
			all = append(all, fileDiff{Name: f.Name, Bytes: int64(len(f.Text)), State: fileGone})
		}
	}
	for _, f := range disk {
		if !known[f.Name] {
			d := compare(f.Name, "", f.Text)
			d.State, d.Bytes = fileNew, int64(len(f.Text))
			all = append(all, d)
		}
	}
	return all
}

func compare(name, old, now string) fileDiff {
	d := fileDiff{Name: name, Bytes: int64(len(old)), State: fileSame}
	if old == now {
		return d
	}
	d.State = fileChanged
	text := udiff.Unified(name, name, config.Conceal(old), config.Conceal(now))
	if text == "" {
		d.State = fileSecrets
		return d
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[2:] // the names of the files
	if len(lines) > maxDiff {
		d.More, lines = len(lines)-maxDiff, lines[:maxDiff]
	}
	for _, line := range lines {
		d.Lines = append(d.Lines, diffLine{diffKind(line), line})
	}
	return d
}

func diffKind(line string) string {
	switch {
	case strings.HasPrefix(line, "@@"):
		return "at"
	case strings.HasPrefix(line, "+"):
		return "add"
	case strings.HasPrefix(line, "-"):
		return "del"
	}
	return ""
}
