import { describe, expect, it } from 'vitest'
import { choosePlace, type Place } from '../../../src/operations/hosts/placement.ts'

const place = (id: string, differs: Partial<Place> = {}): Place => ({
  ...{
    id,
    name: id,
    root: `/${id}`,
    labels: [],
    kinds: null,
    running: 0,
    most: 4,
    closed: undefined,
    isLost: false,
    cannotPush: false,
    asleep: () => undefined,
  },
  ...differs,
})

const chosen = (places: readonly Place[], worktree: string, kind?: string) =>
  choosePlace(places, { worktree, kind })?.id

describe('the host of a new worktree', () => {
  it('is the one with the most free places', () => {
    expect(chosen([place('a', { running: 2 }), place('b', { running: 1 }), place('c', { most: 2 })], 'w')).toBe('b')
    expect(chosen([place('a', { running: 4 }), place('b', { closed: 'drained' })], 'w')).toBe(undefined)
  })

  it('has the kind of the agent, or its kinds are unknown', () => {
    const places = [place('a', { kinds: ['claude'] }), place('b', { kinds: ['claude', 'codex'], running: 3 })]
    expect(chosen(places, 'w', 'codex')).toBe('b')
    expect(chosen(places, 'w', 'claude')).toBe('a')
    expect(chosen(places, 'w', 'qwen')).toBe(undefined)
    expect(chosen([...places, place('c', { running: 3 })], 'w', 'qwen')).toBe('c')
  })

  it('is always the same among equals, whatever their order, and differs from worktree to worktree', () => {
    const places = ['a', 'b', 'c'].map((id) => place(id))
    const names = Array.from({ length: 60 }, (_, n) => `worktree-${n}`)
    const by = (order: readonly Place[]) => names.map((name) => chosen(order, name))
    expect(by([...places].reverse())).toEqual(by(places))
    // A host that leaves moves only the worktrees that it would have had.
    by(places).forEach((host, n) => {
      if (host !== 'c') expect(chosen(places.slice(0, 2), names[n]!)).toBe(host)
    })
    for (const { id } of places) expect(by(places).filter((host) => host === id).length).toBeGreaterThan(5)
  })
})
