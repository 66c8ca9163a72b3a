package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// group runs long-runners that stop together.
type group struct {
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	failures chan<- error // shared by all groups; holds more than can ever be sent
}

func newGroup(failures chan<- error) *group {
	g := &group{failures: failures}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

// start runs f until the group is stopped. f fails at most once.
func (g *group) start(name string, f func(context.Context) error) {
	g.wg.Go(func() {
		if err := f(g.ctx); err != nil {
			g.failures <- fmt.Errorf("%s: %w", name, err)
		}
	})
}

// stop ends the members and waits for them.
func (g *group) stop() {
	g.cancel()
	g.wg.Wait()
}

// closers tears down in reverse what was set up.
type closers []func() error

func (c *closers) push(name string, f func() error) {
	*c = append(*c, func() error {
		if err := f(); err != nil && !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("close %s: %w", name, err)
		}
		return nil
	})
}

func (c closers) close() error {
	var errs []error
	for i := len(c) - 1; i >= 0; i-- {
		errs = append(errs, c[i]())
	}
	return errors.Join(errs...)
}
