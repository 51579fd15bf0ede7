import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// One of many processes that take and complete jobs by a queue of the field. `fill` adds jobs, each `go` is one round:
// of so many jobs, or until there are none.

const [folder = '', peer = '', url = '', count = '1'] = process.argv.slice(2)
const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href)) as T

interface Queue {
  readonly fill: (jobs: number) => Promise<unknown>
  readonly round: () => Promise<unknown>
}

interface Boss {
  start(): Promise<unknown>
  createQueue(name: string): Promise<unknown>
  insert(name: string, jobs: readonly object[]): Promise<unknown>
  fetch(name: string): Promise<readonly { readonly id: string }[]>
  complete(name: string, id: string): Promise<unknown>
}

const pgBoss = async (): Promise<Queue> => {
  type Options = { connectionString: string; supervise: boolean; schedule: boolean; max: number }
  const { PgBoss } = await load<{ PgBoss: new (options: Options) => Boss }>('pg-boss')
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, max: 1 })
  await boss.start()
  await boss.createQueue('pairs')
  return {
    fill: (jobs) =>
      boss.insert(
        'pairs',
        Array.from({ length: jobs }, (_, n) => ({ data: { n } })),
      ),
    round: async () => {
      for (let n = 0; n < Number(count); n++) {
        const [job] = await boss.fetch('pairs')
        await boss.complete('pairs', job!.id)
      }
    },
  }
}

interface Graphile {
  readonly makeWorkerUtils: (options: object) => Promise<{
    migrate(): Promise<void>
    addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<unknown>
  }>
  readonly runOnce: (options: object) => Promise<void>
  readonly Logger: new (factory: () => () => void) => unknown
}

const graphile = async (): Promise<Queue> => {
  const { makeWorkerUtils, runOnce, Logger } = await load<Graphile>('graphile-worker')
  const shared = { connectionString: url, maxPoolSize: 2, logger: new Logger(() => () => {}) }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  return {
    fill: (jobs) => utils.addJobs(Array.from({ length: jobs }, (_, n) => ({ identifier: 'none', payload: { n } }))),
    round: () =>
      runOnce({ ...shared, concurrency: 1, noHandleSignals: true, taskList: { none: () => {} }, crontab: '' }),
  }
}

const queue = await (peer === 'pg-boss' ? pgBoss() : graphile())
process.on('message', (message: 'go' | { fill: number }) => {
  void (async () => {
    await (message === 'go' ? queue.round() : queue.fill(message.fill))
    process.send!('done')
  })()
})
process.send!('ready')
