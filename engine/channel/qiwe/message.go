package qiwe

import (
	"encoding/json"
	"strings"

	"bot/engine"
)

// The types of message, as engine.Event.Type has them.
const (
	text     = "text"
	image    = "image"
	voice    = "voice"
	video    = "video"
	file     = "file"
	emoji    = "emoji"
	link     = "link"
	location = "location"
	card     = "card"
	miniapp  = "miniapp"
	quote    = "quote"
	mixed    = "mixed"
	packet   = "red_packet"
	app      = "" // one of several: its subType says which
)

// messages are the msgTypes of what people write. Those below 100 come from
// WeCom, 101 to 104 from people who use WeChat. 1, 3, 34, 43 and 49 were seen
// in one source only.
var messages = map[scalar]string{
	"0": text, "1": text, "2": text,
	"3": image, "7": image, "14": image, "101": image,
	"16": voice, "34": voice,
	"22": video, "23": video, "43": video, "103": video,
	"15": file, "20": file, "102": file,
	"29": emoji, "104": emoji,
	"6": location, "13": link, "26": packet, "41": card, "78": miniapp, "123": mixed,
	"49": app,
}

// appMessages are the subTypes of 49; any other is a file.
var appMessages = map[scalar]string{"57": quote, "5": link, "33": miniapp, "36": miniapp}

// data is msgData: every field that any type of event uses. One name has
// several spellings on this platform, which differ in letter case only.
type data struct {
	Content scalar `json:"content"`
	AtList  []struct {
		UserID scalar `json:"userId"`
	} `json:"atList"`
	Reply struct {
		MsgServerID scalar `json:"msgServerId"`
		UID         scalar `json:"msgUniqueIdentifier"`
	} `json:"reply"`
	SubType scalar `json:"subType"`
	fileData

	Title     scalar `json:"title"`
	Desc      scalar `json:"desc"`
	LinkURL   scalar `json:"linkUrl"`
	IconURL   scalar `json:"iconUrl"`
	Address   scalar `json:"address"`
	Latitude  scalar `json:"latitude"`
	Longitude scalar `json:"longitude"`
	AppID     scalar `json:"appid"`
	Username  scalar `json:"username"`
	PagePath  scalar `json:"pagepath"`
	SharedID  scalar `json:"shared_id"`
	Nickname  scalar `json:"nickname"`
	RealName  scalar `json:"realName"`

	ContactID       scalar `json:"contactId"`
	ContactNickname scalar `json:"contactNickname"`
	CorpID          scalar `json:"corpId"`

	ChangedMemberList scalar `json:"changedMemberList"`
	ChangedMemberID   scalar `json:"changedMemberId"`
	RoomName          scalar `json:"roomName"`

	Code     scalar `json:"code"`
	Msg      scalar `json:"msg"`
	Status   scalar `json:"status"`
	CloudURL scalar `json:"cloudUrl"`
}

func (v *event) data() *data {
	d := new(data)
	decode(v.MsgData, d)
	return d
}

// message reads what somebody wrote.
func (a *account) message(v *event) *engine.Event {
	if v.SenderID.id() == "" {
		return a.unknown(v) // nobody to answer
	}
	d := v.data()
	e := a.base(v)
	a.place(e, v)
	e.Kind, e.Type, e.Text = engine.Message, messages[v.MsgType], string(d.Content)
	if e.Type == app {
		if e.Type = appMessages[d.SubType]; e.Type == "" {
			e.Type = file
		}
		e.Text = first(d.Content, d.Title)
	}
	params := params{}
	switch e.Type {
	case text, quote:
		if quoted := first(scalar(d.Reply.MsgServerID.id()), d.Reply.UID); quoted != "" {
			e.Type = quote
			params.set("quoted", quoted)
		}
	case mixed:
		e.Text, e.Media = v.pieces(params)
	default:
		e.Media = d.describe(e.Type, params)
	}
	if e.Group {
		e.Mention = a.mention(v, d, e.Text)
	}
	e.Params = params.orNil()
	return e
}

// describe puts what is no text into the params, under the names by which the
// same thing can be sent, and returns the file, if it is one.
func (d *data) describe(typ string, p params) []engine.Media {
	switch typ {
	case image, voice, video, file, emoji:
		return []engine.Media{d.media(typ, p)}
	case link:
		p.set("title", string(d.Title))
		p.set("description", string(d.Desc))
		p.set("url", string(d.LinkURL))
		p.set("cover_url", string(d.IconURL))
	case location:
		p.set("title", string(d.Title))
		p.set("address", string(d.Address))
		p.set("latitude", string(d.Latitude))
		p.set("longitude", string(d.Longitude))
	case card:
		p.set("user", string(d.SharedID))
		p.set("name", first(d.Nickname, d.RealName))
	case miniapp:
		p.set("appId", string(d.AppID))
		p.set("username", string(d.Username))
		p.set("pagePath", string(d.PagePath))
		p.set("title", string(d.Title))
		p.set("desc", string(d.Desc))
		p.set("iconUrl", string(d.IconURL))
	}
	return nil
}

// pieces reads a message of texts and pictures: a list. The params are those of
// its first picture, since there is room for one.
func (v *event) pieces(p params) (said string, media []engine.Media) {
	var all []struct {
		MsgType scalar          `json:"subMsgType"`
		MsgData json.RawMessage `json:"subMsgData"`
	}
	decode(v.MsgData, &all)
	var texts []string
	for _, one := range all {
		d := new(data)
		decode(one.MsgData, d)
		switch typ := messages[one.MsgType]; typ {
		case text:
			texts = append(texts, string(d.Content))
		case image, voice, video, file, emoji:
			into := p
			if len(media) > 0 {
				into = params{}
			}
			media = append(media, d.media(typ, into))
		}
	}
	return strings.Join(texts, "\n"), media
}

// params are an event's; what is empty is left out.
type params map[string]string

func (p params) set(name, value string) {
	if value != "" {
		p[name] = value
	}
}

func (p params) orNil() map[string]string {
	if len(p) == 0 {
		return nil
	}
	return p
}
