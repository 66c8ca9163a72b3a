package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem is one complaint about the operator's files.
type Problem struct {
	// File is the base name of the main file, for an included one its path
	// relative to the main file's folder; "" when no file is to blame.
	File string
	Line int // from 1; 0 means the file as a whole
	Col  int // from 1, in characters
	Msg  string
	Hint string // what to write instead; may be empty
}

// Error is one line: file:line:col: what (hint).
func (p Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Msg)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Problems are all complaints about a configuration in the order of the files,
// none of them twice. As an error it means that the files could be read and
// are wrong; a file that cannot be read is an *fs.PathError instead.
type Problems []Problem

// Error has one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Problem.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// ProblemsIn lists what an error of this package, or errors of many sections
// joined with errors.Join or wrapped with %w, has to say, sorted and each once.
// An error without a place is kept as a Problem without a file, so that nothing
// is lost. ProblemsIn(nil) is empty.
func ProblemsIn(err error) Problems {
	var ps Problems
	gather(err, &ps)
	return ps.sorted()
}

func gather(err error, into *Problems) {
	if err == nil {
		return
	}
	if p, ok := err.(Problem); ok {
		*into = append(*into, p)
		return
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			gather(e, into)
		}
		return
	}
	var p Problem
	if errors.As(err, &p) {
		gather(errors.Unwrap(err), into)
		return
	}
	*into = append(*into, Problem{Msg: err.Error()})
}

// sorted returns the problems by file, line and column, without repetitions.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col), cmp.Compare(a.Msg, b.Msg))
	})
	return slices.Compact(ps)
}

// errOrNil avoids the error that is not nil and has nothing to say.
func (ps Problems) errOrNil() error {
	if len(ps) == 0 {
		return nil
	}
	return ps.sorted()
}
