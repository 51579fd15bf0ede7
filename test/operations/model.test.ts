import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { type Actor, person, system } from '../../src/domain/agent/actor.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { instant } from '../../src/domain/words/time.ts'
import { cancelTask } from '../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask, reportTaskProgress, startTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { deregisterAgent, heartbeat } from '../../src/operations/agents/heartbeat.ts'
import { dispatch } from '../../src/operations/supervision/dispatch.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import type { Operation } from '../../src/operations/perform/operation.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { recordLaunch, recordLaunchFailure } from '../../src/operations/runs/processes.ts'
import { recordStop, settleRun } from '../../src/operations/runs/ends.ts'
import { registerAgent, spawnAgent, terminateAgent } from '../../src/operations/agents/spawn.ts'
import { selectLease } from '../../src/db/leases.ts'
import { SUPERVISOR } from '../../src/operations/perform/roles.ts'
import { renew, sweep } from '../../src/operations/supervision/sweep.ts'
import { retryTask } from '../../src/operations/tasks/retry.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import { takeLease } from '../../src/operations/supervision/leases.ts'
import { agentActor, settingsWith } from '../support/core.ts'
import { dose } from '../support/dose.ts'
import { wipedStore } from '../support/memory-store.ts'
import { type Agent, facts, type Facts, Model, refuseBrokenPromises, Refused, type Task } from './model.ts'
import { shareClock, testedStore } from '../support/template.ts'

/** An operation with its model: `predict` changes the model or throws the refusal. */
interface Move {
  readonly predict: () => void
  readonly real?: (core: Core) => Promise<unknown>
}

/** An observation or action of a loop that is not yet recorded; it may be recorded late, twice or never. */
interface Letter {
  readonly agent: Agent
  readonly run: number
  readonly kind: 'launched' | 'launched and begun' | 'not launched' | 'completed' | 'failed' | 'lost' | 'stopped'
}

class World {
  readonly model = new Model()
  readonly letters: Letter[] = []
  seen: Facts | undefined
}

type Draws = readonly [number, number, number]
/** The command in this world, or undefined if it has nothing to act on. */
type Meaning = (world: World, draws: Draws) => Move | undefined

const pick = <T>(list: readonly T[], draw: number): T | undefined => list[draw % Math.max(list.length, 1)]
const asks =
  <I extends z.ZodType, O extends z.ZodType>(operation: Operation<I, O>, input: z.input<I>, actor: Actor) =>
  (core: Core) =>
    perform(core, operation, input, actor)
/** As `asks`, by the loops of this process; if it supervises, in its present term. */
const loops =
  <I extends z.ZodType, O extends z.ZodType>(operation: Operation<I, O>, input: z.input<I>, holder: string) =>
  async (core: Core) =>
    perform(
      core,
      operation,
      input,
      system({ holder, term: (await selectLease(core.store.read, SUPERVISOR))?.term ?? 0 }),
    )
const supervisors = ['console', 'run'] as const
/** Usually the current supervisor, sometimes a process that only believes that it is. */
const loop = ({ supervisor }: Model, draw: number): string =>
  (draw % 5 === 0 ? pick(supervisors, draw / 5) : supervisor?.holder) ?? 'console'

/** A command about an agent and a task: usually a task that the agent holds, sometimes any task. */
const onTask =
  (meaning: (model: Model, agent: Agent, task: Task, itself: boolean) => Move): Meaning =>
  ({ model }, [a, b, c]) => {
    const held = pick(
      model.tasks.filter((task) => model.held(task)),
      b,
    )
    const task = c % 4 === 0 || !held ? pick(model.tasks, b) : held
    const agent = c % 3 === 0 || !held ? pick(model.agents, a) : model.agents.find((one) => one.id === held.holder)
    return agent && task && meaning(model, agent, task, c % 2 === 0)
  }

const voice = (agent: Agent, itself: boolean): Actor => (itself ? agentActor(agent.id) : person)

const meanings: Readonly<Record<string, Meaning>> = {
  // It is first, so that shrinking replaces irrelevant commands with it.
  rest: () => undefined,
  'add a task': ({ model }, [a, b, c]) => {
    const needs = a % 3 === 0 && model.tasks.length > 0 ? [pick(model.tasks, b)!.id] : []
    const command = a % 6 === 1
    const by = c % 3 === 0 ? (pick(model.agents, b) ?? null) : null
    const input = {
      title: 'a task',
      personaId: 'implementer',
      priority: b % 3,
      dependencies: needs,
      ...(command ? { command: 'true' } : {}),
    }
    return {
      predict: () => model.addTask(b % 3, needs, command, by),
      real: asks(createTask, input, by ? agentActor(by.id) : person),
    }
  },
  'register an agent': ({ model }, [a]) => {
    const id = `outsider-${a % 3}`
    return { predict: () => model.register(id), real: asks(registerAgent, { id, personaId: 'implementer' }, person) }
  },
  'spawn an agent': ({ model }, [a, b]) => {
    const task = a % 3 !== 0 ? null : (pick(model.tasks, b) ?? null)
    // Few agents work on the board, so that each of them has many runs.
    if (task === null && model.agents.filter((agent) => !agent.once && agent.status !== 'terminated').length >= 2)
      return undefined
    return {
      predict: () => model.spawn(task),
      real: asks(spawnAgent, { personaId: 'implementer', ...(task ? { taskId: task.id } : {}) }, person),
    }
  },
  claim: ({ model }, [a, b, c]) => {
    const agent = pick(model.agents, a)
    const task =
      c % 4 === 0
        ? pick(model.tasks, b)
        : pick(
            model.tasks.filter((one) => one.status === 'pending'),
            b,
          )
    if (!agent || !task) return undefined
    return {
      predict: () => model.claim(agent, task, c % 2 === 0),
      real: asks(claimTask, { taskId: task.id, agentId: agent.id }, voice(agent, c % 2 === 0)),
    }
  },
  start: onTask((model, agent, task, itself) => ({
    predict: () => model.start(agent, task, itself),
    real: asks(startTask, { taskId: task.id, agentId: agent.id }, voice(agent, itself)),
  })),
  progress: onTask((model, agent, task, itself) => ({
    predict: () => model.progress(agent, task, itself),
    real: asks(
      reportTaskProgress,
      { taskId: task.id, agentId: agent.id, progressNote: 'a note' },
      voice(agent, itself),
    ),
  })),
  complete: onTask((model, agent, task, itself) => ({
    predict: () => model.complete(agent, task, itself),
    real: asks(completeTask, { taskId: task.id, agentId: agent.id }, voice(agent, itself)),
  })),
  fail: onTask((model, agent, task, itself) => ({
    predict: () => model.fail(agent, task, itself),
    real: asks(failTask, { taskId: task.id, agentId: agent.id, errorMessage: 'no' }, voice(agent, itself)),
  })),
  heartbeat: ({ model }, [a, b]) => {
    const agent = pick(model.agents, a)
    return (
      agent && {
        predict: () => model.heartbeat(agent, b % 2 === 0),
        real: asks(heartbeat, { agentId: agent.id }, voice(agent, b % 2 === 0)),
      }
    )
  },
  retry: ({ model }, [a, b]) => {
    const task = pick(
      model.tasks.filter((one) => b % 4 === 0 || one.status === 'failed' || one.notBefore !== null),
      a,
    )
    return task && { predict: () => model.retry(task), real: asks(retryTask, { taskId: task.id }, person) }
  },
  cancel: ({ model }, [a]) => {
    const task = pick(model.tasks, a)
    return task && { predict: () => model.cancel(task), real: asks(cancelTask, { taskId: task.id }, person) }
  },
  terminate: ({ model }, [a]) => {
    const agent = pick(model.agents, a)
    return agent && { predict: () => model.terminate(agent), real: asks(terminateAgent, { agentId: agent.id }, person) }
  },
  'sign off': ({ model }, [a]) => {
    const agent = pick(model.agents, a)
    return (
      agent && {
        predict: () => model.deregister(agent),
        real: asks(deregisterAgent, { agentId: agent.id }, agentActor(agent.id)),
      }
    )
  },
  supervise: ({ model }, [a]) => {
    const holder = pick(supervisors, a)!
    return {
      predict: () => model.takeLease(holder),
      real: asks(takeLease, { name: SUPERVISOR, holder, pid: 7, ttl: 60_000 }, system()),
    }
  },
  dispatch: ({ model }, [a, b]) => {
    const holder = loop(model, a)
    return {
      predict: () => model.dispatch(holder, 1 + (b % 3)),
      real: loops(dispatch, { maxParallel: 1 + (b % 3) }, holder),
    }
  },
  sweep: ({ model }, [a]) => {
    const holder = loop(model, a)
    return { predict: () => model.sweep(holder), real: loops(sweep, {}, holder) }
  },
  renew: ({ model }, [a]) => {
    const holder = loop(model, a)
    const alive = model.agents.filter((agent) => agent.process === 'started')
    return {
      predict: () => model.renew(holder, alive),
      real: loops(renew, { agentIds: alive.map((agent) => agent.id) }, holder),
    }
  },
  'launch and write nothing yet': ({ model, letters }, [a, b]) => {
    const letter = launched(model, a, b)
    return letter && { predict: () => void letters.push(letter) }
  },
  launch: ({ model, letters }, [a, b, c]) => delivered(model, letters, launched(model, a, b), c),
  'see the end and write nothing yet': ({ model, letters }, [a, b]) => {
    const letter = ended(model, a, b)
    return letter && { predict: () => void letters.push(letter) }
  },
  'see the end': ({ model, letters }, [a, b, c]) => delivered(model, letters, ended(model, a, b), c),
  'write down what was seen': (world, [a, b]) => {
    const { model, letters } = world
    // Stale news first: about a run that has a successor.
    const stale = letters.filter((one) => one.run < one.agent.run)
    const letter = pick(stale.length > 0 && b % 3 !== 2 ? stale : letters, a)
    // A letter that stays is recorded again by a supervisor that does not know about the first record.
    return (
      letter && {
        predict: () => {
          if (b % 2 === 0) letters.splice(letters.indexOf(letter), 1)
          write(model, letter)
        },
        real: delivery(letter),
      }
    )
  },
  'crash and forget what was seen': ({ letters }, [a]) =>
    letters.length === 0 ? undefined : { predict: () => void letters.splice(a % letters.length, 1) },
  'let time pass': ({ model }, [a]) => ({
    predict: () => void (model.now += [1000, 1000, 5000, 14_000, 30_000, 61_000][a % 6]!),
  }),
}

const launched = (model: Model, a: number, b: number): Letter | undefined => {
  const agent = pick(
    model.agents.filter((one) => one.process === 'wanted'),
    a,
  )
  return (
    agent && {
      agent,
      run: agent.run,
      kind: (['launched', 'launched', 'launched and begun', 'launched and begun', 'launched', 'not launched'] as const)[
        b % 6
      ]!,
    }
  )
}

const ended = (model: Model, a: number, b: number): Letter | undefined => {
  const agent = pick(
    model.agents.filter((one) => one.process === 'started'),
    a,
  )
  return (
    agent && {
      agent,
      run: agent.run,
      kind: (['completed', 'completed', 'failed', 'failed', 'completed', 'lost', 'stopped'] as const)[b % 7]!,
    }
  )
}

/** Recorded at once; now and then another process records the same again, much later. */
const delivered = (model: Model, letters: Letter[], letter: Letter | undefined, c: number): Move | undefined =>
  letter && {
    predict: () => {
      if (c % 2 === 0) letters.push(letter)
      write(model, letter)
    },
    real: delivery(letter),
  }

const write = (model: Model, { agent, run, kind }: Letter): void => {
  switch (kind) {
    case 'launched':
      return model.recordLaunch(agent, run, false)
    case 'launched and begun':
      return model.recordLaunch(agent, run, true)
    case 'not launched':
      return model.recordLaunchFailure(agent, run)
    case 'stopped':
      return model.recordStop(agent, run)
    default:
      return model.settle(agent, run, kind)
  }
}

const delivery = ({ agent: { id: agentId }, run, kind }: Letter): ((core: Core) => Promise<unknown>) => {
  switch (kind) {
    case 'launched':
    case 'launched and begun':
      return asks(
        recordLaunch,
        { agentId, run, pid: 1000 + run, startedAt: 's', bootId: 'b', startsTask: kind !== 'launched' },
        system(),
      )
    case 'not launched':
      return asks(recordLaunchFailure, { agentId, run, error: 'no such program' }, system())
    case 'stopped':
      return asks(recordStop, { agentId, run, exitCode: null }, system())
    case 'completed':
      return asks(settleRun, { agentId, run, exitCode: 0, verdict: { kind, resultData: {} } }, system())
    case 'failed':
      return asks(settleRun, { agentId, run, exitCode: 1, verdict: { kind, error: 'no' } }, system())
    case 'lost':
      return asks(settleRun, { agentId, run, exitCode: null, verdict: { kind, why: 'vanished' } }, system())
  }
}

class Step implements fc.AsyncCommand<World, Core, false> {
  readonly name: string
  readonly draws: Draws
  constructor(name: string, draws: Draws) {
    this.name = name
    this.draws = draws
  }

  check = (world: World): boolean => meanings[this.name]!(world, this.draws) !== undefined

  async run(world: World, core: Core): Promise<void> {
    const { predict, real } = meanings[this.name]!(world, this.draws)!
    const answer = real ? await codeOf(real(core)) : 'done'
    const before = await facts(core.store)
    expect(answer).toBe(predicted(predict))
    if (real === undefined) return
    refuseBrokenPromises(world.seen, before, world.model)
    world.seen = before
  }

  toString = (): string => `${this.name} (${this.draws.join(', ')})`
}

/** The start of every history: a supervisor, an agent from outside, two agents that work on the board, and tasks for them. */
const prelude = [
  ...([
    ['supervise', 0],
    ['register an agent', 0],
    ['spawn an agent', 1],
    ['spawn an agent', 1],
  ] as const),
  ...Array.from({ length: 4 }, () => ['add a task', 2] as const),
].map(([name, draw]) => new Step(name, [draw, 1, 1]))

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (isRefusal(error)) return error.code
      throw error
    },
  )

const predicted = (predict: () => void): string => {
  try {
    predict()
    return 'done'
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
}

/** The relative frequency of each command; 1 by default. Most commands have nothing to act on at first. */
const weights: Readonly<Record<string, number>> = {
  'add a task': 6,
  claim: 5,
  progress: 2,
  complete: 2,
  fail: 3,
  dispatch: 8,
  supervise: 6,
  sweep: 5,
  renew: 2,
  'let time pass': 6,
  retry: 3,
  'spawn an agent': 2,
  launch: 8,
  'launch and write nothing yet': 2,
  'see the end': 6,
  'see the end and write nothing yet': 3,
  'write down what was seen': 8,
}

/** A server takes many times as long for one. At night (`HISTORIES=2000`) there are as many as are named. */
const HISTORIES = Number(process.env['HISTORIES'] ?? (testedStore === 'sqlite' ? dose(1000, 150) : dose(200, 20)))

const patient = { timeout: 600_000 + HISTORIES * 2000 }

test('random histories of agents, people, loops and crashes keep every invariant', patient, async () => {
  const { store, wipe } = await wipedStore()
  let world = new World()
  shareClock(store, () => instant(world.model.now))
  const core: Core = {
    store,
    root: '/',
    clock: () => instant(world.model.now),
    settings: settingsWith({}),
    kinds: ['claude', 'command'],
    allowRules: () => [],
    newToken: () => 't',
    memoryUser: 'default_user',
    launchToken: (id, run) => `${id}-${run}`,
  }
  await perform(core, syncPersonas, { files: [] }, system())
  const drawn = Object.keys(meanings).flatMap((name) => Array.from({ length: weights[name] ?? 1 }, () => name))
  const draw = fc.noBias(fc.nat(59))
  const step = fc
    .tuple(fc.noBias(fc.constantFrom(...drawn)), fc.tuple(draw, draw, draw))
    .map(([name, draws]) => new Step(name, draws))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 52, maxLength: 52 }), async (history) => {
      await wipe()
      world = new World()
      await fc.asyncModelRun<World, Core, false, World>(() => ({ model: world, real: core }), [...prelude, ...history])
    }),
    { numRuns: HISTORIES },
  )
  store.close()
})
