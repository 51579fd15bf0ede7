import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/claude.ts'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { outputPath } from '../../../src/effects/files/places.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { type Entry, entryOf, sealed } from '../../../src/effects/talk/entry.ts'
import { journalKey, journalOf, journalPath, PROMPT, uuidOf } from '../../../src/effects/talk/journal.ts'
import { Talks } from '../../../src/effects/talk/talks.ts'
import type { World } from '../../../src/effects/world.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn-agent.ts'
import type { Core } from '../../../src/operations/door/core.ts'
import { perform } from '../../../src/operations/door/perform.ts'
import type { AgentRun } from '../../../src/operations/loops/read-wishes.ts'
import { readWishes } from '../../../src/operations/loops/read-wishes.ts'
import { recordLaunch } from '../../../src/operations/loops/record-launch.ts'
import { settleRun } from '../../../src/operations/loops/settle-run.ts'
import { listMessages } from '../../../src/operations/messages/list-messages.ts'
import { say, stopTurn } from '../../../src/operations/messages/say.ts'
import { answerRequest } from '../../../src/operations/requests/answer-request.ts'
import { listRequests } from '../../../src/operations/requests/list-requests.ts'
import { openCore } from '../../support/core.ts'
import { dose } from '../../support/dose.ts'

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
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
)

/** An agent and its relay in this process: it takes in whole sealed lines, each id once, as the relay forwards them. */
const agentOf = (core: Core, run: AgentRun) => {
  const key = journalKey(core, run)
  const output = outputPath(core.root, run.agentId)
  const said = new Set<string>()
  const waiting: { uuid: string; text: string }[] = []
  const asked = new Set<string>()
  let calls = 0
  let busy = false
  const state = { heard: [] as string[], answers: new Map<string, number>(), over: false }
  const print = (message: unknown): void => appendFileSync(output, `${JSON.stringify(message)}\n`)
  const lineOf = (line: string): void => {
    const message = JSON.parse(line) as {
      type: string
      uuid: string
      message: { content: { text: string }[] }
      request_id: string
      response: { request_id: string }
    }
    if (message.type === 'user') waiting.push({ uuid: message.uuid, text: message.message.content[0]!.text })
    if (message.type === 'control_response') {
      const call = message.response.request_id
      state.answers.set(call, (state.answers.get(call) ?? 0) + 1)
      asked.delete(call)
    }
    if (message.type === 'control_request') {
      print({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id } })
      for (const call of asked) print({ type: 'control_cancel_request', request_id: call })
      asked.clear()
      if (busy) print({ type: 'result', subtype: 'error_during_execution' })
      busy = false
    }
  }
  /** The relay forwards what is whole. */
  const relay = (): void => {
    const lines = readFileSync(journalPath(core.root, run), 'utf8').split('\n').slice(0, -1)
    for (const entry of lines.flatMap((line) => entryOf(key, line) ?? [])) {
      if (said.has(entry.id) || state.over) continue
      said.add(entry.id)
      if (entry.line === undefined) state.over = true
      else lineOf(entry.line)
    }
  }
  const takeIn = (): void => {
    for (const { uuid, text } of waiting.splice(0)) {
      state.heard.push(text)
      busy = true
      print({ type: 'user', uuid, isReplay: true })
    }
  }
  const acts = {
    take: takeIn,
    ask: () => {
      if (!busy) return
      const call = `call-${calls++}`
      asked.add(call)
      print({
        type: 'control_request',
        request_id: call,
        request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: call } },
      })
      return call
    },
    'ask twice': () => {
      const call = acts.ask()
      if (call !== undefined)
        print({
          type: 'control_request',
          request_id: call,
          request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: call } },
        })
    },
    end: () => {
      if (!busy || asked.size > 0) return
      print({ type: 'result', subtype: 'success', result: 'done' })
      busy = false
    },
  }
  return {
    state,
    relay,
    act: (act: keyof typeof acts): void => {
      relay()
      if (!state.over || waiting.length > 0) acts[act]()
    },
  }
}

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

const play = async (history: readonly (typeof steps extends fc.Arbitrary<infer T> ? T : never)[number][]) => {
  const opened = await openCore()
  const core: Core = { ...opened.core, speech: () => 'inject' }
  await opened.task()
  const { id: agentId } = await perform(
    core,
    spawnAgent,
    { personaId: 'implementer', kind: 'claude', taskId: 1 },
    person,
  )
  const launched = { agentId, run: 1, pid: process.pid, startedAt: '1', bootId: 'here', startsTask: false, talks: true }
  await perform(core, recordLaunch, launched, system())
  const run = (await perform(core, readWishes, {}, system())).runs[0]!
  for (const path of [journalPath(core.root, run), outputPath(core.root, agentId)]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  }
  const line = claude.talk!.say(uuidOf(core, run, PROMPT), 'the prompt', false)
  writeFileSync(journalPath(core.root, run), journalOf(core, run, [{ id: PROMPT, line }]))
  const agent = agentOf(core, run)
  // Named as a process that is dead by now: what a killed console holds is taken over at once.
  const holder = (name: number): string => [process.pid, '1', identify(process.pid)!.bootId, name].join('~')
  const talks = [new Talks(), new Talks()]
  const worldOf = (name: number, of: Core): World =>
    ({ core: of, actor: system(), holder: holder(name), kinds: new Map([['claude', claude]]) }) as unknown as World
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
    if (step.do === 'agent') agent.act(step.act)
  }
  agent.relay()
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
    ...agent.state,
  }
}

it('a message ends as seen or refused, and no message or answer reaches its agent twice, whatever dies and when', async () => {
  const seen = { seen: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { messages, requests, heard, answers } = await play(history)
      for (const message of messages) {
        const times = heard.filter((text) => text.endsWith(`\n\n${message.text}`)).length
        expect([message.status, times <= 1]).toEqual([message.status, true])
        expect(['seen', 'refused']).toContain(message.status)
        // Everything that the agent has repeated was read before its end was recorded.
        expect([message.text, times]).toEqual([message.text, message.status === 'seen' ? 1 : 0])
        seen[message.status as keyof typeof seen] += 1
      }
      expect(heard.filter((text) => text === 'the prompt').length).toBeLessThanOrEqual(1)
      expect([...answers.values()].every((times) => times === 1)).toBe(true)
      // Each question is one request, and none stays open.
      expect(new Set(requests.map(({ subject }) => subject)).size).toBe(requests.length)
      expect(requests.filter(({ status }) => status === 'open')).toEqual([])
    }),
    { numRuns: dose(500, 40) },
  )
  // The histories reach both ends.
  expect([seen.seen > 0, seen.refused > 0]).toEqual([true, true])
})
