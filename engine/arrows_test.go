package engine

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What a package links, itself or by way of others: packages that never meet can
// still talk, since the vocabulary lies at the bottom.
func TestNoArrowPointsUp(t *testing.T) {
	adapters := []string{"bot/engine/channel/generic", "bot/engine/channel/wecom", "bot/engine/channel/gewe", "bot/engine/channel/wkteam",
		"bot/engine/channel/qiwe", "bot/engine/channel/sandbox"}
	for _, tt := range []struct {
		name   string
		from   []string
		only   bool     // these, or all but these:
		others []string // packages of ours, each with those in its folder, but for engine, which has them all
	}{
		{"the vocabulary knows nobody", []string{"bot/engine"}, true, nil},
		{"a store knows the vocabulary", []string{"bot/store", "bot/store/boltstore"}, true, []string{"bot/engine", "bot/store"}},
		{"skills know neither store nor channels", []string{"bot/skills/..."}, false, []string{"bot/store", "bot/engine/channel"}},
		{"channels do not know who they are", []string{"bot/engine/channel"}, false, append([]string{"bot/store", "bot/skills"}, adapters...)},
		{"a platform knows neither store nor skills", adapters, false, []string{"bot/store", "bot/skills"}},
		{"the configuration knows nothing that runs", []string{"bot/engine/config"}, false, []string{"bot/store", "bot/skills", "bot/engine/channel"}},
		{"the application knows no skill and no backend", []string{"bot/engine/app"}, false, []string{"bot/skills", "bot/store/boltstore"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"list", "-f", `{{.ImportPath}} {{join .Deps " "}}`}, tt.from...)
			out, err := exec.CommandContext(t.Context(), "go", args...).Output()
			if err != nil {
				t.Fatalf("go %s: %v", strings.Join(args, " "), err)
			}
			for line := range strings.Lines(string(out)) {
				deps := strings.Fields(line)
				for _, dep := range deps[1:] {
					named := slices.ContainsFunc(tt.others, func(p string) bool { return dep == p || p != "bot/engine" && strings.HasPrefix(dep, p+"/") })
					if strings.HasPrefix(dep, "bot/") && named != tt.only {
						t.Errorf("%s links %s", deps[0], dep)
					}
				}
			}
		})
	}
}
