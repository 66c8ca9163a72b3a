package loadtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestSectorsWritten(t *testing.T) {
	const stat = "    1 2 3 4      50 60 700 80 0 90 100 1 2 3 4 5 6\n"
	if got := sectorsWritten([]byte(stat)); got != 700 {
		t.Errorf("reads %d", got)
	}
	if got := sectorsWritten([]byte("1 2 3")); got != 0 {
		t.Errorf("of a line too short it reads %d", got)
	}
}

func TestDeviceBytesAreTheLesserFigure(t *testing.T) {
	for _, tt := range []struct{ process, device, want int64 }{
		{900, 300, 300}, // large folios
		{300, 900, 300}, // neighbours on the device
		{300, 0, 300},   // the device is not known
	} {
		if got := deviceBytes(tt.process, tt.device); got != tt.want {
			t.Errorf("%d of the process and %d of the device are %d, want %d", tt.process, tt.device, got, tt.want)
		}
	}
}

func TestWhatIsWrittenReachesTheDevice(t *testing.T) {
	dir := t.TempDir()
	before := deviceWritten(dir)
	if before == 0 {
		t.Skip("the system does not tell what the device of " + dir + " was given")
	}
	const size = 4 << 20
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(bytes.Repeat([]byte("written "), size/8)); err != nil {
		t.Fatal(err)
	}
	if err := dataSync(f); err != nil {
		t.Fatal(err)
	}
	switch grown := deviceWritten(dir) - before; {
	case grown == 0:
		t.Skip("the device of " + dir + " does not count") // its queue/iostats is off
	case grown < size:
		t.Errorf("%d bytes were written and synced, the device was given %d", size, grown)
	}
}
