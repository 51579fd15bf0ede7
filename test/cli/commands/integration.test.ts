import { describe, expect, test } from 'vitest'
import { below, system } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { recordGuard } from '../../../src/operations/integration/configuration-drift.ts'
import { openTerminal, type Terminal } from '../terminal.ts'

const change = async ({ core }: Terminal): Promise<void> => {
  await perform(core, recordGuard, { found: { hash: 'before', entries: {} }, lines: [] }, system())
  await perform(
    core,
    recordGuard,
    { found: { hash: 'after', entries: {} }, lines: ['+ config merge.evil.driver = \u001b[2Jx'] },
    system(),
  )
}

describe('worktree trust', () => {
  test('reports that nothing has changed', async () => {
    const terminal = await openTerminal()
    await perform(terminal.core, recordGuard, { found: { hash: 'before', entries: {} }, lines: [] }, system())
    expect(await terminal.json('worktree', 'trust')).toEqual({ trusted: true, changes: [] })
    expect((await terminal.run('worktree', 'trust')).out).toContain('have not changed since aiswarm first read them')
  })

  test('requires a terminal, and names the changed configuration', async () => {
    const terminal = await openTerminal()
    await change(terminal)
    const { exit, code, message } = await terminal.refused('worktree', 'trust')
    expect([exit, code]).toEqual([1, 'needs_terminal'])
    expect(message).toContain("It has 1 changed lines; the first is '+ config merge.evil.driver")
  })

  test('shows the changed lines, and accepts them only by a typed word', async () => {
    const asked: string[] = []
    const answers = ['yes', 'accept']
    const terminal = await openTerminal({
      streams: {
        stdinIsTerminal: true,
        ask: (question) => {
          asked.push(question)
          return Promise.resolve(answers.shift()!)
        },
      },
    })
    await change(terminal)
    const first = await terminal.run('worktree', 'trust')
    expect([first.code, first.err]).toEqual([
      1,
      expect.stringContaining("'accept' was not typed, so nothing was done."),
    ])
    expect(first.out).toContain('merge.evil.driver')
    expect(first.out).not.toContain('\u001b')
    expect((await terminal.run('worktree', 'trust')).out).toContain('The configuration is accepted')
    expect(asked).toHaveLength(2)
    expect(await terminal.json('worktree', 'trust')).toMatchObject({ trusted: true, changes: [] })
  })

  test('finds the changes in the clone of another host, and accepts them there', async () => {
    const terminal = await openTerminal({ streams: { stdinIsTerminal: true, ask: () => Promise.resolve('accept') } })
    const { secret } = await perform(terminal.core, makeJoinCode, {}, system())
    await perform(
      terminal.core,
      joinHost,
      { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' },
      system(),
    )
    await perform(terminal.core, recordGuard, { found: { hash: 'before', entries: {} }, lines: [] }, system())
    expect((await terminal.refused('worktree', 'trust', '--host', 'b')).message).toBe(
      'Nothing is known of the clone on host b: no worker has run there yet.',
    )
    for (const hash of ['before', 'after'])
      await perform(
        terminal.core,
        recordGuard,
        { found: { hash, entries: {} }, lines: ['+ hooks/pre-commit:'], host: 'b' },
        system(),
      )
    const { out } = await terminal.run('worktree', 'trust')
    expect(out).toContain('The configuration of the clone on host b has changed')
    expect(out).toContain('The configuration of the clone on host b is accepted.')
    expect(await terminal.json('worktree', 'trust', '--host', 'b')).toEqual({ trusted: true, changes: [] })
  })

  test('refuses a terminal that was opened after the agents started', async () => {
    const terminal = await openTerminal({
      outside: { whyNoLogin: () => Promise.resolve('its terminal is new') },
      streams: { stdinIsTerminal: true },
    })
    await change(terminal)
    expect(await terminal.refused('worktree', 'trust')).toMatchObject({
      code: 'needs_terminal',
      message:
        "Accepting a changed configuration needs a person at their own terminal: its terminal is new. Use a terminal that was open before the agents started, or the console ('aiswarm').",
    })
  })

  test.each([
    ['by its environment', { environment: { AISWARM_AGENT_ID: 'backend-1' } }],
    ['by its ancestors', { actor: below('agent backend-1') }],
  ])('refuses an agent, which is known %s', async (_, given) => {
    const terminal = await openTerminal({ ...given, streams: { stdinIsTerminal: true } })
    await change(terminal)
    expect((await terminal.refused('worktree', 'trust')).message).toBe(
      'Agent backend-1 may not accept a changed configuration; only a person may do it.',
    )
  })
})

test('worktree undo reports that there is nothing to undo', async () => {
  const terminal = await openTerminal()
  expect(await terminal.refused('worktree', 'undo')).toMatchObject({
    exit: 1,
    code: 'invalid_state',
    message: 'Nothing was integrated yet; there is nothing to undo.',
  })
  expect(await terminal.refused('worktree', 'undo', 'nobody')).toMatchObject({ exit: 1, code: 'not_found' })
})
