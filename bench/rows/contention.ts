import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { person } from '../../src/domain/agent/actor.ts'
import { importTasks } from '../../src/operations/tasks/import-tasks.ts'
import { listTasks } from '../../src/operations/tasks/list-tasks.ts'
import { perform } from '../../src/operations/door/perform.ts'
import { registerAgent } from '../../src/operations/agents/register-agent.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { ms, quantile, type Row } from '../row.ts'

const PROCESSES = 16
const TASKS = 5000

/** The final message of a worker. */
export interface WorkerReport {
  readonly claimed: readonly number[]
  readonly waits: readonly number[]
}

/** Many processes, each claiming and completing a task every 20 ms. */
export const contention = async (pause: number): Promise<Row> => {
  const folder = scratch()
  const core = await openBenchCore(folder)
  for (let n = 0; n < PROCESSES; n++) await perform(core, registerAgent, { id: `worker-${n}`, personaId: 'implementer' }, person)
  const tasks = await perform(
    core,
    importTasks,
    Array.from({ length: TASKS }, (_, i) => ({ title: `task ${i}`, personaId: 'implementer' })),
    person,
  )
  const worker = fileURLToPath(new URL('../workers/claimer.ts', import.meta.url))
  const workers = Array.from({ length: PROCESSES }, (_, n) =>
    fork(worker, [folder, `worker-${n}`, String(tasks[0]!.id), String(TASKS), String(pause), String(n), String(PROCESSES)]),
  )
  await Promise.all(workers.map((child) => said(child)))
  const ends = workers.map((child) => said<WorkerReport>(child))
  for (const child of workers) child.send('begin')
  const reports = await Promise.all(ends)
  const claimed = reports.flatMap((report) => report.claimed)
  const waits = reports.flatMap((report) => report.waits)
  const completed = (await perform(core, listTasks, { status: 'completed' }, person)).length
  core.store.close()
  const [p99, worst] = [quantile(waits, 0.99), quantile(waits, 1)]
  const exact = claimed.length === TASKS && new Set(claimed).size === TASKS && completed === TASKS
  const what = pause > 0 ? `${PROCESSES} processes, a claim and completion every ${pause} ms, ${TASKS} tasks` : `${PROCESSES} processes in tight loops (no target)`
  const measured = `${exact ? 'each task once, none lost' : `WRONG: ${claimed.length} claims, ${new Set(claimed).size} tasks, ${completed} completed`}; claim p99 ${ms(p99)}, worst ${ms(worst)}`
  return { what, measured, target: pause > 0 ? 'exact; p99 ≤ 50 ms, worst ≤ 500 ms' : '–', kept: pause > 0 ? exact && p99 <= 50 && worst <= 500 : null }
}

/** The next message of a worker. */
const said = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T))
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)))
  })
