package contacts

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// members are the ids of an audience, or its error.
func (r *rig) members(a Audience) (ids []string, failure error) {
	a.Account = "shop"
	for id, err := range r.Members(a, r.m.now) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func TestWhoIsInAnAudience(t *testing.T) {
	r := newRig(t, Options{
		Barred: func(_, id string) bool { return id == "blocked" },
		Within: func(string) time.Duration { return 30 * day },
	})
	is := func(kind engine.Kind, ids ...string) {
		for _, id := range ids {
			r.happens(engine.Event{Kind: kind, Conversation: id, Sender: id})
		}
	}
	is(engine.Message, "silent")
	r.m.now = r.m.now.Add(31 * day)
	is(engine.Message, "b", "a", "blocked", "lost")
	is(engine.FriendLost, "lost")
	r.change(Change{ID: "a", Add: []string{"vip"}}, Change{ID: "named", Present: true})
	file := filepath.Join(t.TempDir(), "ids.txt")
	if err := os.WriteFile(file, []byte("\ufeffb\r\n# nobody\n\n stranger \nb\nlost\nsilent\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		audience Audience
		want     []string
	}{
		"all that can be reached":       {Audience{}, []string{"a", "b", "named"}},
		"with a label":                  {Audience{Query: Query{Labels: []string{"vip"}}}, []string{"a"}},
		"active ones":                   {Audience{Query: Query{ActiveWithin: day}}, []string{"a", "b"}},
		"a list, in its order and once": {Audience{List: []string{"z", "b", "blocked", "lost", "silent", "b", "a", "z"}}, []string{"z", "b", "a"}},
		"a file likewise":               {Audience{File: file}, []string{"b", "stranger"}},
		"both":                          {Audience{List: []string{"a", "b"}, File: file}, []string{"a", "b", "stranger"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := r.members(tt.audience); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAFileThatCannotBeUsedAnyMore(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(dir, "ids.txt")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	r := newRig(t, Options{})
	for want, text := range map[string]string{
		"line 2 is not UTF-8":            "a\n\xd6\xd0\n",
		"line 3 is no id: want 1 to 256": "a\n\n" + strings.Repeat("x", MaxID+1),
		"line 2 is longer than 16384":    "a\n" + strings.Repeat("x", maxLine+1),
	} {
		ids, err := r.members(Audience{Name: "old", File: write(text)})
		var listed *ListError
		if len(ids) > 0 || !errors.As(err, &listed) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), `audience "old": `) {
			t.Errorf("%q, %v; want %s", ids, err, want)
		}
	}
	if _, err := r.members(Audience{File: filepath.Join(dir, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestAnAudienceThatCannotBeReadIsAnError(t *testing.T) {
	r := newRig(t, Options{})
	r.m.err = errors.New("broken")
	for _, a := range []Audience{{}, {List: []string{"u"}}} {
		if ids, err := r.members(a); len(ids) > 0 || !errors.Is(err, r.m.err) {
			t.Errorf("%q, %v", ids, err)
		}
	}
}
