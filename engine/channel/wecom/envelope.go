package wecom

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
)

var errEnvelope = errors.New("the body is no envelope with an Encrypt")

// envelope takes the ciphertext out of a callback's body. Nothing else of it is
// signed, so nothing else is looked at; and until the signature was seen
// nothing is built from it.
func envelope(body []byte) (string, error) {
	if isJSON(body) {
		return envelopeJSON(body)
	}
	return envelopeXML(body)
}

// envelopeJSON takes Encrypt for encrypt too, as some bots are sent it.
func envelopeJSON(body []byte) (string, error) {
	var e struct{ Encrypt string }
	if json.Unmarshal(body, &e) != nil || e.Encrypt == "" {
		return "", errEnvelope
	}
	return e.Encrypt, nil
}

// envelopeXML reads to the end of the body: one that breaks off behind its
// Encrypt is refused as well. Like any text that is given twice, the first
// counts.
func envelopeXML(body []byte) (string, error) {
	var encrypt []byte
	d := xml.NewDecoder(bytes.NewReader(body))
	for depth, inside := 0, false; ; {
		t, err := d.Token()
		switch {
		case err == io.EOF && len(encrypt) > 0: // which comes only when everything was closed
			return string(encrypt), nil
		case err != nil:
			return "", errEnvelope
		}
		switch t := t.(type) {
		case xml.Directive:
			return "", errDoctype
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return "", errDeep
			}
			inside = depth == 2 && t.Name.Local == "Encrypt" && len(encrypt) == 0
		case xml.EndElement:
			depth--
			inside = false
		case xml.CharData:
			if inside {
				encrypt = append(encrypt, t...)
			}
		}
	}
}
