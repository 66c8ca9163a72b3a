package main

import "net/http"

// requests is the way to the platforms: the points before a request leaves and
// after its answer came.
type requests struct {
	points *points
	http.RoundTripper
}

func (r *requests) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	err = r.points.around("Request", func() error {
		resp, err = r.RoundTripper.RoundTrip(req)
		return err
	})
	if err != nil && resp != nil {
		resp.Body.Close()
		resp = nil
	}
	return resp, err
}

// CloseIdleConnections is looked for by http.Client.
func (r *requests) CloseIdleConnections() {
	r.RoundTripper.(interface{ CloseIdleConnections() }).CloseIdleConnections()
}
