package turn

var (
	KnownKey    = knownKey
	Unaddressed = unaddressed
)
