import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { StoreRefusal } from '../../../src/domain/rules/refusal.ts'
import type { Outside } from '../../../src/contracts/outside.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordStop } from '../../../src/operations/runs/ends.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { listRequests } from '../../../src/operations/requests/requests.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { getTask } from '../../../src/operations/tasks/detail.ts'
import { takeOver } from '../../../src/operations/agents/take-over.ts'
import { withAbsence } from '../../support/unreachable-store.ts'
import { launch, onB } from '../../support/board-of-hosts.ts'
import { openTerminal } from '../terminal.ts'

// Lines that a person types at a terminal for an agent of another host, while the server is away when it is to be recorded.

/** A terminal on which these lines are typed in turn; `typed` runs before each of them. */
const openAt = async (
  core: Core,
  lines: readonly string[],
  {
    typed,
    looked,
    outside,
  }: { typed: (nth: number) => void; looked: (nth: number) => void; outside?: Partial<Outside> },
) => {
  const stop = new AbortController()
  let [asked, looks] = [0, 0]
  const terminal = await openTerminal({
    streams: {
      signal: stop.signal,
      stdinIsTerminal: true,
      stdoutIsTerminal: true,
      ask: () => {
        const line = lines[asked++]
        typed(asked)
        return line === undefined ? Promise.reject(new Error('nothing more is typed')) : Promise.resolve(line)
      },
    },
    services: {
      open: () =>
        Promise.resolve({
          core,
          actor: person,
          outside: {
            carryOut: () => Promise.resolve(),
            whyNoLogin: () => Promise.resolve(undefined),
            ...outside,
          } as Outside,
        }),
      lendTo: () => Promise.resolve(),
      nextChange: async () => {
        if (++looks > 20) throw new Error('too many looks')
        await setImmediate()
        looked(looks)
      },
    },
  })
  return { ...terminal, stop, asked: () => asked }
}

const away = 'The server does not answer. The command waits for it.\n'
const again = 'The board answers again.\n'

/** The board commits, and the answer to the first commit from now on does not arrive. */
const deafOnce = (core: Core): Core => {
  let isDeaf = true
  const store = new Proxy(core.store, {
    get: (target, key: keyof Core['store']) => {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'write' || typeof value !== 'function') return value
      return async (...of: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(value, target, of)
        if (!isDeaf) return result
        isDeaf = false
        throw new StoreRefusal('store_unreachable', 'It went away while it was committing.', { retryable: false })
      }
    },
  })
  return { ...core, store }
}

describe('an answer to a request of an agent on another host', () => {
  const asking = async () => {
    const { world, cores, agentId } = await onB()
    await perform(world.core, requestPermission, { agentId, toolName: 'Bash', input: { command: 'make' } }, person)
    return { world, cores, agentId, local: cores['local']! }
  }
  const request = async (core: Core) => (await perform(core, listRequests, { all: true }, person))[0]

  test('lasts over an outage of the board, with what was typed', async () => {
    const { world, agentId, local } = await asking()
    const {
      world: { core },
      refuse,
    } = withAbsence({ core: local })
    const { run, asked } = await openAt(core, [agentId], {
      typed: () => refuse(1, Infinity),
      looked: (nth) => nth === 3 && refuse(Infinity),
    })
    const { code, out, err } = await run('request', 'answer', '1', '--deny', '--text', 'Ask the admin.')
    expect(err).toBe(`${away}${again}`)
    expect([code, asked()]).toEqual([0, 1])
    expect(out).toContain('denied')
    expect(await request(world.core)).toMatchObject({ status: 'denied', answer: 'Ask the admin.' })
  })

  test('is given once although the answer to its commit was lost', async () => {
    const { world, agentId, local } = await asking()
    const { run } = await openAt(deafOnce(local), [agentId], { typed: () => {}, looked: () => {} })
    const { code, err } = await run('request', 'answer', '1', '--allow')
    expect(err).toBe(`It went away while it was committing. The command waits for it.\n${again}`)
    expect(code).toBe(0)
    expect(await request(world.core)).toMatchObject({ status: 'allowed' })
  })

  test('that another person has given meanwhile is not given again', async () => {
    const { world, agentId, local } = await asking()
    const {
      world: { core },
      refuse,
    } = withAbsence({ core: local })
    const { run } = await openAt(core, [agentId], {
      typed: () => refuse(1, Infinity),
      looked: (nth) => nth === 2 && refuse(Infinity),
    })
    const answered = run('request', 'answer', '1', '--allow')
    await perform(world.core, answerRequest, { requestId: 1, verdict: 'deny' }, person)
    const { code, err } = await answered
    expect(code).toBe(1)
    expect(err).toMatch(/it was denied/)
    expect(await request(world.core)).toMatchObject({ status: 'denied' })
  })

  test('ends with the reason when the person presses Ctrl-C in an outage', async () => {
    const { world, agentId, local } = await asking()
    const {
      world: { core },
      refuse,
    } = withAbsence({ core: local })
    const terminal = await openAt(core, [agentId], {
      typed: () => refuse(1, Infinity),
      looked: (nth) => nth === 2 && terminal.stop.abort(),
    })
    const { code, err } = await terminal.run('request', 'answer', '1', '--allow')
    expect(err).toBe(`${away}The server does not answer.\n`)
    expect(code).toBe(1)
    expect(await request(world.core)).toMatchObject({ status: 'open' })
  })

  test('to a question is given in words after an outage', async () => {
    const { world, cores, agentId } = await onB()
    await perform(world.core, askHuman, { agentId, question: 'Which branch?' }, person)
    const {
      world: { core },
      refuse,
    } = withAbsence({ core: cores['local']! })
    const { run } = await openAt(core, [agentId], {
      typed: () => refuse(1, Infinity),
      looked: (nth) => nth === 2 && refuse(Infinity),
    })
    expect(await run('request', 'answer', '1', '--text', 'develop')).toMatchObject({ code: 0, err: `${away}${again}` })
    expect(await request(world.core)).toMatchObject({ status: 'answered', answer: 'develop' })
  })
})

describe('a conversation that is handed back', () => {
  const taken = async () => {
    const { world, cores, agentId, ofB } = await onB()
    await perform(cores['bbbbbbbb']!, recordLaunch, { agentId, run: 1, ...launch, startsTask: false }, ofB)
    const { holderId } = await perform(world.core, takeOver, { agentId }, person)
    await perform(cores['bbbbbbbb']!, recordStop, { agentId, run: 1, exitCode: 143 }, ofB)
    const takes = { argv: ['claude'], folder: '/b/shop', environment: {}, agentId, holderId, taskId: 1 }
    return { world, core: cores['bbbbbbbb']!, agentId, outside: { takeOver: () => Promise.resolve(takes) } }
  }
  const task = ({ core }: { readonly core: Core }) => perform(core, getTask, { taskId: 1 }, person)

  test('keeps what was typed over an outage of the board', async () => {
    const { world, core: ofB, agentId, outside } = await taken()
    const {
      world: { core },
      refuse,
    } = withAbsence({ core: ofB })
    const { run, asked } = await openAt(core, ['done', 'A table'], {
      typed: (nth) => nth === 2 && refuse(1, Infinity),
      looked: (nth) => nth === 3 && refuse(Infinity),
      outside,
    })
    const { code, out, err } = await run('agent', 'take-over', agentId)
    expect(err).toContain(`${away}${again}`)
    expect(out).toBe('Task 1 is completed.\n')
    expect([code, asked()]).toEqual([0, 2])
    expect(await task(world)).toMatchObject({ status: 'completed', resultData: 'A table' })
  })

  test('is handed back once although the answer to its commit was lost', async () => {
    const { world, core, agentId, outside } = await taken()
    const { run, asked } = await openAt(deafOnce(core), ['done', 'A table'], {
      typed: () => {},
      looked: () => {},
      outside,
    })
    const { code, out, err } = await run('agent', 'take-over', agentId)
    expect(out).toBe('Task 1 is completed.\n')
    expect(err).toContain(`It went away while it was committing. The command waits for it.\n${again}`)
    expect([code, asked()]).toEqual([0, 2])
    expect(await task(world)).toMatchObject({ status: 'completed' })
  })

  test('is pending for any agent after Ctrl-C, once the board answers', async () => {
    const { world, core: ofB, agentId, outside } = await taken()
    const {
      world: { core },
      refuse,
    } = withAbsence({ core: ofB })
    const { run } = await openAt(core, [], {
      typed: () => refuse(1, Infinity),
      looked: (nth) => nth === 3 && refuse(Infinity),
      outside,
    })
    expect(await run('agent', 'take-over', agentId)).toMatchObject({ code: 0, out: 'Task 1 is pending again.\n' })
    expect(await task(world)).toMatchObject({ status: 'pending' })
  })
})
