package reference_test

import (
	"path/filepath"
	"testing"
)

// The files are made of the types. After a change of either: go generate ./engine/config/reference
func TestTheFilesAreWhatTheTypesSay(t *testing.T) {
	ref := describe(t)
	schema, err := ref.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"docs/configuration.md": string(ref.Markdown()), "docs/bot.schema.json": string(schema)} {
		if *update {
			write(t, filepath.Join(root, name), want)
		}
		if read(t, name) != want {
			t.Errorf("%s is not what the types say: run go generate ./engine/config/reference", name)
		}
	}
}
