import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { spooled } from '../../../src/effects/files/outbox.ts'
import { tokenOf } from '../../../src/effects/files/secret.ts'
import { keepNote } from '../../../src/effects/hosts/offline-notes.ts'
import { rememberHost } from '../../../src/effects/hosts/own-host.ts'
import { repository } from '../swarm.ts'

const note = {
  taskId: 7,
  attempt: null,
  note: 'the dough rests',
  level: 'info',
  percent: 40,
  at: '2026-11-26T07:39:48.000Z',
} as const

const clone = ({ isHost = true } = {}): string => {
  const root = repository()
  if (isHost) rememberHost(root, 'second')
  return root
}

const kept = (root: string): readonly unknown[] =>
  spooled(root).flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown),
  )

const as = (agentId: string, token: string) => ({ AISWARM_AGENT_ID: agentId, AISWARM_AGENT_TOKEN: token })

describe('a note of a command that cannot open the board', () => {
  it('is kept with its time for the agent whose token this clone has derived, in any of its runs', () => {
    const root = clone()
    for (const run of [1, 12]) expect(keepNote(root, as('ann', tokenOf(root, 'ann', run)), note)).toBe(true)
    const line = { ...note, agentId: 'ann', id: expect.any(String) as string }
    expect(kept(root)).toEqual([line, line])
  })

  it('is not kept for the token of another agent or clone, and not without a token', () => {
    const root = clone()
    const other = clone()
    for (const token of [tokenOf(root, 'ben', 1), tokenOf(other, 'ann', 1), 'guessed', ''])
      expect(keepNote(root, as('ann', token), note)).toBe(false)
    expect(keepNote(root, {}, note)).toBe(false)
    expect(kept(root)).toEqual([])
  })

  it('is not kept in a clone that has not joined its board as a host', () => {
    const root = clone({ isHost: false })
    expect(keepNote(root, as('ann', tokenOf(root, 'ann', 1)), note)).toBe(false)
  })
})
