package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// answers is an engine that answers each request with the next of some pages and
// takes down what it was asked.
type answers struct {
	pages []string
	asked []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	q, _ := url.QueryUnescape(r.URL.RawQuery)
	a.asked = append(a.asked, q)
	if len(a.pages) == 0 {
		return nil, fmt.Errorf("nothing is left to answer %s", r.URL)
	}
	body := a.pages[0]
	a.pages = a.pages[1:]
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func (a *answers) client() *adminClient {
	return &adminClient{base: "http://engine", http: &http.Client{Transport: a}}
}

func TestListsAreReadToTheirEnd(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pages []string
		want  []string
		asked []string
	}{
		{"none", []string{`{"barred":[]}`}, []string{}, []string{"account=shop"}},
		{"two pages", []string{`{"barred":[{"user":"a"},{"user":"b"}]}`, `{"barred":[{"user":"c"}]}`, `{"barred":[]}`}, []string{"a", "b", "c"},
			[]string{"account=shop", "account=shop&after=b", "account=shop&after=c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &answers{pages: tt.pages}
			people, err := barred(context.Background(), a.client(), "shop")
			users := []string{}
			for _, p := range people {
				users = append(users, p.User)
			}
			if err != nil || people == nil || !reflect.DeepEqual(users, tt.want) || !reflect.DeepEqual(a.asked, tt.asked) {
				t.Errorf("returns %v, %v and asks %q; want %v, %q", users, err, a.asked, tt.want, tt.asked)
			}
		})
	}
	if all, err := barred(context.Background(), (&answers{pages: []string{`{"barred":[{"user":"a"}]}`}}).client(), "shop"); err == nil || all != nil {
		t.Errorf("half a list is %v, %v", all, err)
	}
}

func TestTheOutboxIsReadUpToALimit(t *testing.T) {
	rows := func(n, next int) string {
		return fmt.Sprintf(`{"commands":[%s],"next":%d}`, strings.TrimSuffix(strings.Repeat("{},", n), ","), next)
	}
	for _, tt := range []struct {
		name  string
		limit int
		pages []string
		rows  int
		more  bool
		asked []string
	}{
		{"none", 100, []string{rows(0, 0)}, 0, false, []string{"limit=100"}},
		{"fewer than that", 100, []string{rows(7, 0)}, 7, false, []string{"limit=100"}},
		{"just as many", 2, []string{rows(2, 0)}, 2, false, []string{"limit=2"}},
		{"more than that", 2, []string{rows(2, 9)}, 2, true, []string{"limit=2"}},
		{"a page of which none fits is not the last", 10, []string{rows(1, 5), rows(0, 8), rows(2, 0)}, 3, false,
			[]string{"limit=10", "after=5&limit=9", "after=8&limit=9"}},
		{"several pages", 700, []string{rows(500, 500), rows(200, 700)}, 700, true, []string{"limit=500", "after=500&limit=200"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &answers{pages: tt.pages}
			got, more, err := outboxRows(context.Background(), a.client(), url.Values{}, tt.limit)
			if err != nil || got == nil || len(got) != tt.rows || more != tt.more || !reflect.DeepEqual(a.asked, tt.asked) {
				t.Errorf("returns %d, %v, %v and asks %q; want %d, %v, %q", len(got), more, err, a.asked, tt.rows, tt.more, tt.asked)
			}
		})
	}
}
