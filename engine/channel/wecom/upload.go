package wecom

import (
	"fmt"
	"io"
	"strings"
)

// boundary separates the parts of an upload. It need not be new for each: there
// is one part, and its end is known by the length as well.
const boundary = "bot-9f2c7d54e1b86a03f7c5d1e2a4b69780"

// form is the body that uploads a file. Tencent documents the part's filelength.
func (f *file) form(mime string) content {
	before := fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=\"media\"; filename=\"%s\"; filelength=%d\r\nContent-Type: %s\r\n\r\n",
		boundary, f.name, f.size, mime)
	after := "\r\n--" + boundary + "--\r\n"
	body := io.MultiReader(strings.NewReader(before), f.bytes(), strings.NewReader(after))
	size := int64(len(before)) + f.size + int64(len(after))
	return content{body, size, "multipart/form-data; boundary=" + boundary}
}
