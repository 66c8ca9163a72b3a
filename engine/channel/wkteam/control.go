package wkteam

import (
	"cmp"
	"strings"

	"bot/engine"
)

// wentOffline reads the notice that an instance has ended. It is known to be
// repeated and to speak of instances that a login replaced long ago; those mean
// nothing to the account as it is.
func wentOffline(n *notice) bool {
	e, wID := n.event, string(n.data.WID)
	n.param("wId", wID)
	n.param("reason", string(n.data.Reason))
	if n.latest != "" && wID != "" && wID != n.latest {
		return unknown(n)
	}
	e.Kind, e.Text = engine.Offline, string(n.data.Reason)
	return true
}

// asyncResult is the end of a call that answered with an id only.
func asyncResult(n *notice) bool {
	d := n.data
	n.event.Kind = engine.AsyncResult
	n.param("id", cmp.Or(string(d.AsynID), string(d.ID)))
	n.param("type", string(d.Kind))
	n.param("url", string(d.URL))
	if strings.HasPrefix(string(d.URL), "http") {
		n.event.Media = []engine.Media{{Kind: "video", URL: string(d.URL)}}
	}
	return true
}
