package engine

// List is texts in the configuration that may become many: beside the key that
// holds them, or in its place, another with _file after it names a file of
// them, one a line. Lines that are blank or begin with # are left out.
type List []string
