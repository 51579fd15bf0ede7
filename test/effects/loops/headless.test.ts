import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { client, person } from '../../../src/domain/agent/actor.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { hashToken } from '../../../src/operations/perform/token.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { readRole } from '../../../src/operations/supervision/leases.ts'
import { SUPERVISOR } from '../../../src/operations/perform/roles.ts'
import { newHolder } from '../../../src/effects/lease.ts'
import { openStore } from '../../../src/db/sqlite/open.ts'
import { makeDemoRepository, runDemoPiped } from '../../../src/effects/demo/demo.ts'
import { superviseHeadless, work } from '../../../src/effects/loops/headless.ts'
import { openWorld } from '../../../src/effects/opening/open-core.ts'
import { migrations } from '../../support/core.ts'
import { programCommand } from '../../stories/pty.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { git, openSwarm, until } from '../swarm.ts'

describe('a run without a screen', () => {
  it('prints every event of the board as a line, and ends when nothing moves any more', async () => {
    const swarm = await openSwarm({ config: 'session: {maxRetries: 0}\n' })
    await swarm.task({ title: 'Good', command: 'true' })
    await swarm.task({ title: 'Bad', command: 'echo no luck; exit 3', dependencies: [1] })
    const lines: string[] = []
    const rest = await superviseHeadless(swarm.world, {
      untilIdle: true,
      maxParallel: null,
      line: (text) => lines.push(text),
      signal: new AbortController().signal,
    })
    expect(rest).toMatchObject({ completed: 1, failed: [2], waiting: [] })
    const said = lines.map((line) =>
      line
        .replace(/^\d\d:\d\d:\d\d {2}/, '')
        .replace(/process \d+/, 'process N')
        .replace(/session-\d+-\d+/, 'the session'),
    )
    expect(said).toEqual([
      'implementer-1 starts task 1 (Good), process N',
      'implementer-1 ends task 1 (Good): completed (exit code 0)',
      'implementer-2 starts task 2 (Bad), process N',
      'implementer-2 ends task 2 (Bad): failed (exit code 3)',
      'needs you: task 2 failed: implementer-2 ended with exit code 3: no luck: aiswarm task retry 2 (or task cancel 2)',
      'the session ends: failed',
    ])
  })

  it('prints once, for each item that waits for a person, the command that answers it', async () => {
    const swarm = await openSwarm()
    await swarm.task({ title: 'Log in' })
    await perform(swarm.core, createTask, { title: 'Foreign', personaId: 'tester', command: 'true' }, client('person'))
    const { token } = await perform(swarm.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    const backend = {
      kind: 'agent',
      id: 'backend-1',
      role: 'worker',
      worktree: null,
      tokenHash: hashToken(token),
    } as const
    const lines: string[] = []
    const interrupt = new AbortController()
    const supervising = superviseHeadless(swarm.world, {
      untilIdle: false,
      maxParallel: null,
      line: (text) => lines.push(text.slice(10)),
      signal: interrupt.signal,
    })
    const needs = (): readonly string[] => lines.filter((line) => line.startsWith('needs you: '))
    await until('the command', () => needs().length === 1)
    await perform(swarm.core, claimTask, { taskId: 1 }, backend)
    await perform(swarm.core, requestPermission, { toolName: 'Bash', input: { command: 'make' } }, backend)
    await perform(swarm.core, askHuman, { question: 'Which one?' }, backend)
    await until('the requests', () => needs().length === 3)
    expect(needs()).toEqual([
      'needs you: task 2 needs your approval to run its command: aiswarm agent spawn --persona tester --task 2 (or task cancel 2)',
      'needs you: backend-1 asks to use Bash: make: aiswarm request answer 1 --allow (or --deny)',
      'needs you: backend-1 asks: Which one?: aiswarm request answer 2 --text ANSWER',
    ])
    interrupt.abort()
    await supervising
    expect(needs()).toHaveLength(3)
  })

  it('ends on a signal, and the agents continue', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'sleep 60' })
    const interrupt = new AbortController()
    const supervising = superviseHeadless(swarm.world, {
      untilIdle: false,
      maxParallel: null,
      line: () => {},
      signal: interrupt.signal,
    })
    await until('the agent', async () => (await swarm.runs())[0]?.process === 'started')
    interrupt.abort()
    expect(await supervising).toMatchObject({ moving: true })
    expect((await swarm.runs()).map(({ process }) => process)).toEqual(['started'])
  })
})

it('a second worker of a host says that it waits, and when it runs the agents', async () => {
  const swarm = await openSwarm()
  const [first, second] = [new AbortController(), new AbortController()]
  const lines: string[] = []
  const start = ({ signal }: AbortController, line: (text: string) => void) =>
    work({ ...swarm.world, holder: newHolder() }, { line, signal })
  const working = start(first, () => {})
  await until(
    'the first worker',
    async () => !(await perform(swarm.core, readRole, { name: SUPERVISOR }, swarm.world.actor)).free,
  )
  const waiting = start(second, (text) => lines.push(text))
  await until('its start', () => lines.some((line) => /^The worker of host \S+ has started\./.test(line)))
  await until('its sentence', () =>
    lines.some((line) => /^Process \d+ runs the agents of this host already\./.test(line)),
  )
  first.abort()
  await working
  await until('its turn', () => lines.includes('This worker runs the agents of this host now.'))
  second.abort()
  await waiting
})

it(
  "the demo without a terminal ends with all worktrees integrated and main's tests passing",
  { timeout: 600_000 },
  async () => {
    const root = await makeDemoRepository('auto')
    onTestFinished(() => rmSync(dirname(root), { recursive: true, force: true }))
    const world = await openWorld(root, {
      openStore: (path) => openStore(path, { migrations }),
      self: programCommand,
      warn: () => {},
    })
    onTestFinished(() => world.core.store.close())
    const lines: string[] = []
    expect(await runDemoPiped(world, (text) => lines.push(text), new AbortController().signal), lines.join('\n')).toBe(
      0,
    )
    expect(lines.at(-1)).toMatch(/^All tests of main pass/)
    const tasks = await perform(world.core, listTasks, {}, person)
    expect(tasks.flatMap(({ acceptanceCriteria }) => acceptanceCriteria.map(({ met }) => met))).toEqual(
      Array.from({ length: 8 }, () => true),
    )
    expect(git(root, 'log', '--merges', '--format=%s', 'main').split('\n').sort()).toEqual([
      'Integrate worktree cart-totals (fix/cart-totals)',
      'Integrate worktree user-auth (feature/user-auth)',
    ])
  },
)
