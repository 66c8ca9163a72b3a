package trial_test

import (
	"os"
	"strings"
	"testing"

	"bot/engine/trial"
)

func TestTheReferenceNamesEveryCommand(t *testing.T) {
	doc, err := os.ReadFile("../../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range trial.Commands() {
		if !strings.Contains(string(doc), "`"+name+" ") && !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/skills.md does not name %s", name)
		}
		if !strings.Contains(trial.Help(), "  "+name+" ") {
			t.Errorf("the help does not name %s", name)
		}
	}
}
