import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plain } from '../../../src/agents/custom.ts'
import { acpTalk, type Differences, openingOf } from '../../../src/agents/acp/conversation.ts'
import type { Heard } from '../../../src/agents/kind/conversation.ts'
import { startDetached } from '../../../src/effects/processes/process.ts'
import { readPid } from '../../../src/effects/processes/shim.ts'
import { sessionRuns } from '../../../src/effects/processes/table.ts'
import { RELAY, sealed } from '../../../src/effects/talk/journal-entry.ts'
import { temporaryFolder } from '../../support/core.ts'
import { endProcess } from '../../support/processes.ts'
import { until } from '../swarm.ts'

const program = resolve(import.meta.dirname, '../../../dist/main.js')
const agent = resolve(import.meta.dirname, '../../fixtures/acp-agent.mjs')
const key = 'a key that only aiswarm knows'

interface Stage {
  readonly options?: object
  readonly differences?: Partial<Differences>
  readonly load?: string
  readonly strict?: boolean
  /** How long it may take to open (ms). */
  readonly opening?: number
}

/** A relay with the driver of ACP and an agent on the official SDK, without any console. */
const conversation = async (
  turns: readonly (readonly object[])[],
  { options = {}, differences = {}, load, strict = true, opening = 60_000 }: Stage = {},
) => {
  const of = { ...plain, patience: 300, ...differences }
  const talk = acpTalk(of)
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('turns.json'), JSON.stringify(turns))
  writeFileSync(at('options.json'), JSON.stringify(options))
  const write = (id: string, line?: string): void =>
    appendFileSync(at('journal'), sealed(key, line === undefined ? { id } : { id, line }))
  write('open', openingOf(of, { folder, resume: load ?? null }, { mcpServers: [], modes: of.modes, strict }))
  write('prompt', talk.say('prompt', 'the prompt', false))
  await startDetached({
    argv: [
      process.execPath,
      program,
      RELAY,
      at('journal'),
      'acp',
      '300',
      String(opening),
      process.execPath,
      agent,
      folder,
    ],
    cwd: folder,
    environment: { PATH: process.env['PATH'] ?? '' },
    stdin: null,
    output: at('output'),
    pidFile: at('pid'),
    exitFile: at('exit'),
    seal: 'seal',
    journalKey: key,
  })
  const pid = await until('the shim', () => readPid(at('pid')))
  onTestFinished(() => endProcess(-pid))
  const output = (): string => (existsSync(at('output')) ? readFileSync(at('output'), 'utf8') : '')
  /** The news for a console that begins to read now. */
  const heard = (): readonly Heard[] => {
    const listen = talk.listen()
    return output().split('\n').slice(0, -1).flatMap(listen)
  }
  const told = (): readonly unknown[] =>
    existsSync(at('heard.jsonl'))
      ? readFileSync(at('heard.jsonl'), 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as unknown)
      : []
  const hears = <T extends Heard>(what: string, is: (one: Heard) => one is T): Promise<T> =>
    until(what, () => heard().find(is))
  return {
    pid,
    talk,
    write,
    output,
    heard,
    told,
    file: (name: string): void => writeFileSync(at(name), ''),
    say: (id: string, text: string, now = true): void => write(id, talk.say(id, text, now)),
    asked: () => hears('a question', (one): one is Heard & { kind: 'asks' } => one.kind === 'asks'),
    ended: (times = 1) =>
      until(
        `the end of turn ${times}`,
        () => heard().filter(({ kind }) => kind === 'idle').length >= times || undefined,
      ),
    tells: (what: unknown) =>
      until(
        JSON.stringify(what),
        () => told().some((one) => JSON.stringify(one) === JSON.stringify(what)) || undefined,
      ),
    exit: (): Promise<string> =>
      // The shim creates the file before it writes the line.
      until('the end', () => {
        const line = existsSync(at('exit')) ? readFileSync(at('exit'), 'utf8') : ''
        return line.endsWith('\n') ? line : undefined
      }),
  }
}

const command = { title: 'npm test', kind: 'execute', rawInput: { command: 'npm test' } }
const selected = (kind: string) => ({ outcome: { outcome: 'selected', optionId: `the-${kind}` } })

describe('a conversation by the Agent Client Protocol', () => {
  it('opens in a mode that asks, begins with the prompt, and ends at the end of the journal', async () => {
    const one = await conversation([[{ say: 'hello' }]])
    await one.ended()
    one.write('end')
    expect(await one.exit()).toBe('0 seal\n')
    expect(one.told()).toEqual([{ mode: 'default' }, 'the prompt'])
    expect(one.heard()).toEqual([{ kind: 'busy' }, { kind: 'seen', id: 'prompt' }, { kind: 'idle' }])
    expect(one.output()).toContain('{"aiswarm":{"is":"session","id":"session-1"}}')
  })

  it('loads an earlier session without telling its replay again', async () => {
    const one = await conversation([[{ say: 'hello' }]], { load: 'session-1' })
    await one.ended()
    expect(one.told()).toEqual([{ loaded: 'session-1' }, { mode: 'default' }, 'the prompt'])
    expect(one.output()).not.toContain('said in an earlier run')
  })

  it('ends with exit code 1 if the session is lost', async () => {
    const one = await conversation([], { load: 'session-0', options: { lost: true } })
    expect(await one.exit()).toBe('1 seal\n')
    expect(one.output()).toContain('could not find session session-0: -32602 No previous sessions found')
  })

  it('asks, and gets the answer of a person once', async () => {
    const one = await conversation([[{ ask: command }, { say: 'done' }]])
    const { call, tool, input, choices } = await one.asked()
    expect([tool, input]).toEqual(['shell', { command: 'npm test' }])
    const line = one.talk.answer(call, { allowed: true, input }, 'words', choices)
    one.write(`answer:${call}`, line)
    one.write(`answer:${call}`, line)
    await one.ended()
    expect(one.told().slice(2)).toEqual([{ answered: 'session/request_permission', result: selected('allow_once') }])
    expect(one.output()).toContain('allowed npm test')
  })

  it.each([
    ['whose turn ends with a denial', true],
    ['whose turn goes on after a denial', false],
  ])('gives the words of a denial to an agent %s', async (_, rejectEnds) => {
    const one = await conversation([[{ ask: command }, { until: 'never' }], [{ say: 'I see' }]], {
      options: { rejectEnds },
      differences: { rejectEnds },
    })
    const { call, choices } = await one.asked()
    one.write(`answer:${call}`, one.talk.answer(call, { allowed: false, message: 'Use pnpm.' }, 'words', choices))
    await one.tells('Use pnpm.')
    await one.ended()
    expect(one.told().slice(2)).toEqual([
      { answered: 'session/request_permission', result: selected('reject_once') },
      'Use pnpm.',
    ])
    // The end of the denied turn is not the end: the words had their turn.
    expect(one.heard().filter(({ kind }) => kind === 'idle')).toHaveLength(1)
  })

  it('stops the turn for a message that is said now, and answers what is open', async () => {
    const one = await conversation([[{ ask: command }, { until: 'never' }], [{ say: 'I see' }]])
    await one.asked()
    one.say('say-1', 'Stop that.')
    await one.ended()
    expect(one.told().slice(2)).toEqual([
      { answered: 'session/request_permission', result: { outcome: { outcome: 'cancelled' } } },
      'Stop that.',
    ])
    expect(one.heard()).toContainEqual({ kind: 'seen', id: 'say-1' })
    expect(one.heard().filter(({ kind }) => kind === 'takes_back')).toHaveLength(1)
  })

  it('gives a message to an agent that asks for words in the middle of its turn', async () => {
    const one = await conversation([[{ until: 'go' }, { say: 'I see' }]], {
      options: { drains: true },
      differences: { drains: 'test/drain' },
    })
    await one.tells('the prompt')
    one.say('say-1', 'Mind the umlauts: äöü.')
    // The relay reads the journal in order, so it has read the message before this line.
    one.write('stop-0', 'not a line of ours')
    one.file('go')
    await one.ended()
    await one.tells({ words: 'Mind the umlauts: äöü.' })
    expect(one.heard()).toContainEqual({ kind: 'seen', id: 'say-1' })
  })

  it('stops a turn and keeps the agent', async () => {
    const one = await conversation([[{ until: 'never' }], [{ say: 'again' }]])
    await one.tells('the prompt')
    one.write('stop:1', one.talk.stop('stop-1'))
    await one.ended()
    expect(one.heard()).toContainEqual({ kind: 'seen', id: 'stop-1', over: true })
    one.say('say-2', 'Go on.')
    await one.tells('Go on.')
    await one.ended(2)
  })

  it('refuses what it does not serve', async () => {
    const one = await conversation([[{ request: 'fs/read_text_file' }, { request: 'terminal/create' }]])
    await one.ended()
    expect(one.told().slice(2)).toEqual([
      { answered: 'fs/read_text_file', error: -32601 },
      { answered: 'terminal/create', error: -32601 },
    ])
  })

  it('allows the tools of our own server without asking a person', async () => {
    const own = { title: 'complete_task (aiswarm MCP Server)', kind: 'other' }
    const one = await conversation([[{ ask: own }, { ask: { ...own, kind: 'execute' } }]])
    await one.asked()
    expect(one.told().slice(2)).toEqual([{ answered: 'session/request_permission', result: selected('allow_once') }])
    expect(one.heard().filter(({ kind }) => kind === 'asks')).toHaveLength(1)
  })
})

describe('bad input of an ACP agent', () => {
  it('that never answers ends it, with the reason in its output', async () => {
    for (const mute of ['initialize', 'session/new', 'session/set_mode']) {
      const one = await conversation([], { options: { mute, stubborn: true }, opening: 1500 })
      expect(await one.exit()).toBe('1 seal\n')
      expect(one.output()).toContain(`it did not answer ${mute} within 2 s`)
      await until('the end of the session', () => !sessionRuns(one.pid))
    }
  })

  it('that speaks another version, or has no mode that asks, does not begin', async () => {
    const other = await conversation([], { options: { version: 2 } })
    expect(await other.exit()).toBe('1 seal\n')
    expect(other.output()).toContain('it speaks version 2 of the Agent Client Protocol, not 1')
    const lax = await conversation([], { differences: { modes: ['careful'] } })
    expect(await lax.exit()).toBe('1 seal\n')
    expect(lax.output()).toContain('it has none of the modes careful')
    expect([...other.told(), ...lax.told()]).toEqual([])
  })

  it('that dies in the middle of a line ends with its exit code', async () => {
    const one = await conversation([[{ say: 'hello' }, { half: true }]])
    expect(await one.exit()).toBe('9 seal\n')
    expect(one.output()).toMatch(/session\/up$/)
  })

  it('that leaves a program running has all that it prints within seconds', async () => {
    const one = await conversation([[{ leave: 'printf \'{"begin":\'; sleep 2; printf \'"end"}\\n\'' }]])
    expect(await one.exit()).toBe('0 seal\n')
    expect(one.output()).toMatch(/\{"begin":"end"\}\n$/)
  })

  it('that leaves a program running which keeps the output open says that the output is not whole', async () => {
    const one = await conversation([[{ leave: 'printf \'{"begin":\'; while [ -e turns.json ]; do sleep 0.1; done' }]])
    expect(await one.exit()).toBe('0 seal\n')
    expect(one.output()).toMatch(
      /\{"begin":\n… the agent has ended, but a program that it started keeps its output open: what follows is not kept …\n$/,
    )
  })

  it('that asks twice with one id gets one answer, and a used id never allows another call', async () => {
    const other = { title: 'rm -rf .', kind: 'execute', rawInput: { command: 'rm -rf .' } }
    const one = await conversation([
      [{ ask: command, id: 'one', twice: true }, { ask: other, id: 'one' }, { say: 'done' }],
    ])
    const { call, input, choices } = await one.asked()
    one.write(`answer:${call}`, one.talk.answer(call, { allowed: true, input }, 'words', choices))
    await one.ended()
    expect(one.told().slice(2)).toEqual([
      { answered: 'session/request_permission', result: selected('allow_once') },
      { answered: 'session/request_permission', error: -32600 },
    ])
    expect(one.output()).toContain('denied rm -rf .')
  })

  it('does not get an answer to a question that is gone', async () => {
    const one = await conversation([[{ ask: command }], [{ say: 'I see' }, { until: 'never' }]])
    const { call, input, choices } = await one.asked()
    one.say('say-1', 'Leave that.')
    await one.tells('Leave that.')
    one.write(`answer:${call}`, one.talk.answer(call, { allowed: true, input }, 'words', choices))
    one.write('stop:1', one.talk.stop('stop-1'))
    await one.ended()
    expect(one.told().filter((what) => JSON.stringify(what).includes('allow_once'))).toEqual([])
  })

  it('that floods, or says 50 MB in one message, loses no line and keeps its turn', async () => {
    const one = await conversation([[{ flood: 20_000 }, { big: 50_000_000 }, { flood: 10 }, { ask: command }]])
    await one.asked()
    const lines = one.output().split('\n')
    expect(lines.filter((line) => line.includes('"line '))).toHaveLength(20_010)
    expect(lines.filter((line) => line.length > 50_000_000)).toHaveLength(1)
    const whole = lines.slice(0, -1).filter((line) => line.length < 1000)
    expect(() => whole.map((line) => JSON.parse(line) as unknown)).not.toThrow()
  })

  it('whose turn fails ends its turn, and a message that it could not read stays unread', async () => {
    const one = await conversation([[{ error: { code: -32603, message: 'Rate limit exceeded' } }]])
    await one.ended()
    expect(one.heard()).toEqual([{ kind: 'busy' }, { kind: 'unread', id: 'prompt' }, { kind: 'idle' }])
    one.write('end')
    expect(await one.exit()).toBe('0 seal\n')
  })
})
