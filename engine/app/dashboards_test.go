package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"bot/engine/metrics"
	"bot/engine/stub"
)

// series is the labels of every series that an engine exports, by its name.
type series map[string][]string

var described = regexp.MustCompile(`^Desc\{fqName: "(\w+)", .*variableLabels: \{(.*)\}\}$`)

// exported asks the counters, which are not on the page before they count, and
// the page for what else is there.
func exported(t *testing.T) series {
	t.Helper()
	all := make(series)
	m := reflect.ValueOf(metrics.New()).Elem()
	for i := range m.NumField() {
		c, ok := m.Field(i).Interface().(prometheus.Collector)
		if _, registry := c.(*prometheus.Registry); !ok || registry {
			continue
		}
		descs := make(chan *prometheus.Desc, 10)
		c.Describe(descs)
		close(descs)
		for d := range descs {
			d := described.FindStringSubmatch(d.String())
			if d == nil {
				t.Fatalf("field %s describes itself in an unknown way", m.Type().Field(i).Name)
			}
			var labels []string
			if d[2] != "" {
				labels = strings.Split(d[2], ",")
			}
			if _, histogram := c.(prometheus.Histogram); histogram {
				all[d[1]+"_bucket"] = append(slices.Clone(labels), "le")
				all[d[1]+"_sum"], all[d[1]+"_count"] = labels, labels
				continue
			}
			all[d[1]] = labels
		}
	}

	r := start(t, stub.Options{}, shop+echo)
	resp, err := r.http.Get("http://" + r.life.at.Admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)(?:\{([^}]*)\})? `).FindAllStringSubmatch(string(page), -1) {
		if _, known := all[m[1]]; known {
			continue
		}
		all[m[1]] = nil
		for _, l := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(m[2], -1) {
			all[m[1]] = append(all[m[1]], l[1])
		}
	}
	all["up"] = nil // Prometheus' own
	return all
}

// scraped are the labels that Prometheus adds.
var scraped = []string{"job", "instance"}

// check returns what is wrong with a query: it does not parse, or it names a
// series or a label that no engine has. The parser is MetricsQL's, a superset
// of PromQL: Prometheus' own comes with a tree of dependencies for one test.
func (all series) check(query string) (names []string, problems []string) {
	e, err := metricsql.Parse(query)
	if err != nil {
		return nil, []string{err.Error()}
	}
	labels := slices.Clone(scraped)
	metricsql.VisitAll(e, func(e metricsql.Expr) {
		m, ok := e.(*metricsql.MetricExpr)
		if !ok {
			return
		}
		for _, filters := range m.LabelFilterss {
			name := ""
			for _, f := range filters {
				if f.Label == "__name__" {
					name = f.Value
				}
			}
			has, known := all[name]
			if !known {
				problems = append(problems, fmt.Sprintf("no engine exports %q", name))
				continue
			}
			names = append(names, name)
			labels = append(labels, has...)
			for _, f := range filters {
				if f.Label != "__name__" && !slices.Contains(has, f.Label) && !slices.Contains(scraped, f.Label) {
					problems = append(problems, fmt.Sprintf("%s has no label %q", name, f.Label))
				}
			}
		}
	})
	metricsql.VisitAll(e, func(e metricsql.Expr) {
		var by []string
		switch e := e.(type) {
		case *metricsql.AggrFuncExpr:
			by = e.Modifier.Args
		case *metricsql.BinaryOpExpr:
			by = e.GroupModifier.Args
		}
		for _, l := range by {
			if !slices.Contains(labels, l) {
				problems = append(problems, fmt.Sprintf("nothing in it has the label %q", l))
			}
		}
	})
	return names, problems
}

func TestQueriesAreCheckedAgainstWhatIsExported(t *testing.T) {
	all := exported(t)
	for query, want := range map[string]string{
		`sum by (account) (rate(bot_events_received_total{instance="a"}[5m]))`: "",
		`rate(bot_events_recieved_total[5m])`:                                  `no engine exports "bot_events_recieved_total"`,
		`bot_events_refused_total{cause="full"}`:                               `has no label "cause"`,
		`sum by (skill) (rate(bot_events_refused_total[5m]))`:                  `nothing in it has the label "skill"`,
		`sum by (le) (rate(bot_ack_seconds_bucket[5m]`:                         "unexpected token",
		`bot_ack_seconds`: "no engine exports",
	} {
		_, problems := all.check(query)
		if got := strings.Join(problems, "; "); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func document(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheDashboardShowsWhatIsExported(t *testing.T) {
	var board struct {
		Title  string
		Panels []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ H, W, X, Y int }
			FieldConfig              struct{ Defaults struct{ Unit string } }
			Targets                  []struct{ Expr string }
		}
		Templating struct{ List []struct{ Name string } }
	}
	if err := json.Unmarshal(document(t, "grafana.json"), &board); err != nil {
		t.Fatal(err)
	}
	var variables []string
	for _, v := range board.Templating.List {
		variables = append(variables, v.Name)
	}
	all, shown, ids := exported(t), make(map[string]bool), make(map[int]bool)
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if p.Title == "" || p.GridPos.W == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %d %q: no title, or no place", p.ID, p.Title)
		}
		if p.Type == "row" {
			continue
		}
		if p.FieldConfig.Defaults.Unit == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("%s: it needs a unit, a description and a query", p.Title)
		}
		for _, q := range p.Targets {
			query := strings.ReplaceAll(q.Expr, "$__rate_interval", "5m")
			for _, m := range regexp.MustCompile(`\$\{?(\w+)`).FindAllStringSubmatch(query, -1) {
				if !slices.Contains(variables, m[1]) {
					t.Errorf("%s: there is no variable %s", p.Title, m[1])
				}
			}
			names, problems := all.check(query)
			for _, problem := range problems {
				t.Errorf("%s: %s\n%s", p.Title, problem, q.Expr)
			}
			for _, n := range names {
				shown[n] = true
			}
		}
	}
	// What the first screen has to answer.
	for _, name := range []string{
		"up", "bot_events_received_total", "bot_events_refused_total", "bot_ack_seconds_bucket", "bot_backlog_events", "bot_oldest_event_seconds",
		"bot_events_handled_total", "bot_commands_sent_total", "bot_commands_failed_total", "bot_commands_throttled_total", "bot_dead_letters",
		"bot_commands_in_doubt", "bot_store_bytes", "bot_commit_seconds_bucket",
	} {
		if !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func TestAlertsAreOnWhatIsExportedAndAreExplained(t *testing.T) {
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr         string
				For                 string
				Labels, Annotations map[string]string
			}
		}
	}
	dec := yaml.NewDecoder(strings.NewReader(string(document(t, "prometheus-alerts.yml"))))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	all, operations, seen := exported(t), string(document(t, "operations.md")), make(map[string]bool)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || seen[r.Alert] {
				t.Errorf("alert %q: no name, or one that is taken", r.Alert)
			}
			seen[r.Alert] = true
			if _, problems := all.check(r.Expr); problems != nil {
				t.Errorf("%s: %s", r.Alert, strings.Join(problems, "; "))
			}
			if !slices.Contains([]string{"warning", "critical"}, r.Labels["severity"]) || r.Annotations["summary"] == "" || r.Annotations["runbook"] == "" {
				t.Errorf("%s: it needs a severity, a summary and a runbook", r.Alert)
			}
			if !strings.Contains(operations, "| `"+r.Alert+"` |") {
				t.Errorf("docs/operations.md does not say what %s means", r.Alert)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d alerts were found", len(seen))
	}
}

// promised are the names of CONTRACT.md and the labels that are in them there.
var promised = map[string]string{
	"bot_events_received_total": "", "bot_events_duplicate_total": "", "bot_events_refused_total": "reason", "bot_events_queued_total": "kind",
	"bot_events_handled_total": "skill,outcome", "bot_events_failed_total": "", "bot_commands_created_total": "", "bot_commands_sent_total": "",
	"bot_commands_failed_total": "class", "bot_commands_throttled_total": "by", "bot_retries_total": "stage", "bot_dead_letters_total": "",
	"bot_backlog_events": "", "bot_backlog_commands": "", "bot_oldest_event_seconds": "", "bot_store_bytes": "",
	"bot_ack_seconds_bucket": "", "bot_queue_wait_seconds_bucket": "", "bot_handle_seconds_bucket": "", "bot_send_seconds_bucket": "",
	"bot_commit_seconds_bucket": "", "bot_commit_acts_bucket": "",
}

func TestWhatIsPromisedIsCountedFromTheBeginning(t *testing.T) {
	t.Parallel()
	r := start(t, stub.Options{}, shop)
	page := r.look("/metrics")
	for name, labels := range promised {
		_, line, found := strings.Cut(page, "\n"+name)
		line, _, _ = strings.Cut(line, "\n")
		if !found {
			t.Errorf("%s is not there before it counts", name)
		}
		for label := range strings.SplitSeq(labels, ",") {
			if label != "" && !strings.Contains(line, label+"=") {
				t.Errorf("%s%s lacks the label %s", name, line, label)
			}
		}
	}
	r.configure(shop + morning)
	r.admin(http.MethodPost, "/api/v1/reload", "", nil)
	if want := `bot_schedule_runs_total{outcome="failed",schedule="morning"} 0`; !strings.Contains(r.look("/metrics"), want) {
		t.Errorf("a reload's schedule: the page lacks %s", want)
	}
}
