package loadtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// series is the engine's metrics by name, summed over their labels.
type series map[string]float64

// scrape reads /metrics; an empty address (a server without metrics) gives none.
func scrape(ctx context.Context, admin string) (series, error) {
	if admin == "" {
		return nil, nil
	}
	body, err := get(ctx, "http://"+admin+"/metrics")
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	defer body.Close()
	return parseSeries(body)
}

// parseSeries reads the Prometheus text format.
func parseSeries(r io.Reader) (series, error) {
	s := make(series)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		name := line[:max(0, strings.IndexAny(line, "{ "))]
		at := strings.LastIndexByte(line, ' ')
		if name == "" || name == "#" {
			continue
		}
		v, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("read metrics: %q is no sample", line)
		}
		s[name] += v
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return s, nil
}

// get returns the body of a 200.
func get(ctx context.Context, url string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := oneShot(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s answered %s", url, resp.Status)
	}
	return resp.Body, nil
}

// oneShot makes a request: no proxy of the environment is asked, and no connection is
// left behind.
func oneShot(req *http.Request) (*http.Response, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return client.Do(req)
}
