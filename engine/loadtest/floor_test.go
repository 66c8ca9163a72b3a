package loadtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func floorFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "floors.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFloorsAreReadOrRefusedWhole(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "there is no [[floor]]"},
		{"no figure of ours", "[[floor]]\nscenario = \"acks\"\nfigure = \"speed\"\nleast = 1", `there is no such figure`},
		{"no scenario of ours", "[[floor]]\nscenario = \"jump\"\nfigure = \"ratio\"\nleast = 1", `no scenario "jump"`},
		{"neither side", "[[floor]]\nscenario = \"acks\"\nfigure = \"ratio\"", "either least or most"},
		{"both sides", "[[floor]]\nscenario = \"acks\"\nfigure = \"ratio\"\nleast = 1\nmost = 2", "either least or most"},
		{"a slip", "[[floor]]\nscenario = \"acks\"\nfigure = \"ratio\"\nleast = 1\nleest = 2", `unknown key "floor.leest"`},
		{"no TOML", "[[floor", "floors.toml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadFloors(floorFile(t, tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want %q", got, err, tt.want)
			}
		})
	}
	got, err := ReadFloors(floorFile(t, "[[floor]]\nscenario = \"acks\"\ngroup = \"64 connections\"\nfigure = \"ratio\"\nleast = 0.3"))
	if err != nil || len(got) != 1 || got[0].Server != engineName || got[0].Least != 0.3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAFigureIsHeldOrNot(t *testing.T) {
	report := Report{Scenarios: []Result{{Name: "acks", Groups: []Group{{Name: "64 connections", Rows: []Row{
		{Name: "bare"},
		{Name: engineName, Ratios: []Ratio{{To: "bare", Median: 0.4}, {To: "peer", Median: 1.1}},
			Median: Sample{Device: 4000}, Syncs: &Syncs{AckP50: 5}},
	}}}}}}
	at := func(figure, to string, least, most float64) Floor {
		return Floor{Scenario: "acks", Group: "64 connections", Server: engineName, Figure: figure, To: to, Least: least, Most: most}
	}
	elsewhere := at("ratio", "", 0.1, 0)
	elsewhere.Group = "16 connections"
	tests := []struct {
		floor Floor
		held  bool
	}{
		{at("ratio", "", 0.4, 0), true},
		{at("ratio", "", 0.41, 0), false},
		{at("ratio", "peer", 1, 0), true},
		{at("ratio", "nobody", 0.1, 0), false},
		{at("device bytes", "", 0, 4000), true},
		{at("device bytes", "", 0, 3999), false},
		{at("answer p50 above bare, F", "", 0, 5), true},
		{at("seconds to listening", "", 0, 1), false}, // not measured is not held
		{elsewhere, false},
	}
	for _, tt := range tests {
		var out strings.Builder
		held, err := PrintVerdicts(&out, report.Judge([]Floor{tt.floor}))
		if err != nil || held != tt.held {
			t.Errorf("%s: held %v, %v", &tt.floor, held, err)
		}
		if strings.Contains(out.String(), "NOT HELD") == tt.held || !strings.Contains(out.String(), tt.floor.Figure) {
			t.Errorf("the table says\n%s", out.String())
		}
	}
}
