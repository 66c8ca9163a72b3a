package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// open opens a file that is named on the command line, or what is typed in for "-".
func (c *call) open(name string) (in io.Reader, closeFile func() error, err error) {
	if name == "-" {
		return c.In, func() error { return nil }, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// asks tells whether there is somebody to ask.
func (c *call) asks() bool {
	f, ok := c.In.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// confirm asks a question to which no is the answer unless somebody says yes.
func (c *call) confirm(question string) bool {
	fmt.Fprintf(c.Out, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(c.In).ReadString('\n')
	return slices.Contains([]string{"y", "yes", "是"}, strings.ToLower(strings.TrimSpace(answer)))
}
