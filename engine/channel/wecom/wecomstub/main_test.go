package wecomstub

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine/stub"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func newStub(t *testing.T, o stub.Options) *stub.Stub {
	t.Helper()
	o.Protocol = New
	s, err := stub.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
