package cli

import (
	"bufio"
	"encoding/json"
	"errors"
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
func (c *call) asks() bool { return terminal(c.In) }

// confirm asks a question to which no is the answer unless somebody says yes.
func (c *call) confirm(question string) bool {
	fmt.Fprintf(c.Out, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(c.In).ReadString('\n')
	return slices.Contains([]string{"y", "yes", "是"}, strings.ToLower(strings.TrimSpace(answer)))
}

// readParams reads the JSON object that stands at a place of the command line.
// Numbers stay as they are written: ids have more digits than a float keeps.
func readParams(place, text string) (params map[string]any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&params); err == nil {
		if _, rest := d.Token(); !errors.Is(rest, io.EOF) {
			err = errors.New("something follows it")
		} else if params == nil {
			err = errors.New("it is null")
		}
	}
	if err != nil {
		return nil, fmt.Errorf(`%s is no JSON object, such as '{"url":"https://…"}': %w`, place, err)
	}
	return params, nil
}
