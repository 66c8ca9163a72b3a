package fetch

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "119.147.3.1": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "::": false, "::1": false, "fd00::1": false, "fe80::1": false, "fec0::1": false,
		"::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true, "64:ff9b::a00:1": false, "2002:a00:1::": false,
		"224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false,
	} {
		if got := Public(netip.MustParseAddr(addr)); got != want {
			t.Errorf("Public(%s) = %v, want %v", addr, got, want)
		}
	}
}

func get(t *testing.T, c *http.Client, u string) error {
	t.Helper()
	t.Cleanup(c.CloseIdleConnections)
	r, err := c.Get(u)
	if err == nil {
		r.Body.Close()
	}
	return err
}

func TestTheOwnNetworkIsOutOfReach(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	u, _ := url.Parse(srv.URL)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0177.0.0.1"} {
		err := get(t, NewClient(nil), "http://"+host+":"+u.Port())
		var dns *net.DNSError // the last two are no names that everybody resolves
		if !errors.Is(err, ErrPrivate) && !errors.As(err, &dns) {
			t.Errorf("%s: %v, want it refused", host, err)
		}
	}
	if err := get(t, NewClient(func(host string) bool { return host == "127.0.0.1" }), srv.URL); err != nil {
		t.Errorf("an allowed host: %v", err)
	}
}

func TestARedirectIsCheckedLikeTheFirstAddress(t *testing.T) {
	inner := httptest.NewServer(http.NotFoundHandler())
	defer inner.Close()
	u, _ := url.Parse(inner.URL)
	outer := httptest.NewServer(http.RedirectHandler("http://localhost:"+u.Port(), http.StatusFound))
	defer outer.Close()
	err := get(t, NewClient(func(host string) bool { return host == "127.0.0.1" }), outer.URL)
	if !errors.Is(err, ErrPrivate) {
		t.Errorf("got %v, want it refused", err)
	}
}

func TestARedirectMayNotLeaveEncryption(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer secure.Close()
	c := NewClient(func(string) bool { return true })
	c.Transport.(canned).Transport.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	if err := get(t, c, secure.URL); err == nil {
		t.Error("followed")
	}
}

func TestRedirectsEnd(t *testing.T) {
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, srv.URL, http.StatusFound) }))
	defer srv.Close()
	if err := get(t, NewClient(func(string) bool { return true }), srv.URL); err == nil {
		t.Error("followed for ever")
	}
}
