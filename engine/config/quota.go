package config

import (
	"time"

	"bot/engine"
)

// unansweredFor is the default: the measure of the platform that has one.
const unansweredFor = engine.Duration(48 * time.Hour)

// mostPushes bounds quotas: what is beyond it is meant to be none.
const mostPushes = 1_000_000_000

// checkQuota checks what bounds the unasked.
func (l *loader) checkQuota(s *Section, a *Account) {
	q := &a.Limit
	l.oneOf(s, "late_reply", a.LateReply, LateReplies()...)
	l.quota(s, "limit.push_per_day", q.PushPerDay, mostPushes)
	l.quota(s, "limit.push_per_user_per_day", q.PushPerUserPerDay, mostPushes)
	l.quota(s, "limit.unanswered", q.Unanswered, 1_000_000)
	l.atLeast(s, "limit.unanswered_for", q.UnansweredFor, time.Minute)
	if s.Has("limit.unanswered_for") && q.UnansweredFor > engine.Duration(365*24*time.Hour) {
		l.refuse(s, "limit.unanswered_for", "", "limit.unanswered_for: %v is too long, at most 365d", q.UnansweredFor)
	}
	if s.Has("limit.unanswered_for") && !s.Has("limit.unanswered") {
		l.refuse(s, "limit.unanswered_for", "unanswered = 5", "limit.unanswered_for says nothing without limit.unanswered")
	}
	l.oneOf(s, "limit.over_quota", q.OverQuota, "hold", "refuse")
	if s.Has("limit.over_quota") && q.PushPerDay == 0 && q.PushPerUserPerDay == 0 && q.Unanswered == 0 {
		l.refuse(s, "limit.over_quota", "push_per_day = 500", "limit.over_quota: there is no quota that anything could be over")
	}
	if q.PushPerDay > 0 && q.PushPerUserPerDay > q.PushPerDay {
		l.warn(s, "limit.push_per_user_per_day", "", "limit.push_per_user_per_day: one user may get more pushes than the account may send (push_per_day)")
	}
}

// quota checks a number of which none at all is no limit but a mistake.
func (l *loader) quota(s *Section, key string, n, most int) {
	if s.Has(key) && (n < 1 || n > most) {
		l.refuse(s, key, "without the key there is no such quota; `bot pause` stops an account", "%s: %d is not between 1 and %d", key, n, most)
	}
}
