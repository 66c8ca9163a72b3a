package trial

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"bot/engine"
)

// The messages below are made as the adapters of the gateways make them; of
// their params only those are here that mean the same on all platforms.

// message makes a message of the one who speaks. Only what has words can
// mention anybody, so of other types nothing in a group is to the bot.
func (t *Trial) message(typ, text string) *engine.Event {
	e := t.event(engine.Message)
	e.Type, e.Text = typ, text
	if e.Group && (typ == "text" || typ == "quote") {
		e.Mention = engine.MentionMe
	}
	return e
}

func (t *Trial) say(ctx context.Context, text string) (Reply, error) {
	return t.play(ctx, t.message("text", text))
}

func (t *Trial) nomention(ctx context.Context, text string) (Reply, error) {
	switch {
	case text == "":
		return Reply{}, errors.New("/nomention needs a text: /nomention 大家好")
	case t.group == "":
		return Reply{}, errors.New("/nomention is for groups: /in 12345@chatroom comes first")
	}
	e := t.message("text", text)
	e.Mention = engine.MentionNone
	return t.play(ctx, e)
}

// file makes the command that sends a file of a kind.
func file(kind string) func(t *Trial, ctx context.Context, name string) (Reply, error) {
	return func(t *Trial, ctx context.Context, name string) (Reply, error) {
		if name == "" {
			return Reply{}, fmt.Errorf("/%s needs a name or an address: /%s %s", kind, kind, named[kind])
		}
		e := t.message(kind, "")
		e.Media = []engine.Media{medium(kind, name)}
		return t.play(ctx, e)
	}
}

// named are the names that hints give, and what a file is called that was given none.
var named = map[string]string{"image": "菜单.png", "file": "报价.pdf", "video": "介绍.mp4", "voice": "voice.amr"}

// medium is a file by its name or address. What has a name only gets an
// address that leads nowhere, since what skills do with a file begins there.
func medium(kind, name string) engine.Media {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		return engine.Media{Kind: kind, URL: name, Name: path.Base(u.Path)}
	}
	return engine.Media{Kind: kind, URL: "https://trial.invalid/" + url.PathEscape(name), Name: name}
}

func (t *Trial) voice(ctx context.Context, arg string) (Reply, error) {
	name, heard := cut(arg)
	if name == "" {
		name = named["voice"]
	}
	e := t.message("voice", heard)
	e.Media = []engine.Media{medium("voice", name)}
	return t.play(ctx, e)
}

func (t *Trial) sticker(ctx context.Context, name string) (Reply, error) {
	e := t.message("emoji", "")
	if name != "" {
		e.Params = map[string]string{"name": name}
	}
	return t.play(ctx, e)
}

func (t *Trial) link(ctx context.Context, arg string) (Reply, error) {
	address, title := cut(arg)
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return Reply{}, fmt.Errorf("/link needs an address: /link https://example.com/a 标题")
	}
	e := t.message("link", "")
	e.Params = map[string]string{"url": address, "title": title}
	return t.play(ctx, e)
}

// degrees is where a place lies.
var degrees = regexp.MustCompile(`^(.*?)\s*(-?\d+(?:\.\d+)?)\s*[,，]\s*(-?\d+(?:\.\d+)?)$`)

func (t *Trial) location(ctx context.Context, arg string) (Reply, error) {
	if arg == "" {
		return Reply{}, errors.New("/location needs a place: /location 人民广场, or /location 人民广场 31.23,121.47")
	}
	title, latitude, longitude := arg, "31.2304", "121.4737"
	if m := degrees.FindStringSubmatch(arg); m != nil {
		title, latitude, longitude = m[1], m[2], m[3]
	}
	e := t.message("location", "")
	e.Params = map[string]string{"title": title, "address": title, "latitude": latitude, "longitude": longitude}
	return t.play(ctx, e)
}

func (t *Trial) quote(ctx context.Context, text string) (Reply, error) {
	if text == "" {
		return Reply{}, errors.New("/quote needs a text: /quote 这个多少钱")
	}
	return t.play(ctx, t.message("quote", text))
}

func (t *Trial) button(ctx context.Context, key string) (Reply, error) {
	if key == "" {
		return Reply{}, errors.New("/button needs the button's key: /button agree")
	}
	e := t.event(engine.Button)
	e.Text = key
	return t.play(ctx, e)
}

// plain is what a line says: a slash in front is doubled.
func plain(line string) string { return strings.TrimPrefix(line, "/") }
