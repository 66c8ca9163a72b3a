package wecom

import "bot/engine"

// What the platform takes at most, in bytes where nothing else is said. It cuts
// what is longer and says nothing, or refuses it.
const (
	maxText          = 2048 // to members, groups, customers and of the robot; and Markdown of an app
	maxTitle         = 128
	maxDescription   = 512
	maxRobotMarkdown = 4096
	maxStream        = 20480 // all that an AI bot answers to one message

	// Of a welcome, and of the mini programs of customers.
	maxWelcome     = 4000
	maxAttachments = 9 // pieces
	maxLink        = 2048
	maxMiniTitle   = 64

	// Of a group that an app makes.
	maxGroupName = 50 // characters
	minMembers   = 2  // people
	maxMembers   = 2000
)

// TextLimit is the longest text in bytes that every conversation of an account
// of the form takes.
func TextLimit(form string) int {
	if form == FormAIBot {
		return maxStream
	}
	return maxText
}

// fileKind is a sort of file: the platform's name for it, and how large one may
// be in bytes.
type fileKind struct {
	name string
	max  int64
}

// The sorts of the media interface. Customer service and robots take smaller
// pictures.
var (
	anImage     = fileKind{"image", 10 << 20}
	aSmallImage = fileKind{"image", 2 << 20}
	aVoice      = fileKind{"voice", 2 << 20}
	aVideo      = fileKind{"video", 10 << 20}
	aFile       = fileKind{"file", 20 << 20}
)

var fileKinds = map[engine.Action]fileKind{
	engine.SendImage: anImage, engine.SendVoice: aVoice, engine.SendVideo: aVideo, engine.SendFile: aFile,
}

// minFile is the smallest file that the platform takes, in bytes: more than 5.
const minFile = 6
