package config

// Changed names the settings that differ and that a running process cannot
// take over: its listeners, its store and what is sized at the start. A reload
// that would change one is refused. The names are in the order of the file and
// hold no values, so that a new token is named and not shown.
func Changed(running, next *Config) []string {
	fixed := []struct {
		name    string
		differs bool
	}{
		{"server.listen", running.Server.Listen != next.Server.Listen},
		{"server.max_body", running.Server.MaxBody != next.Server.MaxBody},
		{"admin.listen", running.Admin.Listen != next.Admin.Listen},
		{"admin.token", running.Admin.Token != next.Admin.Token},
		{"store.path", running.Store.Path != next.Store.Path},
		{"store.min_free", running.Store.MinFree != next.Store.MinFree},
		{"queue.workers", running.Queue.Workers != next.Queue.Workers},
		{"queue.attempts", running.Queue.Attempts != next.Queue.Attempts},
		{"queue.retry_for", running.Queue.RetryFor != next.Queue.RetryFor},
		{"dedup.window", running.Dedup.Window != next.Dedup.Window},
		{"dedup.max_keys", running.Dedup.MaxKeys != next.Dedup.MaxKeys},
		{"dedup.command_window", running.Dedup.CommandWindow != next.Dedup.CommandWindow},
		{"log.level", running.Log.Level != next.Log.Level},
		{"log.format", running.Log.Format != next.Log.Format},
		{"shutdown_grace", running.ShutdownGrace != next.ShutdownGrace},
		{"account.dedup_window", running.LongestWindow() < next.LongestWindow()},
	}
	var names []string
	for _, f := range fixed {
		if f.differs {
			names = append(names, f.name)
		}
	}
	return names
}
