import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { type Entry, sealed } from '../../../src/effects/talk/journal-entry.ts'
import { journalKey, journalOf, journalPath, PROMPT, uuidOf } from '../../../src/effects/talk/journal.ts'
import { Talks } from '../../../src/effects/talk/talks.ts'
import type { World } from '../../../src/effects/world.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { listMessages } from '../../../src/operations/messages/inbox.ts'
import { say, stopTurn } from '../../../src/operations/messages/say.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import { openCore } from '../../support/core.ts'
import { dose } from '../../support/dose.ts'
import { acp, acpThatDrains } from './agents/acp.ts'
import { beginning, kindOf, type Protocol, relayed } from './agents/agent.ts'
import { codexAppServer } from './agents/app-server.ts'
import { streamJson } from './agents/stream-json.ts'

/** A step of a history; numbers choose among what there is. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('now', 'turn').map((when) => ({ do: 'say', when }) as const) },
    { weight: 1, arbitrary: fc.constant({ do: 'stop' } as const) },
    { weight: 2, arbitrary: fc.boolean().map((allow) => ({ do: 'answer', allow }) as const) },
    // A console sends whatever is due; it may be another one, or one that dies at its Nth write, before or after it.
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('pump' as const),
        console: fc.nat(1),
        dies: fc.option(fc.tuple(fc.nat(5), fc.boolean())),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'both' } as const) },
    { weight: 1, arbitrary: fc.nat(150).map((length) => ({ do: 'half', length }) as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom('take', 'ask', 'ask twice', 'end').map((act) => ({ do: 'agent', act }) as const),
    },
    // Rarely: nothing happens after it.
    { weight: 1, arbitrary: fc.nat(5).map((n) => (n === 0 ? { do: 'die' as const } : { do: 'both' as const })) },
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
)

/** A store that fails at its Nth write from now on: before it, or after it was committed. */
const dying = (core: Core, at: number, after: boolean): Core => {
  let left = at
  const store = Object.create(core.store, {
    write: {
      value: async (...args: Parameters<Core['store']['write']>) => {
        const now = left--
        if (now < 0 || (now === 0 && !after)) throw new Error('killed')
        const result = await core.store.write(...args)
        if (now === 0) throw new Error('killed')
        return result
      },
    },
  }) as Core['store']
  return { ...core, store }
}

type History = typeof steps extends fc.Arbitrary<infer T> ? T : never

const play = async (protocol: Protocol, history: History) => {
  const opened = await openCore()
  const core: Core = { ...opened.core, kinds: [protocol.kind], speech: () => 'inject' }
  await opened.task()
  const { id: agentId } = await perform(
    core,
    spawnAgent,
    { personaId: 'implementer', kind: protocol.kind, taskId: 1 },
    person,
  )
  const launched = { agentId, run: 1, pid: process.pid, startedAt: '1', bootId: 'here', startsTask: false, talks: true }
  await perform(core, recordLaunch, launched, system())
  const run = (await perform(core, readWishes, {}, system())).runs[0]!
  for (const path of [journalPath(core.root, run), outputPath(core.root, agentId)]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  }
  const first = beginning(protocol, PROMPT, uuidOf(core, run, PROMPT))
  writeFileSync(journalPath(core.root, run), journalOf(core, run, first))
  const { agent, relay, act, die } = relayed(protocol, core, run)
  // Named as a process that is dead by now: what a killed console holds is taken over at once.
  const holder = (name: number): string => [process.pid, '1', identify(process.pid)!.bootId, name].join('~')
  const talks = [new Talks(), new Talks()]
  const worldOf = (name: number, of: Core): World =>
    ({ core: of, actor: system(), holder: holder(name), kinds: kindOf(protocol) }) as unknown as World
  const pump = (name: number, of: Core = core) => talks[name]!.pump(worldOf(name, of), run)
  let texts = 0
  for (const step of history) {
    if (step.do === 'say')
      await perform(core, say, { agentIds: [agentId], text: `text ${texts++}`, when: step.when }, person)
    if (step.do === 'stop') await perform(core, stopTurn, { agentId }, person)
    if (step.do === 'answer') {
      const [request] = await perform(core, listRequests, {}, person)
      if (request)
        await perform(core, answerRequest, { requestId: request.id, verdict: step.allow ? 'allow' : 'deny' }, person)
    }
    if (step.do === 'pump' && step.dies === null) await pump(step.console)
    if (step.do === 'pump' && step.dies !== null) {
      await pump(step.console, dying(core, ...step.dies)).catch(() => {})
      talks[step.console] = new Talks()
    }
    // At once, and each may take over from the other in the middle.
    if (step.do === 'both') await Promise.allSettled([pump(0), pump(1)])
    if (step.do === 'half') {
      const whole = sealed(journalKey(core, run), { id: `say:${texts + 1}`, line: 'never whole' } satisfies Entry)
      appendFileSync(journalPath(core.root, run), whole.slice(0, Math.min(step.length, whole.length - 2)))
    }
    if (step.do === 'agent') act(step.act)
    if (step.do === 'die') die()
  }
  relay()
  await talks[0]!.finish(worldOf(0, core), run)
  await perform(
    core,
    settleRun,
    { agentId, run: 1, exitCode: 0, verdict: { kind: 'failed', error: 'it ends here' } },
    system(),
  )
  return {
    messages: (await perform(core, listMessages, {}, person)).filter(({ kind }) => kind === 'say'),
    requests: await perform(core, listRequests, { all: true }, person),
    heard: agent.heard,
    answers: agent.answers,
  }
}

describe.each([
  ['stream-json', streamJson],
  ['ACP', acp],
  ['ACP, asked for words in the middle of a turn,', acpThatDrains],
  ['app-server', codexAppServer],
] as const)('over %s', (_, protocol) => {
  it('a message ends as seen or refused, and no message or answer reaches its agent twice, whatever dies and when', async () => {
    const ends = { seen: 0, refused: 0, answered: 0 }
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const { messages, requests, heard, answers } = await play(protocol, history)
        for (const message of messages) {
          const times = heard.filter((text) => text.endsWith(`\n\n${message.text}`)).length
          expect([message.status, times <= 1]).toEqual([message.status, true])
          expect(['seen', 'refused']).toContain(message.status)
          // Everything that the agent has repeated was read before its end was recorded.
          expect([message.text, times]).toEqual([message.text, message.status === 'seen' ? 1 : 0])
          ends[message.status as 'seen' | 'refused'] += 1
        }
        expect(heard.filter((text) => text === 'the prompt').length).toBeLessThanOrEqual(1)
        expect([...answers.values()].every((times) => times === 1)).toBe(true)
        ends.answered += answers.size
        // Each question is one request, and none stays open.
        expect(new Set(requests.map(({ subject }) => subject)).size).toBe(requests.length)
        expect(requests.filter(({ status }) => status === 'open')).toEqual([])
      }),
      { numRuns: dose(500, 40) },
    )
    // The histories reach every end.
    expect(Object.entries(ends).filter(([, times]) => times === 0)).toEqual([])
  })
})
