package loadtest

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPicture(t *testing.T) {
	tests := []struct {
		name   string
		values []int
		bars   []rune
		want   []string
	}{
		{"nothing", nil, blocks, nil},
		{"a hill, in blocks", []int{0, 8, 16, 24, 16, 8, 0}, blocks, []string{
			"24    █",
			"     ███",
			" 0  █████",
			"   0 0.7 s",
		}},
		{"a hill, in letters", []int{0, 8, 16, 24, 16, 8, 0}, letter, []string{
			"24    #",
			"     ###",
			" 0  #####",
			"   0 0.7 s",
		}},
		{"what is not zero shows", []int{1, 0, 240}, blocks, []string{
			"240   █",
			"      █",
			"  0 ▁ █",
			"    0 0.3 s",
		}},
		{"nothing ever waited", []int{0, 0, 0, 0, 0, 0, 0, 0}, blocks, []string{
			"1", "", "0", "  0  0.8 s",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := picture(tt.values, 100*time.Millisecond, 20, 3, tt.bars); !slices.Equal(got, tt.want) {
				t.Errorf("drawn as\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
	long := make([]int, 5000)
	long[4999] = 7
	rows := picture(long, watchEvery, 64, 5, blocks)
	if top := []rune(rows[0]); len(top) != 2+64 || top[65] != '█' {
		t.Errorf("the end of a long run is drawn as %q", rows[0])
	}
}

func TestPlainSparkline(t *testing.T) {
	if got := sparkline([]int{0, 1, 4, 7}, 10, letter); got != "_.=#" {
		t.Errorf("drawn as %s", got)
	}
}
