package deploy_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// proxy is the real nginx with the sample's files, TLS and all.
type proxy struct {
	callbacks, admin string // https://…
	client           *http.Client
}

// newProxy runs nginx before those two addresses.
func newProxy(t *testing.T, callbacks, admin string) *proxy {
	t.Helper()
	nginx := needProgram(t, "nginx")
	dir := t.TempDir()
	pool := certify(t, dir)
	p := &proxy{}
	conf := write(t, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(`
daemon off; worker_processes 1; pid %[1]s/pid; error_log stderr; %[2]s
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	include %[1]s/bot.conf; include %[1]s/bot-admin.conf;
}`, dir, "user root;"))
	for _, f := range []struct {
		name, port, target, address string
		url                         *string
	}{
		{"bot.conf", "443", "127.0.0.1:8080", callbacks, &p.callbacks},
		{"bot-admin.conf", "8443", "127.0.0.1:8081", admin, &p.admin},
	} {
		free := freeAddress(t)
		*f.url = "https://" + free
		text := read(t, filepath.Join("nginx", f.name))
		for _, r := range [][2]string{{"listen " + f.port + " ssl;", "listen " + free + " ssl;"}, {f.target, f.address}, {"/etc/ssl/bot", dir}} {
			if !strings.Contains(text, r[0]) {
				t.Fatalf("%s has no %s", f.name, r[0])
			}
			text = strings.ReplaceAll(text, r[0], r[1])
		}
		write(t, filepath.Join(dir, f.name), text)
	}
	if out, err := exec.Command(nginx, "-t", "-c", conf).CombinedOutput(); err != nil || strings.Contains(string(out), "[warn]") && !strings.Contains(string(out), `"user" directive`) {
		t.Fatalf("nginx -t: %v\n%s", err, out)
	}
	var log bytes.Buffer
	cmd := exec.Command(nginx, "-c", conf)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.client = &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "bot.example.com"}},
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.callbacks, "https://"))
		if err == nil {
			conn.Close()
			return p
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// do makes one request.
func (p *proxy) do(t *testing.T, method, url, body string, header ...string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// certify makes the certificate of bot.example.com and returns who trusts it.
func certify(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"bot.example.com"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, filepath.Join(dir, "fullchain.pem"), string(certificate))
	write(t, filepath.Join(dir, "privkey.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	return pool
}

// engine runs the program with the example's configuration, a token and free
// ports, until the test ends.
func engine(t *testing.T) (callbacks, admin string) {
	t.Helper()
	dir := t.TempDir()
	text := strings.NewReplacer(`"127.0.0.1:8080"`, `"127.0.0.1:0"`, `"127.0.0.1:8081"`, `"127.0.0.1:0"`).Replace(read(t, filepath.Join(root, "config.example.toml")))
	cmd := exec.Command(program(t), "run", "-config", write(t, filepath.Join(dir, "bot.toml"), text))
	cmd.Dir, cmd.Env = dir, []string{"BOT_ADMIN_TOKEN=sesame"}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan [2]string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			var rec struct{ Msg, Callback, Admin string }
			if json.Unmarshal(lines.Bytes(), &rec) == nil && rec.Msg == "ready" {
				ready <- [2]string{rec.Callback, rec.Admin}
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		cmd.Wait()
	})
	select {
	case at := <-ready:
		return at[0], at[1]
	case <-ended:
	case <-time.After(30 * time.Second):
	}
	t.Fatal("the engine is not ready")
	return "", ""
}

func TestThroughNginxOnlyCallbacksComeIn(t *testing.T) {
	callbacks, admin := engine(t)
	p := newProxy(t, callbacks, admin)
	const path, message = "/api/gateway/callback", `{"msg_id":"m1","sender":"alice","content":"hello"}`
	for range 2 { // the second is the platform's retry
		if status, body := p.do(t, "POST", p.callbacks+path, message); status != 200 || !strings.Contains(body, "success") {
			t.Errorf("a callback: %d %q", status, body)
		}
	}
	// The limits agree: what bot would refuse nginx does, and nothing less.
	const limit = 1 << 20
	for size, want := range map[int]int{limit + 1: 413, limit: 200} {
		head, tail := `{"msg_id":"big","sender":"alice","content":"`, `"}`
		if status, _ := p.do(t, "POST", p.callbacks+path, head+strings.Repeat("x", size-len(head)-len(tail))+tail); status != want {
			t.Errorf("%d bytes: %d, want %d", size, status, want)
		}
	}
	for _, path := range []string{"/metrics", "/api/v1/status", "/debug/pprof/heap"} {
		if status, _ := p.do(t, "GET", p.callbacks+path, "", "Authorization", "Bearer sesame"); status != 404 {
			t.Errorf("%s on the callbacks' side: %d", path, status)
		}
		if status, _ := p.do(t, "GET", p.admin+path, ""); status != 401 {
			t.Errorf("%s without the token: %d", path, status)
		}
		if status, _ := p.do(t, "GET", p.admin+path, "", "Authorization", "Bearer sesame"); status != 200 {
			t.Errorf("%s with the token: %d", path, status)
		}
	}
}

func TestNginxAnswersInTimeAndRepeatsNothing(t *testing.T) {
	var calls atomic.Int64
	var claimed atomic.Value
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	slow := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		claimed.Store(r.Header.Get("X-Forwarded-For"))
		<-release
	})}
	served := make(chan struct{})
	go func() { defer close(served); slow.Serve(l) }()
	t.Cleanup(func() { close(release); slow.Close(); <-served })

	p := newProxy(t, l.Addr().String(), l.Addr().String())
	start := time.Now()
	status, _ := p.do(t, "POST", p.callbacks+"/in", "{}", "X-Forwarded-For", "203.0.113.9")
	if took := time.Since(start); status != 504 || took < time.Second || took > 4*time.Second {
		t.Errorf("an engine that does not answer: %d after %v, want 504 within 1 to 2 s", status, took)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if claimed.Load() != "127.0.0.1" {
		t.Errorf("the caller is said to be %q", claimed.Load())
	}
	if !regexp.MustCompile(`(?m)^\s*deny all;$`).MatchString(read(t, "nginx/bot-admin.conf")) {
		t.Error("the admin side is open to everybody")
	}
}
