package wire

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Through makes a Transport's DialContext that reaches every address by way of an
// HTTP proxy, plain http ones too: it asks for a tunnel (CONNECT), and the proxy
// looks the name up. A user and a password in the proxy's address are shown to
// the proxy alone. All of it has 5 s.
func Through(proxy *url.URL) func(ctx context.Context, network, address string) (net.Conn, error) {
	at := host{proxy.Scheme, proxy.Host}.address()
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		socket, err := new(net.Dialer).DialContext(ctx, network, at)
		if err != nil {
			return nil, fmt.Errorf("proxy: %w", err)
		}
		if err := tunnel(ctx, socket, proxy.User, address); err != nil {
			socket.Close()
			return nil, fmt.Errorf("proxy %s: %w", at, err)
		}
		return socket, nil
	}
}

// tunnel asks the proxy at the other end of the socket for a connection to the
// address. The socket has no deadline afterwards.
func tunnel(ctx context.Context, socket net.Conn, user *url.Userinfo, address string) error {
	stop := context.AfterFunc(ctx, func() { socket.SetDeadline(past) })
	err := ask(socket, user, address)
	if !stop() { // the deadline is set, or will be at any moment
		return context.Cause(ctx)
	}
	return err
}

// ask makes the request and reads the head of its answer, and no byte of what
// comes through the tunnel.
func ask(socket net.Conn, user *url.Userinfo, address string) error {
	req := &http.Request{
		Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address,
		Header: http.Header{"User-Agent": {""}}, // none
	}
	if user != nil {
		password, _ := user.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := req.Write(socket); err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(socket, maxHeader))
	resp, err := http.ReadResponse(r, req)
	switch {
	case err != nil:
		return fmt.Errorf("no answer to CONNECT: %w", err)
	case resp.StatusCode == http.StatusProxyAuthRequired:
		return errors.New("it wants another user and password (407)")
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("it does not connect to %s (%d)", address, resp.StatusCode)
	case r.Buffered() > 0:
		return errors.New("something spoke before it was asked")
	}
	return nil
}
