import { describe, expect, test } from 'vitest'
import { saveWatchedCheckout } from '../../../src/db/repository.ts'
import { below, person, system } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readWatched } from '../../../src/operations/integration/drift.ts'
import { recordPutBack, recordTarget } from '../../../src/operations/integration/drift-detection.ts'
import { openTerminal } from '../terminal.ts'

type Terminal = Awaited<ReturnType<typeof openTerminal>>

const [from, to] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string]

const move = async ({ core }: Terminal): Promise<void> => {
  const about = {
    target: 'main',
    times: [core.clock()],
    launching: ['implementer-1'],
    commits: { added: 1, dropped: 0, newest: ['bbbbbbbb Agent \u001b[2J (Ada)'] },
  }
  await perform(core, recordTarget, { ...about, found: from }, system())
  await perform(core, recordTarget, { ...about, before: from, found: to }, system())
}

const change = async ({ core }: Terminal): Promise<void> => {
  const changes = JSON.stringify([{ path: 'README.md', before: '', after: ' M 1' }])
  await core.store.write((db) =>
    saveWatchedCheckout(db, {
      files: '{}',
      looked_at: core.clock(),
      changes,
      agents: '["implementer-1"]',
      changed_at: core.clock(),
    }),
  )
}

const watched = ({ core }: Terminal) => perform(core, readWatched, {}, person)
const typed = (...answers: string[]) => ({ stdinIsTerminal: true, ask: () => Promise.resolve(answers.shift() ?? '') })

describe('the command target', () => {
  test('show prints the moved target to any caller, and nothing about other branches', async () => {
    const terminal = await openTerminal({
      outside: { readMove: () => Promise.resolve({ text: '+evil \u001b[2J\n', complete: true }) },
    })
    expect((await terminal.run('target', 'show')).out).toContain(
      'No target branch has moved since aiswarm or a person last set it.',
    )
    await move(terminal)
    const { out } = await terminal.run('target', 'show', 'main')
    for (const part of [
      'main moved from aaaaaaaa to bbbbbbbb',
      'had just ended: implementer-1.',
      'Commits: 1 commit added',
      '+evil',
    ])
      expect(out).toContain(part)
    expect(out).not.toContain('\u001b')
    expect(await terminal.json('target', 'show')).toMatchObject({ moves: [{ target: 'main', from, to }] })
    expect((await terminal.refused('target', 'show', 'other')).code).toBe('not_found')
  })

  test.each([['accept'], ['put-back']])('%s requires a terminal, a login and the name of the branch', async (verb) => {
    const closed = await openTerminal()
    await move(closed)
    expect((await closed.refused('target', verb, 'main')).code).toBe('needs_terminal')
    const foreign = await openTerminal({
      outside: { whyNoLogin: () => Promise.resolve('its terminal is new') },
      streams: typed('main'),
    })
    await move(foreign)
    expect((await foreign.refused('target', verb, 'main')).message).toContain('its terminal is new')
    const other = await openTerminal({ streams: typed('yes') })
    await move(other)
    expect((await other.refused('target', verb, 'main')).message).toBe("'main' was not typed, so nothing was done.")
    for (const terminal of [closed, foreign, other])
      expect((await watched(terminal)).moves).toMatchObject([{ putBackAt: null }])
  })

  test.each([
    ['accept', 'accept a moved target'],
    ['put-back', 'put a target back'],
  ])('%s is refused to an agent', async (verb, what) => {
    const terminal = await openTerminal({ actor: below('agent backend-1'), streams: typed('main') })
    await move(terminal)
    expect((await terminal.refused('target', verb, 'main')).message).toBe(
      `Agent backend-1 may not ${what}; only a person may do it.`,
    )
  })

  test('accept records the commit, and put-back moves the branch back', async () => {
    const accepting = await openTerminal({ streams: typed('main') })
    await move(accepting)
    expect((await accepting.run('target', 'accept', 'main')).out).toContain('main is accepted at bbbbbbbb.')
    expect((await watched(accepting)).targets).toMatchObject([{ known: to }])
    const terminal: Terminal = await openTerminal({
      streams: typed('main'),
      outside: {
        carryOut: async () =>
          void (await perform(
            terminal.core,
            recordPutBack,
            { target: 'main', outcome: { kind: 'done', archiveRef: null } },
            system(),
          )),
      },
    })
    await move(terminal)
    expect((await terminal.run('target', 'put-back', 'main')).out).toContain('main is back at aaaaaaaa')
    expect((await terminal.refused('target', 'put-back', 'main')).message).toContain(
      'there is nothing to accept or put back',
    )
  })
})

test('the command checkout shows and accepts the changes', async () => {
  const terminal = await openTerminal({ streams: typed('no', 'accept') })
  expect((await terminal.run('checkout', 'show')).out).toContain('No changes in the main checkout need you.')
  await change(terminal)
  expect((await terminal.run('checkout', 'show')).out).toContain('README.md edited')
  expect((await terminal.refused('checkout', 'accept')).message).toContain("'accept' was not typed")
  expect((await terminal.run('checkout', 'accept')).out).toContain('These changes are accepted.')
  expect((await watched(terminal)).checkout).toBeNull()
  const agent = await openTerminal({ actor: below('agent backend-1'), streams: typed('accept') })
  await change(agent)
  expect((await agent.refused('checkout', 'accept')).message).toContain('only a person may do it')
})
