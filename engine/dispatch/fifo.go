package dispatch

// fifo is a queue, first in, first out, whose memory follows its length both
// ways: at most about three times what it holds, plus a few elements. The zero
// fifo is empty.
type fifo[T any] struct {
	items []T // the queue is items[head:]
	head  int
}

// slack is how many elements may lie unused before it is worth moving the rest.
const slack = 16

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) push(v T) { q.items = append(q.items, v) }

// pop takes the first element; the queue must not be empty.
func (q *fifo[T]) pop() T {
	var zero T
	v := q.items[q.head]
	q.items[q.head] = zero
	q.head++
	if n := q.len(); q.head >= slack && q.head >= n {
		q.compact(n)
	}
	return v
}

// compact moves the n remaining elements to the front, into a smaller array
// when most of the present one would stay unused. It is called after at least
// n pops, so a pop costs one move on average.
func (q *fifo[T]) compact(n int) {
	rest := q.items[q.head:]
	if cap(q.items) > 3*n+slack {
		q.items = append(make([]T, 0, n), rest...)
	} else {
		copy(q.items, rest)
		clear(q.items[n:])
		q.items = q.items[:n]
	}
	q.head = 0
}
