import { describe, expect, it } from 'vitest'
import { whyNotBefore } from '../../../src/effects/opening/ancestry.ts'
import type { ProcessEntry } from '../../../src/effects/processes/table.ts'

const entry = (pid: number, parent: number, session: number, startedAt: number, terminal = true): ProcessEntry => ({
  pid,
  parent,
  session,
  startedAt: String(startedAt),
  terminal,
  zombie: false,
  seconds: 0,
  memory: 0,
})
const names: Readonly<Record<number, string>> = { 1: 'systemd', 2: 'systemd', 10: 'sshd' }
const why = (processes: readonly ProcessEntry[], begun: readonly number[] = [500]) =>
  whyNotBefore(99, processes, begun, (pid) => names[pid] ?? 'sh')
const init = entry(1, 0, 1, 1, false)

describe("a person's login is proven", () => {
  it.each([
    [
      'by a server that was there before the agents',
      [init, entry(10, 1, 10, 100, false), entry(50, 10, 50, 900), entry(99, 50, 50, 950)],
    ],
    ['in a shell that was there before the agents', [init, entry(50, 1, 50, 100), entry(99, 50, 50, 950)]],
    ['from outside of a container', [init, entry(50, 0, 50, 900), entry(99, 50, 50, 950)]],
    ['as the first process of a container', [entry(1, 0, 1, 1), entry(99, 1, 1, 950)]],
  ])('%s', (_, processes) => expect(why(processes)).toBeUndefined())

  it.each([
    ['has lost its parents', [init, entry(40, 1, 40, 900, false), entry(50, 40, 50, 901), entry(99, 50, 50, 950)]],
    ['has a parent that cannot be looked up', [init, entry(50, 77, 50, 901), entry(99, 50, 50, 950)]],
    [
      "was adopted by the manager of the user's services",
      [init, entry(2, 1, 2, 50, false), entry(40, 2, 40, 900, false), entry(50, 40, 50, 901), entry(99, 50, 50, 950)],
    ],
  ])('except where a terminal %s', (_, processes) => {
    expect(why(processes)).toContain('opened while agents were running')
    expect(why(processes, [])).toBeUndefined()
  })

  it('except without a controlling terminal', () =>
    expect(why([init, entry(50, 1, 50, 100, false), entry(99, 50, 50, 950, false)])).toBe(
      'it has no controlling terminal',
    ))
})
