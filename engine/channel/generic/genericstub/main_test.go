package genericstub

import (
	"testing"

	"go.uber.org/goleak"

	"bot/engine/stub"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
