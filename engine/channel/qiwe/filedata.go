package qiwe

import (
	"strconv"

	"bot/engine"
)

// fileData is msgData of a file of any kind: where it lies, encrypted, and the
// keys to it.
type fileData struct {
	AesKey       scalar `json:"fileAesKey"`
	AuthKey      scalar `json:"fileAuthKey"` // of files that came from WeChat
	FileID       scalar `json:"fileId"`      // of files that came from WeCom
	Md5          scalar `json:"fileMd5"`
	Filename     scalar `json:"filename"`
	Size         scalar `json:"fileSize"`
	HTTPURL      scalar `json:"fileHttpUrl"`
	BigURL       scalar `json:"fileBigHttpUrl"`
	BigSize      scalar `json:"fileBigSize"`
	MiddleURL    scalar `json:"fileMiddleHttpUrl"`
	MiddleSize   scalar `json:"fileMiddleSize"`
	Duration     scalar `json:"duration"`
	VoiceSeconds scalar `json:"voiceTime"`
}

// media refers to the file. It has no URL: what lies at the platform's is
// encrypted, and /cloud/wxWorkDownload or /cloud/wxDownload must be asked for a
// plain copy. The params are what they want, under their names.
func (f *fileData) media(typ string, p params) engine.Media {
	url, size := f.HTTPURL, f.Size
	switch {
	case f.BigURL != "":
		url, size = f.BigURL, f.BigSize
	case f.MiddleURL != "":
		url, size = f.MiddleURL, f.MiddleSize
	}
	p.set("fileAeskey", string(f.AesKey))
	p.set("fileAuthkey", string(f.AuthKey))
	p.set("fileId", string(f.FileID))
	p.set("fileMd5", string(f.Md5))
	p.set("fileSize", string(size))
	p.set("fileUrl", string(url))
	p.set("filename", string(f.Filename))
	p.set("duration", first(f.Duration, f.VoiceSeconds))
	m := engine.Media{Kind: typ, Name: string(f.Filename)}
	if typ == emoji {
		m.Kind = image
	}
	if n, err := strconv.ParseInt(string(size), 10, 64); err == nil && n > 0 {
		m.Size = n
	}
	return m
}
