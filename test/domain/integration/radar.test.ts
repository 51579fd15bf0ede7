import { describe, expect, it } from 'vitest'
import {
  type Conflict,
  conflictBetween,
  conflictWords,
  type Lander,
  landingOrder,
  opponentsOf,
  reliefFor,
  warningFor,
} from '../../../src/domain/integration/radar.ts'

const lander = (name: string, draft: Partial<Lander> = {}): Lander => ({
  name,
  target: 'main',
  brings: true,
  unfinished: 0,
  uncommitted: 0,
  needs: [],
  ...draft,
})

const conflict = (a: string, b: string, draft: Partial<Conflict> = {}): Conflict => ({
  a,
  b,
  withTarget: b === 'main',
  files: ['x.ts'],
  includesUncommitted: false,
  problem: null,
  ...draft,
})

const orderOf = (landers: readonly Lander[], conflicts: readonly Conflict[] = []): readonly string[] =>
  landingOrder(landers, conflicts).map(({ worktree }) => worktree)

const whyOf = (landers: readonly Lander[], conflicts: readonly Conflict[], name: string): string =>
  landingOrder(landers, conflicts).find(({ worktree }) => worktree === name)!.why

describe('the merge order', () => {
  it('is alphabetical without other criteria', () => {
    expect(orderOf([lander('c'), lander('a'), lander('b')])).toEqual(['a', 'b', 'c'])
  })

  it('leaves out a worktree without changes', () => {
    expect(orderOf([lander('a', { brings: false }), lander('b')])).toEqual(['b'])
  })

  it('starts with the fewest conflicts, counted among the remaining worktrees', () => {
    // A chain: after the merge of a, b conflicts only with one worktree, like d.
    const conflicts = [conflict('a', 'b'), conflict('b', 'c'), conflict('c', 'd')]
    expect(orderOf([lander('d'), lander('c'), lander('b'), lander('a')], conflicts)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('puts worktrees that merge with the target first, and finished ones before unfinished ones', () => {
    expect(
      orderOf(
        [lander('a'), lander('b', { unfinished: 2 }), lander('c', { uncommitted: 1 }), lander('d')],
        [conflict('a', 'main'), conflict('d', 'e')],
      ),
    ).toEqual(['d', 'b', 'c', 'a'])
  })

  it('puts a worktree after the worktrees that its tasks depend on, however few conflicts it has', () => {
    const landers = [lander('a', { needs: ['z'] }), lander('b'), lander('z', { unfinished: 1 })]
    expect(orderOf(landers, [conflict('b', 'z')])).toEqual(['b', 'z', 'a'])
    expect(whyOf(landers, [], 'a')).toBe('merges without conflict; its tasks depend on z')
  })

  it('does not wait for a worktree without changes or for a missing one', () => {
    expect(orderOf([lander('a', { needs: ['gone', 'idle'] }), lander('b'), lander('idle', { brings: false })])).toEqual(
      ['a', 'b'],
    )
  })

  it('reports tasks of worktrees that wait for each other', () => {
    const landers = [lander('a', { needs: ['b'] }), lander('b', { needs: ['c'] }), lander('c', { needs: ['a'] })]
    expect(orderOf(landers)).toEqual(['a', 'c', 'b'])
    expect(whyOf(landers, [], 'a')).toContain('its tasks and those of b depend on each other')
  })

  it('gives its reasons', () => {
    const conflicts = [conflict('a', 'b'), conflict('a', 'main')]
    expect(whyOf([lander('a', { unfinished: 1 }), lander('b')], conflicts, 'b')).toBe('conflicts with a after it')
    expect(whyOf([lander('a', { unfinished: 1, uncommitted: 3 }), lander('b')], conflicts, 'a')).toBe(
      'conflicts with main, which must be merged into it first; one task is unfinished; 3 files are uncommitted',
    )
  })

  it('is found for 50 worktrees that all conflict', () => {
    const names = Array.from({ length: 50 }, (_, n) => `w${String(n).padStart(2, '0')}`)
    const conflicts = names.flatMap((a, at) => names.slice(at + 1).map((b) => conflict(a, b)))
    expect(
      orderOf(
        names.map((name) => lander(name)),
        conflicts,
      ),
    ).toEqual(names)
  })
})

describe('the words for a conflict', () => {
  const conflicts = [
    conflict('auth', 'pay', { files: ['a', 'b', 'c', 'd', 'e'] }),
    conflict('auth', 'main', { includesUncommitted: true }),
    conflict('auth', 'odd', { files: [], problem: 'they have no commit in common' }),
  ]

  it('name the target first, then the others, from either side', () => {
    expect(opponentsOf(conflicts, 'auth').map(({ name }) => name)).toEqual(['main', 'odd', 'pay'])
    expect(opponentsOf(conflicts, 'pay').map(({ name }) => name)).toEqual(['auth'])
    // A worktree may have the name of the target.
    expect(opponentsOf(conflicts, 'main')).toEqual([])
  })

  it('name a few files, uncommitted changes, and worktrees that cannot be compared', () => {
    expect(opponentsOf(conflicts, 'auth').map(conflictWords)).toEqual([
      'conflicts with main in x.ts, including uncommitted changes',
      'cannot be merged with odd: they have no commit in common',
      'conflicts with pay in a, b, c and 2 more',
    ])
  })

  it('instruct an agent, and say when the conflict is resolved', () => {
    const [target, , pay] = opponentsOf(conflicts, 'auth')
    expect(warningFor(target!)).toBe(
      'This worktree conflicts with main in x.ts, including uncommitted changes. Merge main into it before its integration.',
    )
    expect(warningFor(pay!)).toBe(
      'This worktree conflicts with pay in a, b, c and 2 more. The one that is merged second must resolve it.',
    )
    expect(reliefFor('pay', false)).toBe('This worktree no longer conflicts with pay.')
    expect(reliefFor('pay', true)).toBe('Worktree pay, which conflicted with this one, is gone.')
  })

  it('are found for a pair in either order, and separately for a target of the same name', () => {
    expect(conflictBetween(conflicts, 'pay', 'auth', false)?.files).toHaveLength(5)
    expect(conflictBetween(conflicts, 'auth', 'main', false)).toBeUndefined()
    expect(conflictBetween(conflicts, 'auth', 'main', true)?.files).toEqual(['x.ts'])
  })
})
