package console

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// sessionLasts is how long a login holds, in use or not.
const sessionLasts = 12 * time.Hour

const sessionCookie = "bot_session"

// door knows who has logged in. A session is a cookie that only whoever knows the
// token can have got: a time and a random number under an HMAC by a key of the
// token. So it outlives a restart, and ends with the token.
type door struct {
	token string
	key   [sha256.Size]byte
	now   func() time.Time

	mu    sync.Mutex
	tries map[string]*rate.Limiter // logins, by address
	all   *rate.Limiter
	left  map[string]time.Time // sessions that were ended, until they end by themselves
}

// Logins that are let through to be looked at: by one address and by all.
const (
	loginsPerMinute    = 6
	allLoginsPerMinute = 60
	maxAddresses       = 10_000
)

func newDoor(token string, now func() time.Time) *door {
	d := &door{token: token, key: sha256.Sum256([]byte("console session\x00" + token)), now: now, left: make(map[string]time.Time)}
	d.forget()
	return d
}

func (d *door) forget() {
	d.tries = make(map[string]*rate.Limiter)
	d.all = rate.NewLimiter(rate.Limit(allLoginsPerMinute)/60, allLoginsPerMinute)
}

// allows tells whether another try at the token may be looked at.
func (d *door) allows(r *http.Request) bool {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.tries[address]
	if l == nil {
		if len(d.tries) >= maxAddresses {
			d.tries = make(map[string]*rate.Limiter) // the limit of all still holds
		}
		l = rate.NewLimiter(rate.Limit(loginsPerMinute)/60, loginsPerMinute)
		d.tries[address] = l
	}
	now := d.now()
	return l.AllowN(now, 1) && d.all.AllowN(now, 1)
}

// opens tells whether it is the token.
func (d *door) opens(token string) bool {
	given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(d.token))
	return subtle.ConstantTimeCompare(given[:], want[:]) == 1
}

// session is a new session's cookie.
func (d *door) session(secure bool) *http.Cookie {
	b := binary.BigEndian.AppendUint64(nil, uint64(d.now().Add(sessionLasts).Unix()))
	b = append(b, make([]byte, 16)...)
	rand.Read(b[8:]) // never fails
	b = d.sign(b)
	return &http.Cookie{
		Name: sessionCookie, Value: base64.RawURLEncoding.EncodeToString(b), Path: "/", MaxAge: int(sessionLasts.Seconds()),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	}
}

func (d *door) sign(b []byte) []byte {
	m := hmac.New(sha256.New, d.key[:])
	m.Write(b)
	return m.Sum(b)
}

// knows tells whether a request may see everything: it has a session, or there is
// no token to be known.
func (d *door) knows(r *http.Request) bool {
	if d.token == "" {
		return true
	}
	_, ok := d.valid(r)
	return ok
}

// valid reads the request's session.
func (d *door) valid(r *http.Request) (until time.Time, ok bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return time.Time{}, false
	}
	b, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || len(b) != 24+sha256.Size || !hmac.Equal(d.sign(b[:24:24])[24:], b[24:]) {
		return time.Time{}, false
	}
	until = time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	_, left := d.left[cookie.Value]
	return until, !left && d.now().Before(until)
}

// leave ends the request's session for good, as far as this process lives.
func (d *door) leave(r *http.Request) {
	until, ok := d.valid(r)
	if !ok {
		return
	}
	cookie, _ := r.Cookie(sessionCookie)
	d.mu.Lock()
	defer d.mu.Unlock()
	for value, until := range d.left {
		if d.now().After(until) {
			delete(d.left, value)
		}
	}
	d.left[cookie.Value] = until
}

// secureRequest tells whether the browser came by TLS, here or at a proxy before us.
func secureRequest(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func (c *console) loginPage(w http.ResponseWriter, r *http.Request) {
	if c.door.knows(r) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	c.render(w, r, http.StatusOK, "login", login{To: home(r.URL.Query().Get("to"))})
}

// login is what the login page shows.
type login struct {
	To    string // where to go then
	Wrong string // the key of what was wrong
}

func (c *console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	to := home(r.PostFormValue("to"))
	switch {
	case !c.door.allows(r):
		w.Header().Set("Retry-After", "10")
		c.render(w, r, http.StatusTooManyRequests, "login", login{To: to, Wrong: "login.slow"})
	case !c.door.opens(r.PostFormValue("token")):
		c.o.Log.Warn("console: a login with a wrong token", "from", r.RemoteAddr)
		c.render(w, r, http.StatusForbidden, "login", login{To: to, Wrong: "login.wrong"})
	default:
		c.o.Log.Info("console: login", "from", r.RemoteAddr)
		http.SetCookie(w, c.door.session(secureRequest(r)))
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

func (c *console) logout(w http.ResponseWriter, r *http.Request) {
	c.door.leave(r)
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// home is a path of ours: whatever else is asked for, it is the first page.
func home(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(to, `\`) {
		return "/"
	}
	return to
}

func escape(s string) string { return url.QueryEscape(s) }
