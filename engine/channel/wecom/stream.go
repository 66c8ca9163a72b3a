package wecom

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// An AI bot's answer is a stream: the first packet opens it, and the platform
// then asks for it, about once a second, until it is finished or six minutes
// have passed since the user wrote. What is known of a stream lies in notes of
// the account, so that it outlives a restart:
//
//	stream/<id>           a said: what was answered so far. Written by Send.
//	stream/<id>/progress  a text that is still growing, shown until there is an
//	                      answer. Written by Show.
//	stream/<id>/began     Unix seconds of the message's arrival. Remembered when
//	                      the event is handled (Event.Learned). "0" stands for an
//	                      event that opens no stream and can only be answered
//	                      through its response_url.
//	stream/<id>/replies   how many commands answer the event (Event.Tally).
//	stream/<id>/url       its response_url; gone once it was used.

const (
	// streamPrefix begins the ticket of an event that is answered by a stream,
	// and the keys of its notes; the stream's id follows.
	streamPrefix = "stream/"
	// streamCloses is when a stream is finished whatever has been said: half a
	// minute before the platform itself stops asking.
	streamCloses = 5*time.Minute + 30*time.Second
	// streamEnds is when the platform stops asking.
	streamEnds = 6 * time.Minute
	// streamTicket is how long an answer has any way to the user: the stream,
	// and after it the response_url.
	streamTicket = time.Hour
	// streamKept is how long its notes are: the last answer can come at the end
	// of the ticket's hour.
	streamKept = 2 * time.Hour
)

// stillWorking ends a stream that has nothing to say yet.
const stillWorking = "仍在处理，稍后回复。\nStill working on it."

// streamID is a stream's id towards the platform.
type streamID string

// newStreamID makes the id from what is the same when the platform repeats the
// message: a repeat must be given the same stream.
func newStreamID(account, msgID string) streamID {
	buf := binary.AppendUvarint(nil, uint64(len(account)))
	sum := sha256.Sum256(append(append(buf, account...), msgID...))
	return streamID(hex.EncodeToString(sum[:16]))
}

// streamOf reads a ticket's token.
func streamOf(token string) (streamID, bool) {
	id, ok := strings.CutPrefix(token, streamPrefix)
	return streamID(id), ok && id != ""
}

// The keys of a stream's notes; said is also the token of its ticket.
func (id streamID) said() string     { return streamPrefix + string(id) }
func (id streamID) progress() string { return id.said() + "/progress" }
func (id streamID) began() string    { return id.said() + "/began" }
func (id streamID) replies() string  { return id.said() + "/replies" }
func (id streamID) url() string      { return id.said() + "/url" }

// said is what a stream's commands have said. Content is the whole text, as
// the platform wants it, never a part.
type said struct {
	Content string   `json:"content"`
	Sent    int      `json:"sent"`           // commands in it
	Seen    []string `json:"seen,omitempty"` // their task ids: saying one again adds nothing
}

// readSaid reads the note; the zero value is "nothing yet".
func readSaid(note string) (s said) {
	if note != "" && json.Unmarshal([]byte(note), &s) != nil {
		return said{}
	}
	return s
}
