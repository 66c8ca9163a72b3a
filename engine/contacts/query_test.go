package contacts

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bot/engine"
)

// TestSelectIsLikeAFilterOverAll draws directories and queries and compares what
// is selected with a plain filter over what was put in.
func TestSelectIsLikeAFilterOverAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory()
		labels := []string{"a", "b", "c"}
		// Ids of which one begins like another, and whose next byte is a low one.
		ids := rapid.SliceOfNDistinct(rapid.StringMatching("[ab\x01\x02/]{1,4}"), 0, 40, rapid.ID).Draw(t, "ids")
		barred := make(map[string]bool)
		var model []Contact
		for _, id := range ids {
			c := Contact{ID: id, Group: rapid.Bool().Draw(t, "group")}
			dayAgo := func(name string) time.Time {
				n := rapid.IntRange(-1, 5).Draw(t, name)
				if n < 0 {
					return time.Time{}
				}
				return dayOf(start.Add(-time.Duration(n)*day), time.UTC)
			}
			told := rapid.Bool().Draw(t, "told")
			if told {
				c.Since, c.Active = dayAgo("since"), dayAgo("active")
				if rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
					c.Gone = start.Truncate(time.Second)
				}
				m.keep([]engine.Note{{Key: contactKey(id), Value: c.record()}})
			}
			for _, label := range labels {
				if rapid.Bool().Draw(t, label) {
					c.Labels = append(c.Labels, label)
					m.keep([]engine.Note{{Key: labelKey(id, label), Value: "1"}})
				}
			}
			there := rapid.Bool().Draw(t, "named")
			if there {
				m.keep([]engine.Note{{Key: givenKey(id, present), Value: presentValue(c.Group)}})
				c.Gone = time.Time{}
			}
			barred[id] = rapid.IntRange(0, 5).Draw(t, "barred") == 0
			if told || there { // of the rest there are labels and nothing else
				model = append(model, c)
			}
		}
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(labels), 0, 2, rapid.ID)
		q := Query{
			Labels: some.Draw(t, "labels"), Any: some.Draw(t, "any"), Without: some.Draw(t, "without"),
			ActiveWithin: time.Duration(rapid.IntRange(0, 4).Draw(t, "within")) * day,
			Where:        rapid.SampledFrom([]Where{Anywhere, Private, Groups}).Draw(t, "where"),
			All:          rapid.Bool().Draw(t, "all"),
		}
		if len(ids) > 0 {
			q.After = rapid.SampledFrom(append([]string{"", "a", "b\x01"}, ids...)).Draw(t, "after")
		}
		var want []string
		for _, c := range model {
			has := func(l string) bool { return slices.Contains(c.Labels, l) }
			last := c.Since
			if c.Active.After(last) {
				last = c.Active
			}
			ok := c.ID > q.After && (q.All || c.Gone.IsZero() && !barred[c.ID]) &&
				(q.Where == Anywhere || (q.Where == Groups) == c.Group) &&
				(q.ActiveWithin == 0 || !last.IsZero() && dayOf(start, time.UTC).Sub(last) <= q.ActiveWithin)
			for _, l := range q.Labels {
				ok = ok && has(l)
			}
			any := len(q.Any) == 0
			for _, l := range q.Any {
				any = any || has(l)
			}
			for _, l := range q.Without {
				ok = ok && !has(l)
			}
			if ok && any {
				want = append(want, c.ID)
			}
		}
		slices.Sort(want)
		d := New(Options{Store: m, Barred: func(_, id string) bool { return barred[id] }})
		var got []string
		for c, err := range d.Select("shop", q, start) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c.ID)
			i := slices.IndexFunc(model, func(one Contact) bool { return one.ID == c.ID })
			if fmt.Sprint(model[i]) != fmt.Sprint(c) {
				t.Errorf("%+v, want %+v", c, model[i])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v selects %q, want %q", q, got, want)
		}
	})
}

func TestManyPagesAreOneList(t *testing.T) {
	r := newRig(t, Options{})
	var want []string
	for i := range 2*pageSize + 3 {
		id := fmt.Sprintf("u%05d", i)
		want = append(want, id)
		r.m.keep([]engine.Note{{Key: contactKey(id), Value: (&Contact{}).record()}, {Key: labelKey(id, "x"), Value: "1"}, {Key: labelKey(id, "y"), Value: "1"}})
	}
	r.m.reads = 0
	if got := r.ids(Query{Labels: []string{"y", "x"}}); !slices.Equal(got, want) {
		t.Errorf("%d of %d", len(got), len(want))
	}
	if r.m.reads > 8 {
		t.Errorf("%d reads", r.m.reads)
	}
}

func TestALookThatIsBrokenOffReadsNoFurther(t *testing.T) {
	r := newRig(t, Options{})
	for i := range 3 * pageSize {
		r.m.keep([]engine.Note{{Key: contactKey(fmt.Sprintf("u%05d", i)), Value: (&Contact{}).record()}})
	}
	r.m.reads = 0
	for range r.Select("shop", Query{}, start) {
		break
	}
	if r.m.reads > 2 {
		t.Errorf("%d reads", r.m.reads)
	}
}

func TestAnErrorOfTheStoreEndsTheList(t *testing.T) {
	r := newRig(t, Options{})
	r.happens(of(engine.Message))
	r.m.err = errors.New("broken")
	n := 0
	for c, err := range r.Select("shop", Query{}, start) {
		if n++; !errors.Is(err, r.m.err) || c.ID != "" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if n != 1 {
		t.Errorf("%d pairs", n)
	}
}
