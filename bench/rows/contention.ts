import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { person } from '../../src/domain/agent/actor.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { listTasks } from '../../src/operations/tasks/list.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { ms, quantile, type Row } from '../row.ts'

const PROCESSES = 16
const TASKS = 1200
const ROUNDS = 2

/** The final message of a worker. */
export interface WorkerReport {
  readonly claimed: readonly number[]
  readonly waits: readonly number[]
}

interface Crowd {
  readonly waits: readonly number[]
  /** Undefined if each task was claimed and completed once. */
  readonly wrong: string | undefined
}

/**
 * Many processes, each claiming and completing a task every `pause` ms, compared with as many that send the same
 * statements by hand, alternating.
 */
export const contention = async (pause: number): Promise<Row> => {
  const [ours, hand]: [Crowd[], Crowd[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await crowd(pause, 'operations'))
    hand.push(await crowd(pause, 'statements'))
  }
  const p = (crowds: readonly Crowd[], q: number): number =>
    quantile(
      crowds.flatMap(({ waits }) => waits),
      q,
    )
  const ratio = p(ours, 0.99) / p(hand, 0.99)
  const wrong = ours.find((crowd) => crowd.wrong !== undefined)?.wrong
  const each = pause > 0 ? `a claim and completion every ${pause} ms` : 'in tight loops'
  return {
    what: `${PROCESSES} processes, ${each}, ${TASKS * ROUNDS} tasks / the same statements by hand`,
    measured: `${wrong ?? 'each task once, none lost'}; claim p99 ${ratio.toFixed(2)}× (${ms(p(ours, 0.99))} / ${ms(p(hand, 0.99))}), worst ${(p(ours, 1) / p(hand, 1)).toFixed(2)}× (${ms(p(ours, 1))} / ${ms(p(hand, 1))})`,
    target: pause > 0 ? 'exact; p99 ≤ 1.5×' : 'exact',
    kept: wrong === undefined && (pause === 0 || ratio <= 1.5),
  }
}

const crowd = async (pause: number, how: 'operations' | 'statements'): Promise<Crowd> => {
  const folder = scratch()
  const core = await openBenchCore(folder)
  for (let n = 0; n < PROCESSES; n++)
    await perform(core, registerAgent, { id: `worker-${n}`, personaId: 'implementer' }, person)
  const tasks = await perform(
    core,
    importTasks,
    Array.from({ length: TASKS }, (_, i) => ({ title: `task ${i}`, personaId: 'implementer' })),
    person,
  )
  const worker = fileURLToPath(new URL('../workers/claimer.ts', import.meta.url))
  const workers = Array.from({ length: PROCESSES }, (_, n) =>
    fork(worker, [
      folder,
      `worker-${n}`,
      String(tasks[0]!.id),
      String(TASKS),
      String(pause),
      String(n),
      String(PROCESSES),
      how,
    ]),
  )
  await Promise.all(workers.map((child) => said(child)))
  const ends = workers.map((child) => said<WorkerReport>(child))
  for (const child of workers) child.send('begin')
  const reports = await Promise.all(ends)
  const claimed = reports.flatMap((report) => report.claimed)
  const completed = (await perform(core, listTasks, { status: 'completed' }, person)).length
  core.store.close()
  const exact = claimed.length === TASKS && new Set(claimed).size === TASKS && completed === TASKS
  return {
    waits: reports.flatMap((report) => report.waits),
    wrong: exact
      ? undefined
      : `WRONG: ${claimed.length} claims, ${new Set(claimed).size} tasks, ${completed} completed`,
  }
}

/** The next message of a worker. */
const said = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T))
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)))
  })
