package qiwe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// fileType is what the platform wants to know of a file.
type fileType int

const (
	picture fileType = 1 // JPG is what is documented; which is right for a GIF is not
	movie   fileType = 4
	other   fileType = 5 // voice among it
)

// uploadMethod fetches a file from an address and answers when it has it. The
// vendor announced in 2026 that it will go; what shall come after it answers by
// a callback.
const uploadMethod = "/cloud/cdnBigUploadByUrl"

// uploadedFor is how long an upload is used again.
const uploadedFor = 24 * time.Hour

// upload is a file that the platform has, as it answers and as it is kept.
type upload struct {
	FileAesKey    scalar `json:"fileAesKey"`
	FileID        scalar `json:"fileId"`
	FileKey       scalar `json:"fileKey,omitempty"`
	FileMd5       scalar `json:"fileMd5"`
	FileSize      scalar `json:"fileSize"`
	FileThumbSize scalar `json:"fileThumbSize,omitempty"`
	CloudURL      scalar `json:"cloudUrl,omitempty"`
}

// upload hands the address in url to the platform, unless it was done of late.
// The platform does the fetching. An upload may be repeated, so no failure of
// it leaves a doubt.
func (s *sender) upload(ctx context.Context, c *engine.Command, t fileType) (*upload, error) {
	address := channel.Param(c, "url")
	sum := sha256.Sum256([]byte(address + "\n" + strconv.Itoa(int(t))))
	key := "upload/" + hex.EncodeToString(sum[:])
	f := new(upload)
	if kept := s.memory.Recall(s.name, key); kept != "" && json.Unmarshal([]byte(kept), f) == nil {
		return f, nil
	}
	data, err := s.call(ctx, uploadMethod, map[string]any{
		"filename": filename(c), "fileUrl": address, "fileType": int(t),
	})
	if err != nil {
		return nil, channel.Harmless(err)
	}
	if decode(data, f); f.FileID == "" {
		call := channel.Call{Secrets: s.secrets}
		return nil, call.Fail(channel.Transient, 0, "the platform took the file and did not say where it is")
	}
	if b, err := json.Marshal(f); err == nil {
		// What cannot be remembered is uploaded once more.
		_ = s.memory.Remember(ctx, s.name, engine.Note{Key: key, Value: string(b), Expires: s.now().Add(uploadedFor)})
	}
	return f, nil
}

// fill puts what all kinds of file have into a message's params.
func (f *upload) fill(m map[string]any) {
	m["fileAesKey"], m["fileId"], m["fileSize"] = string(f.FileAesKey), string(f.FileID), f.FileSize.number()
}

// filename is what the receiver sees: the command's, else the last part of the
// address.
func filename(c *engine.Command) string {
	if name := channel.Param(c, "name", "filename"); name != "" {
		return name
	}
	u, err := url.Parse(channel.Param(c, "url"))
	if err != nil {
		return "file"
	}
	if name := path.Base(u.Path); strings.Trim(name, "./") != "" {
		return name
	}
	return "file"
}
