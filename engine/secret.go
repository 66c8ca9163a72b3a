package engine

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// Secret is a text that must not be seen: however it is printed, logged or
// encoded it reads "***", or nothing when it is empty. Secrets are equal (==)
// when their texts are.
type Secret struct {
	// A handle rather than the text, because fmt calls no methods on fields it
	// may not access and would print the text of a Secret in one of those.
	h unique.Handle[string]
}

// NewSecret hides s.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{unique.Make(s)}
}

// Reveal returns the text itself.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.h.Value()
}

// IsZero tells that there is no secret.
func (s Secret) IsZero() bool { return s == Secret{} }

func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return "***"
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return s.String() }

// Format hides the text from every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue hides the text from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON hides the text from encoding/json.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// UnmarshalText takes the text.
func (s *Secret) UnmarshalText(b []byte) error {
	*s = NewSecret(string(b))
	return nil
}
