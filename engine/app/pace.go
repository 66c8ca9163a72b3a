package app

import (
	"bot/engine/egress"
	"bot/engine/metrics"
)

// paceGauges tells of each account how far its platform has slowed it down.
func (a *App) paceGauges() {
	a.metrics.AccountGauges([]metrics.Gauge{
		{Name: "account_pace_ratio", Help: "Share of its usual pace that the account may send at; below 1 after its platform throttled it."},
		{Name: "account_pace_state", Help: "How the account stands with its platform: 0 free, 1 slowed down, 2 asked to wait, 3 one probe at a time."},
	}, func() map[string][]float64 {
		paces := a.egress.Paces()
		all := make(map[string][]float64, len(paces))
		for name, p := range paces {
			all[name] = []float64{p.Pace, paceStates[p.State]}
		}
		return all
	})
}

var paceStates = map[egress.PaceState]float64{
	egress.PaceFree: 0, egress.PaceSlowed: 1, egress.PaceWaiting: 2, egress.PaceProbing: 3,
}
