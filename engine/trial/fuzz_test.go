package trial_test

import (
	"strings"
	"testing"

	"bot/engine/trial"
)

// FuzzRun plays whatever an operator may write as a test: two texts of lines.
// It must end, with the same words every time.
func FuzzRun(f *testing.F) {
	for _, seed := range [][2]string{
		{"绑定\n12\n13800000000", "手机号\n格式\n成功"},
		{"绑定\n/wait 11m\n13800000000", "手机号\n/已过期/"},
		{"/as b\n领券\n/wait 400d\n领券", "券\n-"},
		{"/event friend_added\n/event friend_request\n/event x", "-\n-\n-"},
		{"//wait\n/\n/wait \n/as\n", "/\n//\n/(/\n\n"},
		{"悄悄\n/wait 36500d\n/wait 36500d\n/wait 36500d", "-"},
		{"/wait 2562047h47m16s\n/wait 2562047h47m16s\n领券", "券"},
		{"绑定\n/state\n/reset\n/in -\n/image a\n/voice\n/link http://a b\n/location a 1,2", "手机号\nbind\n-\n-\n手机号\n-\n-\n-"},
		{"/event member_joined members=a,b actor= x\n/event revoke params.a=b\n/in g\n/nomention a\n／wait 1m\n/wait　1m", "欢迎\n-\n-\n-\n-\n-"},
	} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	o := options(f, shop)
	f.Fuzz(func(t *testing.T, send, expect string, group bool) {
		o := o
		if group {
			o.Group = "g"
		}
		s := script(strings.Split(send, "\n"), strings.Split(expect, "\n"))
		first, second := trial.Run(t.Context(), o, s), trial.Run(t.Context(), o, s)
		if (first == nil) != (second == nil) || first != nil && first.Error() != second.Error() {
			t.Errorf("once %v, once %v", first, second)
		}
	})
}
