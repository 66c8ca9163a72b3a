package egress

// element is what a heap holds. It is told where it lies, so that it can be
// removed from the middle; moved(-1) says that it left.
type element[T any] interface {
	before(T) bool
	moved(to int)
}

// heap is a binary heap with its first element at index 0. It gives memory
// back as it shrinks: a queue that once was long is not long for ever.
type heap[T element[T]] []T

func (h *heap[T]) push(x T) {
	*h = append(*h, x)
	x.moved(len(*h) - 1)
	h.up(len(*h) - 1)
}

// remove takes out the element at i.
func (h *heap[T]) remove(i int) T {
	old := *h
	last := len(old) - 1
	x := old[i]
	h.swap(i, last)
	var none T
	old[last] = none
	*h = old[:last]
	if i < last && !h.down(i) {
		h.up(i)
	}
	if c := cap(old); c > 64 && last < c/4 {
		*h = append(make([]T, 0, c/2), *h...)
	}
	x.moved(-1)
	return x
}

func (h heap[T]) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].moved(i)
	h[j].moved(j)
}

func (h heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h heap[T]) down(i int) (moved bool) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return moved
		}
		if right := child + 1; right < len(h) && h[right].before(h[child]) {
			child = right
		}
		if !h[child].before(h[i]) {
			return moved
		}
		h.swap(i, child)
		i, moved = child, true
	}
}
