import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { taskSince } from '../../../src/domain/task/status.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { nothingYet, type Past } from '../../../src/domain/session/past.ts'
import { replay } from '../../../src/domain/session/replay.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import type { TaskState } from '../../../src/domain/task/task.ts'
import { type Instant, later } from '../../../src/domain/words/time.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import {
  claimTask,
  completeTask,
  failTask,
  reportTaskProgress,
  startTask,
} from '../../../src/operations/tasks/claims.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { deregisterAgent } from '../../../src/operations/agents/heartbeat.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { operation } from '../../../src/operations/perform/operation.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { listRequests, type RequestView } from '../../../src/operations/requests/requests.ts'
import type { AgentView } from '../../../src/operations/views/agents.ts'
import type { TaskView } from '../../../src/operations/views/tasks.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { requestChanges } from '../../../src/operations/integration/review.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { recordLaunch, recordLaunchFailure } from '../../../src/operations/runs/processes.ts'
import { recordResult } from '../../../src/operations/tasks/file-reports.ts'
import { recordStop, settleRun } from '../../../src/operations/runs/ends.ts'
import { registerAgent, spawnAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { syncPersonas } from '../../../src/operations/agents/persona-files.ts'
import { agentActor, openCore, settingsWith, start, type World as Opened } from '../../support/core.ts'
import { agentLook } from '../../../src/ui/rows/agents.ts'
import { dose } from '../../support/dose.ts'
import { wipedStore } from '../../support/memory-store.ts'
import { shareClock } from '../../support/template.ts'

type World = Pick<Opened, 'perform' | 'pass'>

/** A possible event with an existing agent and task; most are refused, as in real work. */
type Happening = (world: World, agent: AgentView, task: TaskView, n: number) => Promise<unknown>

const happenings: Readonly<Record<string, Happening>> = {
  dispatch: ({ perform }, _, __, n) => perform(dispatch, { maxParallel: 1 + (n % 3) }, system()),
  'spawn for a task': ({ perform }, _, task) => perform(spawnAgent, { personaId: 'implementer', taskId: task.id }),
  'spawn for the board': ({ perform }) => perform(spawnAgent, { personaId: 'implementer' }),
  // The launcher does the same: a command reports nothing by itself.
  launch: ({ perform }, { id: agentId, run, kind }) =>
    perform(
      recordLaunch,
      { agentId, run, pid: 7, startedAt: 's', bootId: 'b', startsTask: kind === 'command' },
      system(),
    ),
  'fail to launch': ({ perform }, { id: agentId, run }) =>
    perform(recordLaunchFailure, { agentId, run, error: 'no such program' }, system()),
  claim: ({ perform }, agent, task) => perform(claimTask, { taskId: task.id, agentId: agent.id }),
  start: ({ perform }, _, { id: taskId, assignedAgentId: agentId }) =>
    perform(startTask, { taskId, ...(agentId === null ? {} : { agentId }) }),
  progress: ({ perform }, _, { id: taskId, assignedAgentId: agentId }, n) =>
    perform(reportTaskProgress, {
      taskId,
      progressNote: 'on',
      ...(n % 2 === 0 ? { percentComplete: n } : {}),
      ...(agentId === null ? {} : { agentId }),
    }),
  complete: ({ perform }, _, { id: taskId, assignedAgentId: agentId }) =>
    perform(completeTask, { taskId, ...(agentId === null ? {} : { agentId }) }),
  fail: ({ perform }, _, { id: taskId, assignedAgentId: agentId }) =>
    perform(failTask, { taskId, errorMessage: 'no', ...(agentId === null ? {} : { agentId }) }),
  'find a result': ({ perform }, _, { id: taskId, assignedAgentId, attempt }, n) =>
    perform(
      recordResult,
      {
        taskId,
        agentId: assignedAgentId ?? 'ada',
        attempt,
        status: n % 2 === 0 ? 'completed' : 'failed',
        error: 'no',
        resultData: {},
        artifacts: [],
        criteria: [],
      },
      system(),
    ),
  'end a run': ({ perform }, { id: agentId, run }, _, n) =>
    perform(
      settleRun,
      {
        agentId,
        run,
        exitCode: n % 2,
        verdict:
          n % 5 === 0
            ? { kind: 'unavailable', why: 'over its limit', resetsAt: null }
            : n % 3 === 0
              ? { kind: 'lost', why: 'vanished' }
              : n % 2 === 0
                ? { kind: 'completed', resultData: {} }
                : { kind: 'failed', error: 'no' },
      },
      system(),
    ),
  ask: ({ perform }, { id }) => perform(askHuman, { question: 'Which?' }, agentActor(id, 'worker')),
  'ask for a permission': ({ perform }, { id }) =>
    perform(requestPermission, { toolName: 'Bash', input: { command: 'make' } }, agentActor(id, 'worker')),
  answer: async ({ perform }, { id }) => {
    const open = (await perform(listRequests, {})).find(({ agentId }) => agentId === id)
    if (open)
      await perform(
        answerRequest,
        open.kind === 'question'
          ? { requestId: open.id, verdict: 'answer', answer: 'this' }
          : { requestId: open.id, verdict: 'deny' },
      )
  },
  'ask an agent to end': ({ perform }, { id: agentId }) => perform(terminateAgent, { agentId }),
  'record the end of a stopped one': ({ perform }, { id: agentId, run }) =>
    perform(recordStop, { agentId, run, exitCode: null }, system()),
  'sign off': ({ perform }, { id: agentId }) => perform(deregisterAgent, { agentId }),
  retry: ({ perform }, _, { id: taskId }) => perform(retryTask, { taskId }),
  cancel: ({ perform }, _, { id: taskId }) => perform(cancelTask, { taskId }),
  sweep: async ({ perform, pass }) => {
    pass(61_000)
    await perform(sweep, {}, system())
  },
}

const happening = fc.tuple(
  fc.constantFrom(
    ...Object.keys(happenings),
    ...Array.from({ length: 3 }, () => ['dispatch', 'launch', 'start', 'progress']).flat(),
  ),
  fc.nat(20),
  fc.nat(20),
  fc.nat(20),
)

/** The states of the tasks on the board and their ages; the age of a pending task comes from other rows. */
const present = (tasks: readonly TaskView[], now: Instant) =>
  tasks.map((task) => ({
    id: task.id,
    status: task.status,
    agent: task.assignedAgentId,
    percent: task.status === 'in_progress' ? task.progressPercent : null,
    since: task.status === 'pending' ? null : taskSince(task, now),
    until: task.status === 'pending' ? task.notBefore : null,
  }))

/** The open requests of agents; a denial is closed when it is recorded. */
const presentRequests = (requests: readonly RequestView[]) =>
  requests
    .filter(({ kind }) => kind !== 'denial')
    .map(({ id, agentId, taskId, askedAt }) => ({ id, agent: agentId, task: taskId, since: askedAt }))

/** The looks of the agents in the console. Heartbeats leave no events, so their absence is not compared. */
const presentAgents = (agents: readonly AgentView[]) =>
  agents
    .map((agent) => ({ id: agent.id, state: withoutSilence(agentLook(agent)), exitCode: agent.exitCode }))
    .sort(byId)

const pastAgents = (past: Past): ReturnType<typeof presentAgents> =>
  [...past.agents].map(([id, { state, exitCode }]) => ({ id, state: withoutSilence(state), exitCode })).sort(byId)

const withoutSilence = (state: string): string => (state === 'offline' || state === 'active' ? 'idle' : state)
const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1)

const replayed = (past: Past): ReturnType<typeof present> =>
  [...past.tasks].map(([id, { status, agent, percent, since, until }]) => ({
    id,
    status: status as TaskState,
    agent,
    percent: status === 'in_progress' ? percent : null,
    since: status === 'pending' ? null : since,
    until: status === 'pending' ? until : null,
  }))

test('the replay gives every task the state that the board had at that moment', { timeout: 600_000 }, async () => {
  const { store, wipe } = await wipedStore()
  let now = start
  shareClock(store, () => now)
  // Without a retry more of them fail for good; with one they wait.
  let maxRetries = 0
  const core: Core = {
    store,
    root: '/',
    clock: () => now,
    get settings() {
      return settingsWith({ session: { ...defaultSettings.session, maxRetries } })
    },
    kinds: ['claude', 'command'],
    allowRules: () => [],
    newToken: () => 't',
    memoryUser: 'default_user',
    launchToken: (id, run) => `${id}-${run}`,
  }
  const world: World = {
    perform: (operation, input, actor = person) => perform(core, operation, input, actor),
    pass: (ms) => void (now = later(now, ms)),
  }
  await world.perform(syncPersonas, { files: [] }, system())
  const seen = new Set<string>()
  let waited = 0
  let asked = 0
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 40, maxLength: 40 }), fc.nat(1), async (history, retries) => {
      await wipe()
      maxRetries = retries
      for (const command of [undefined, 'true', undefined, undefined])
        await world.perform(createTask, {
          title: 'a task',
          personaId: 'implementer',
          ...(command === undefined ? {} : { command }),
        })
      await world.perform(registerAgent, { id: 'ada', personaId: 'implementer' })
      const moments: {
        tasks: ReturnType<typeof present>
        requests: ReturnType<typeof presentRequests>
        agents: ReturnType<typeof presentAgents>
      }[] = []
      for (const [name, a, b, n] of history) {
        const [agents, tasks] = [await world.perform(listAgents, { all: true }), await world.perform(listTasks, {})]
        now = later(now, 1000)
        await unlessRefused(happenings[name]!(world, agents[a % agents.length]!, tasks[b % tasks.length]!, n))
        const events = await world.perform(listEvents, { limit: 10_000 })
        moments[events.length] = {
          tasks: present(await world.perform(listTasks, {}), now),
          requests: presentRequests(await world.perform(listRequests, {})),
          agents: presentAgents(await world.perform(listAgents, { all: true })),
        }
      }
      const events = await world.perform(listEvents, { limit: 10_000 })
      for (const [at, live] of moments.entries()) {
        if (live === undefined) continue
        asked += live.requests.length
        live.tasks.forEach(({ status, until }) => {
          seen.add(status)
          if (until !== null) waited++
        })
        const past = replay(nothingYet, events.slice(0, at))
        const requests = [...past.requests].map(([id, { agent, task, since }]) => ({ id, agent, task, since }))
        expect({ after: events[at - 1], tasks: replayed(past), requests, agents: pastAgents(past) }).toEqual({
          after: events[at - 1],
          ...live,
        })
      }
    }),
    { numRuns: dose(60, 25) },
  )
  expect([...seen].sort()).toEqual(['cancelled', 'claimed', 'completed', 'failed', 'in_progress', 'pending'])
  expect(waited).toBeGreaterThan(0)
  expect(asked).toBeGreaterThan(0)
  store.close()
})

test('the replay shows an integration as rejected after review comments, like the board', async () => {
  const { perform, worktree } = await openCore()
  await worktree('auth')
  await perform(requestIntegration, { worktreeName: 'auth' })
  await perform(requestChanges, { worktreeName: 'auth', comments: [{ text: 'Check the empty case.' }] })
  const past = replay(nothingYet, await perform(listEvents, { limit: 1000 }))
  const [live] = await perform(getWorktreeStatus, {})
  expect(live!.integration!.status).toBe('rejected')
  expect(past.worktrees.get('auth')!.state).toBe('rejected')
  expect(replayed(past)).toEqual(present(await perform(listTasks, {}), start))
})

const unlessRefused = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isRefusal(error)) throw error
  })

test('every step of the replay has the name of an operation', () => {
  const source = resolve(import.meta.dirname, '../../../src')
  const operations = new Set(
    globSync('operations/**/*.ts', { cwd: source }).flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/^ {2}name: '(\w+)'/gm)].map(([, name]) => name!),
    ),
  )
  const read = (file: string): string => readFileSync(join(source, 'domain/session', file), 'utf8')
  const [, table] = /^const steps = {\n([^]*?)^}/m.exec(read('replay.ts'))!
  const names = [...`${table!}${read('replay.ts')}`.matchAll(/^ {2}(?:(\w+):|\| '(\w+)'$)/gm)].map(
    ([, step, undrawn]) => (step ?? undrawn)!,
  )
  expect(names.length).toBeGreaterThan(60)
  expect(names.filter((name) => !operations.has(name))).toEqual([])
})

test('an operation with events that the replay does not know does not compile', () => {
  const definition = {
    summary: 'Does something',
    authority: 'system',
    input: () => z.object({}),
    output: () => z.object({}),
    run: async () => ({}),
  } as const
  // @ts-expect-error The replay has no row for it.
  operation({ ...definition, name: 'do_something', access: 'write' })
  operation({ ...definition, name: 'do_something', access: 'read' })
  operation({ ...definition, name: 'create_task', access: 'write' })
})
