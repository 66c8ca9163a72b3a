package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/config"
)

// load reads the configuration. From then on times for people are in its zone,
// which is that of the engine's own texts.
func (c *call) load() (*config.Config, error) {
	cfg, err := config.Load(c.config, c.Env, app.Channels())
	if cfg != nil {
		c.zone = cfg.Location()
	}
	return cfg, err
}

// plan loads the configuration and builds what it describes; nothing is opened.
func (c *call) plan() (*app.Plan, error) {
	return app.Prepare(c.load, c.BuildSkills, channel.NewClient())
}

// planOf is plan for another file.
func (c *call) planOf(file string) (*app.Plan, error) {
	load := func() (*config.Config, error) { return config.Load(file, c.Env, app.Channels()) }
	return app.Prepare(load, c.BuildSkills, channel.NewClient())
}

// sayConfig explains a configuration that was refused and returns exitUsage
// where it could not even be read, else refused.
func (c *call) sayConfig(err error, refused int) int {
	c.say(err)
	var unread *fs.PathError
	if !errors.As(err, &unread) {
		return refused
	}
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(c.Err, "`bot init` writes a commented %s to begin with; `-config FILE` names another one\n", c.config)
	}
	return exitUsage
}
