package skills_test

import (
	"errors"
	"testing"

	"bot/engine"
	"bot/engine/config"
	"bot/skills"
	"bot/skills/skilltest"
)

func TestAnUnsetVariableIsSaidOnce(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"a reply", "keywords = [\"x\"]\nreply = \"${NO}\"", "bot.toml:4:9: "},
		{"a part of a reply", "keywords = [\"x\"]\nreply = [{text = \"${NO}\"}]", "bot.toml:4:18: "},
		{"a keyword", "keywords = [\"${NO}\"]\nreply = \"a\"", "bot.toml:3:13: "},
		{"a pattern", "patterns = [\"${NO}\"]\nreply = \"{{index .Match 1}}\"", "bot.toml:3:13: "},
		{"a once-key", "keywords = [\"x\"]\nonce = \"${NO}\"\nreply = \"a\"", "bot.toml:4:8: "},
		{"an action", "on = \"friend_request\"\ndo = \"${NO}\"", "bot.toml:4:6: "},
		{"a param of one", "on = \"friend_added\"\ndo = \"set_remark\"\nparams = {remark = \"${NO}\"}", "bot.toml:5:20: "},
		{"an item of a param", "on = \"friend_added\"\ndo = \"create_group\"\nparams = {members = [\"${NO}\"]}", "bot.toml:5:22: "},
		{"a conversation", "keywords = [\"x\"]\nin = [\"${NO}\"]\nreply = \"a\"", "bot.toml:4:7: "},
		{"a mention", "on = \"member_joined\"\nat = \"${NO}\"\nreply = \"a\"", "bot.toml:4:6: "},
		{"a file's name", "keywords = [\"x\"]\nreply = [{file = \"a\", name = \"${NO}\"}]", "bot.toml:4:30: "},
		{"a relay's place", "match = \"any\"\nrelay = {to = [\"${NO}\"]}", "bot.toml:4:16: "},
		{"a relay's prefix", "match = \"any\"\nrelay = {to = [\"b\"], prefix = \"${NO}\"}", "bot.toml:4:31: "},
		{"a place", "keywords = [\"x\"]\nwhere = \"${NO}\"\nreply = \"a\"", "bot.toml:4:9: "},
		{"a model's endpoint", "match = \"any\"\nllm = {base_url = \"${NO}\", model = \"m\"}", "bot.toml:4:19: "},
		{"a model's name", "match = \"any\"\nllm = {base_url = \"http://a\", model = \"${NO}\"}", "bot.toml:4:39: "},
		{"a model's key", "match = \"any\"\nllm = {base_url = \"http://a\", model = \"m\", api_key = \"${NO}\"}", "bot.toml:4:54: "},
		{"a model's time", "match = \"any\"\nllm = {base_url = \"http://a\", model = \"m\", timeout = \"${NO}\"}", "bot.toml:4:54: "},
		{"a step", "keywords = [\"x\"]\nstep = [{save = \"a\", ask = \"${NO}\", pattern = \"${NO:-x}\"}]", "bot.toml:4:28: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			unset := func(string) (string, bool) { return "", false }
			c, err := config.Parse("/bot.toml", []byte("[[skill]]\nname = \"a\"\n"+tt.keys), unset, nil)
			var sections []engine.Section
			for _, s := range c.Skills {
				sections = append(sections, s)
			}
			_, skillErr := skills.Build(sections, shopOnly)
			compare(t, skilltest.Problems(errors.Join(err, skillErr)), []string{tt.want + "environment variable NO is not set"})
		})
	}
}
