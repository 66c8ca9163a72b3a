package form

import (
	"slices"
	"strings"

	"bot/skills/kind"
)

// media are the attachments that a step may want, by what they are called when
// they are asked for again.
var media = []struct{ name, again string }{
	{"image", "请发一张图片。\nPlease send a picture."},
	{"file", "请发一个文件。\nPlease send a file."},
	{"voice", "请发一段语音。\nPlease send a voice message."},
	{"video", "请发一段视频。\nPlease send a video."},
}

// medium reads `type`: "" for a text.
func medium(d *kind.Draft, key, typed string) string {
	known := []string{"text"}
	for _, m := range media {
		known = append(known, m.name)
	}
	if !slices.Contains(known, typed) && d.Has(key) && d.Lacks(key, true) {
		d.Problem(key, "unknown type %q (known: %s)", typed, strings.Join(known, ", "))
	}
	if slices.Contains(known[1:], typed) {
		return typed
	}
	return ""
}
