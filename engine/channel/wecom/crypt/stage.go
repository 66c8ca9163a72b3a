package crypt

import "fmt"

// Stage is the step of opening a callback that failed.
type Stage string

// The stages in their order.
const (
	Signature Stage = "signature"
	Base64    Stage = "base64"
	Decrypt   Stage = "decrypt" // no whole number of cipher blocks
	Padding   Stage = "padding"
	Length    Stage = "length" // the frame is too short, or for less than it says
	ReceiveID Stage = "receive_id"
)

// codes are what Tencent's own library calls the stages; operators search for
// them.
var codes = map[Stage]int{
	Signature: -40001, Base64: -40010, Decrypt: -40007, Padding: -40008, Length: -40008, ReceiveID: -40005,
}

// Code is the number that Tencent's library has for the stage.
func (s Stage) Code() int { return codes[s] }

// Error says at which stage opening failed. It holds nothing of the callback.
type Error struct {
	Stage  Stage
	Detail string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s (%d): %s", e.Stage, e.Stage.Code(), e.Detail)
}

func fail(s Stage, detail string) error { return &Error{Stage: s, Detail: detail} }
