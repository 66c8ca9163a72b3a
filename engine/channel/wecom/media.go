package wecom

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// mediaKept is for how long an uploaded file is used again. It lives three
// days.
const mediaKept = 60 * time.Hour

// media turns what a command wants to send into media ids. Two notes save
// fetching and uploading:
//
//	media/<owner>/<kind>/<sha256>  media id: of any command with the same bytes
//	upload/<task>                  "<media id> <key of the above>": of the command
//	                               itself, so that its next attempt is the same
//	                               request, whatever stands at the URL by then
type media struct {
	fetch          *http.Client
	memory         channel.Memory
	now            func() time.Time
	account, owner string
	upload         func(ctx context.Context, kind string, f *file) (mediaID string, err error)
}

// of returns the media id for a command's file: the param "media_id" as it is,
// or what stands at the URL in the param, uploaded.
func (m *media) of(ctx context.Context, c *engine.Command, param string, kind fileKind) (mediaID string, err error) {
	if id := channel.Param(c, "media_id"); id != "" {
		return id, nil
	}
	url := channel.Param(c, param)
	if url == "" {
		return "", permanent(string(c.Action) + " needs the param " + param + " or media_id")
	}
	if id, _, ok := m.uploaded(c.TaskID); ok {
		return id, nil
	}
	f, err := fetchFile(ctx, m.fetch, url, kind.max)
	if err != nil {
		return "", err
	}
	defer f.close()
	f.name = fileName(channel.Param(c, "name"), url, f.mime)
	key := "media/" + m.owner + "/" + kind.name + "/" + hex.EncodeToString(f.sum[:])
	id := m.memory.Recall(m.account, key)
	if id == "" {
		if id, err = m.upload(ctx, kind.name, f); err != nil {
			return "", err
		}
	}
	until := m.now().Add(mediaKept)
	// Notes that are not kept cost another upload, no more.
	_ = m.memory.Remember(ctx, m.account,
		engine.Note{Key: key, Value: id, Expires: until},
		engine.Note{Key: uploadKey(c.TaskID), Value: id + " " + key, Expires: until})
	return id, nil
}

func uploadKey(taskID string) string { return "upload/" + short(taskID) }

// uploaded is what an earlier attempt at the command has uploaded.
func (m *media) uploaded(taskID string) (mediaID, key string, ok bool) {
	return strings.Cut(m.memory.Recall(m.account, uploadKey(taskID)), " ")
}

// lost tells whether the platform does not know the media id of a message.
func lost(err error) bool {
	code := codeOf(err)
	return code == codeMedia || code == codeNoMedia
}

// forget drops the media id that the platform does not know any more, and tells
// whether it was one of ours, so that uploading again can help.
func (m *media) forget(ctx context.Context, taskID string) bool {
	_, key, ok := m.uploaded(taskID)
	if !ok {
		return false
	}
	return m.memory.Remember(ctx, m.account, engine.Note{Key: key}, engine.Note{Key: uploadKey(taskID)}) == nil
}

// upload hands a file to the platform under the app's token.
func (s *appSender) upload(ctx context.Context, kind string, f *file) (mediaID string, err error) {
	return uploadAs(f, func(mime string) ([]byte, error) {
		return s.tokens.withToken(ctx, func(token string) ([]byte, error) {
			q := request{path: "media/upload", query: map[string][]string{"type": {kind}}, file: f.form(mime), witness: "media_id", harmless: true}
			return s.do(ctx, withToken(q, token))
		})
	})
}

// plainFile is a type that says nothing.
const plainFile = "application/octet-stream"

// uploadAs uploads under the type that the bytes look like and, where that is
// refused, once more under none: Tencent's own plugin does so.
func uploadAs(f *file, upload func(mime string) ([]byte, error)) (mediaID string, err error) {
	answer, err := upload(f.mime)
	if e, ok := errors.AsType[*channel.SendError](err); ok && e.Class == channel.Permanent && f.mime != plainFile {
		answer, err = upload(plainFile)
	}
	if err != nil {
		return "", err
	}
	if mediaID = told(answer, "media_id"); mediaID == "" {
		return "", new(channel.Call).Fail(channel.Transient, http.StatusOK, "an upload brought no media_id")
	}
	return mediaID, nil
}
