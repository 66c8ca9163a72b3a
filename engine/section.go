package engine

// Section is a table of the configuration that only its owner can read, such
// as one [[skill]]. It keeps the positions of its keys, so that the owner's
// complaints point at the operator's file.
type Section interface {
	// Decode fills the struct that v points to by its `toml` tags. Unknown
	// keys, wrong types and bad values are all reported in one error, each
	// with its position; what could be decoded is.
	Decode(v any) error
	// Keys are the table's own keys, as written.
	Keys() []string
	// Has tells whether the key is present.
	Has(key string) bool
	// Errorf makes a problem located at the key ("" for the table itself).
	// A dotted key reaches into sub-tables, an index into arrays: "step.1.ask".
	Errorf(key, format string, args ...any) error
	// Warnf is Errorf for what is allowed but probably not meant; it is
	// reported to the operator and refuses nothing.
	Warnf(key, format string, args ...any)
	// At is the file:line of the key, or of the table.
	At(key string) string
	// Position is At with the column: file:line:col, as problems begin.
	Position(key string) string
}
