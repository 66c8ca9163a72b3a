package wecom

import (
	"math/rand/v2"
	"time"

	"bot/engine/channel"
)

// sentence is what an errcode means for the command, and what an operator
// should know of it besides the platform's words.
type sentence struct {
	class channel.Class
	hint  string
}

// Codes that senders themselves act on.
const (
	codeMedia      = 40007 // the media id is of another corp or robot, or has expired
	codeNoMedia    = 41006 // there is none
	codeUsed       = 41050 // the welcome code was used or has expired
	codeChatBegun  = 41051 // nobody needs a welcome any more
	codeOther      = 41096 // another app is sending the welcome
	codeResponse   = 60140 // the response_code was used or has expired
	codeGroupMade  = 86215 // the chatid exists
	codeKfToken    = 95007 // the token of a doorbell
	codeTransition = 95016 // the session cannot go from its state to that one
)

// stale tells whether the access token was refused. 40014 is what an expired
// one brings in practice, whatever the table of codes says (42001).
func stale(code int) bool { return code == 40014 || code == 42001 || code == 41001 }

// aroundASecond keeps those who were too many from coming back together.
func aroundASecond() time.Duration { return time.Second + rand.N(time.Second) }

// sentenceOf looks the code up. An unknown one of the 45xxx is a limit, as all
// its neighbours are; any other from 40000 speaks of the request; below that
// lie failures of the system.
func sentenceOf(code int) sentence {
	is, known := sentences[code]
	switch {
	case known:
		return is
	case code/1000 == 45:
		return sentence{channel.Throttled, "an unknown limit"}
	case code >= 40000:
		return sentence{channel.Permanent, ""}
	default:
		return sentence{channel.Transient, ""}
	}
}

// sentences follow the table of codes of the official documentation (page
// 90455, January 2023). What a person must mend halts the account; what is
// wrong with one recipient, one text or one customer-service account ends its
// command alone, although the platform counts some of these among the
// configuration: one wrong id must not hold everybody else's messages.
var sentences = map[int]sentence{
	-1:   {channel.Transient, "the platform is busy"},
	6000: {channel.Transient, "changed by another call at the same time"},

	// The access token. A sender sees these only after a fresh one was refused.
	40014: {channel.Halted, "a token that was just fetched is refused"},
	41001: {channel.Halted, "a token that was just fetched is refused"},
	42001: {channel.Halted, "a token that was just fetched is refused"},
	42009: {channel.Halted, "third-party suites are not supported"},

	// The configuration.
	40001:   {channel.Halted, "check secret"},
	40091:   {channel.Halted, "check secret"},
	40013:   {channel.Halted, "check corp_id"},
	2000002: {channel.Halted, "check corp_id"},
	40056:   {channel.Halted, "check agent_id"},
	301002:  {channel.Halted, "agent_id is not of the app that secret is of"},
	301007:  {channel.Halted, "the corp is not available"},
	301042:  {channel.Halted, "add that IP to the corp's allow-list"},
	60020:   {channel.Halted, "add that IP to the app's trusted IPs"},
	43009:   {channel.Halted, "the corp is not verified"},
	43012:   {channel.Halted, "the app needs a callback URL first"},
	45024:   {channel.Halted, "too many accounts"},
	48001:   {channel.Halted, "the app may not call this interface: grant it in the console"},
	48002:   {channel.Halted, "the app may not call this interface: grant it in the console"},
	48003:   {channel.Halted, "the authorisation was withdrawn"},
	48004:   {channel.Halted, "the authorisation was withdrawn"},
	48005:   {channel.Halted, "the interface was withdrawn"},
	48006:   {channel.Halted, "the interface was withdrawn after it lay unused"},
	50001:   {channel.Halted, "the redirect domain is not trusted"},
	50003:   {channel.Halted, "the app is disabled"},
	93000:   {channel.Halted, "check key: it is wrong or the robot was removed"},
	93004:   {channel.Halted, "the robot is disabled"},
	93008:   {channel.Halted, "the robot is not in the group"},
	95011:   {channel.Halted, "customer service is of another edition"},
	95012:   {channel.Halted, "customer service is of another edition"},
	95017:   {channel.Halted, "switch the customer-service API on"},

	// The pace.
	45009: {channel.Throttled, ""},
	45033: {channel.Throttled, "too many calls at once"},
	41094: {channel.Throttled, "three reminders a day"},

	// The window.
	codeUsed:      {channel.Permanent, "the welcome code lives 20 s and for one use"},
	codeChatBegun: {channel.Permanent, "the chat has begun"},
	41053:         {channel.Permanent, "the customer must consent to the archive first"},
	codeOther:     {channel.Transient, "another app is sending the welcome"},
	codeResponse:  {channel.Permanent, "the response_code was used or is too old"},
	95001:         {channel.Permanent, "five messages since the customer's last; the next one reopens"},
	95002:         {channel.Permanent, "48 h since the customer's last message"},
	95013:         {channel.Permanent, "the session has ended; the customer's next message opens one"},
	846605:        {channel.Permanent, "the stream is not known"},
	846608:        {channel.Permanent, "the stream is older than 6 minutes"},

	// The recipient.
	40003:  {channel.Permanent, "no such member"},
	60111:  {channel.Permanent, "no such member"},
	60021:  {channel.Permanent, "the member is outside the app's visible range"},
	60011:  {channel.Permanent, "outside the app's visible range"},
	50002:  {channel.Permanent, "outside the app's visible range"},
	81013:  {channel.Permanent, "no recipient can be reached: unknown or outside the visible range"},
	701008: {channel.Permanent, "the member has no licence"},
	84061:  {channel.Permanent, "member and customer are no contacts"},
	84074:  {channel.Permanent, "the member may not have customers"},
	40096:  {channel.Permanent, "no such customer"},
	41048:  {channel.Permanent, "no customer to send to"},
	40050:  {channel.Permanent, "no such group"},
	86001:  {channel.Permanent, "no such group"},
	86003:  {channel.Permanent, "no such group"},
	86008:  {channel.Permanent, "another app made the group"},
	90501:  {channel.Permanent, "not a customer group"},
	48007:  {channel.Permanent, "grant the app this customer-service account"},
	95000:  {channel.Permanent, "no such customer-service account"},
	95004:  {channel.Permanent, "not this corp's customer-service account"},

	// The content. What is not listed means this too.
	codeMedia:      {channel.Permanent, "the media id is wrong or older than 3 days"},
	codeKfToken:    {channel.Permanent, ""},
	95014:          {channel.Permanent, "the servicer is not on duty"},
	codeTransition: {channel.Permanent, "the session cannot go to that state from where it is"},
	95018:          {channel.Permanent, "a person serves the session, or it has ended"},
	codeGroupMade:  {channel.Permanent, ""},
	codeNoMedia:    {channel.Permanent, "there is no such media id"},
	45001:          {channel.Permanent, "the file is too large"},
	45002:          {channel.Permanent, "the text is too long"},
	45007:          {channel.Permanent, "the voice message is too long"},
	45008:          {channel.Permanent, "too many articles"},
	45029:          {channel.Permanent, "the answer would be too large: ask for less"},
	45034:          {channel.Permanent, "an address needs http:// or https://"},
	41063:          {channel.Transient, "the mass message is being sent out"},
}
