package wecomstub

import (
	"strconv"
	"strings"
	"time"

	"bot/engine/stub"
)

// What customer service allows.
const (
	kfWindow    = 48 * time.Hour // after the customer's last message
	kfMessages  = 5              // within it
	kfHistory   = 3 * 24 * time.Hour
	kfTokenLife = 10 * time.Minute
	maxKfItems  = 1000
)

// service is one customer-service account.
type service struct {
	items    []kfItem
	dropped  int // items that were forgotten, so that cursors stay true
	tokens   memory[struct{}]
	sessions map[string]*kfSession
	sent     memory[struct{}] // the sender's own ids of messages
}

type kfItem struct {
	at   time.Time
	id   string
	body object
}

// kfSession is what is between the account and one customer.
type kfSession struct {
	last  time.Time // the customer's last message
	since int       // messages to the customer after it
	state int       // 0 new, 1 bot, 2 pool, 3 a person, 4 over
}

func (p *Platform) serviceOf(openKfID string) *service {
	s := p.service[openKfID]
	if s == nil {
		s = &service{sessions: make(map[string]*kfSession)}
		p.service[openKfID] = s
	}
	return s
}

func (s *service) session(customer string) *kfSession {
	one := s.sessions[customer]
	if one == nil {
		one = &kfSession{}
		s.sessions[customer] = one
	}
	return one
}

// add puts an item behind the others, once.
func (s *service) add(item kfItem) {
	for _, known := range s.items {
		if known.id == item.id {
			return
		}
	}
	if len(s.items) >= maxKfItems {
		s.items, s.dropped = s.items[1:], s.dropped+1
	}
	s.items = append(s.items, item)
}

// sync gives a page of what was said. The first page of all is empty, as pages
// may be, and another follows.
func (p *Platform) sync(c *stub.Call, said object) stub.Answer {
	now := p.now()
	id := said.text("open_kfid")
	if id == "" {
		return refusal(40058)
	}
	s := p.serviceOf(id)
	if token := said.text("token"); token != "" {
		if _, until, _ := s.tokens.get(token); !now.Before(until) {
			return refusal(95007)
		}
	}
	limit, err := strconv.Atoi(said.text("limit"))
	if err != nil || limit < 1 || limit > 1000 {
		limit = 1000
	}
	cursor := said.text("cursor")
	if cursor == "" {
		return success(object{"next_cursor": "at-0", "has_more": 1, "msg_list": []object{}})
	}
	at, err := strconv.Atoi(strings.TrimPrefix(cursor, "at-"))
	if err != nil || at < 0 {
		return refusal(40058)
	}
	list := []object{}
	at = max(at, s.dropped)
	for ; at < s.dropped+len(s.items) && len(list) < limit; at++ {
		if item := s.items[at-s.dropped]; now.Sub(item.at) < kfHistory {
			list = append(list, item.body)
		}
	}
	more := 0
	if at < s.dropped+len(s.items) {
		more = 1
	}
	return success(object{"next_cursor": "at-" + strconv.Itoa(at), "has_more": more, "msg_list": list})
}
