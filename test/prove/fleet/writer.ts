import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchCoreOn, migrations } from '../../../bench/bench-core.ts'
import { openPostgres } from '../../../src/db/postgres/open.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { editTask } from '../../../src/operations/tasks/edits.ts'

// A person's program on a host: creates, changes and cancels tasks that wait for a task without an end, several at once,
// and writes each acknowledged write to its diary. A write that was refused because the board cannot be reached is repeated
// with the same request id, as every caller does: it must be done once.

/** Writes at once, and the wanted writes in a second since its first start: three such programs make 50,000 in an hour of faults. */
const LANES = 12
const PACE = 8

const [url = '', schema = '', folder = '', name = '', diary = '', blocker = ''] = process.argv.slice(2)

/** Of this start of the program: after a boot, process numbers come again. */
const start = `${name}-${Date.now().toString(36)}-${process.pid}`

const again = new Set(['store_unreachable', 'database_busy'])

const surely = async <T>(work: (requestId: string) => Promise<T>, requestId: string): Promise<T> => {
  for (;;) {
    try {
      return await work(requestId)
    } catch (error) {
      if (!isRefusal(error) || !again.has(error.code)) throw error
      await sleep(200)
    }
  }
}

const core = await surely(async () => {
  const store = await openPostgres({ url, schema }, { migrations: `${migrations}/postgres` })
  return benchCoreOn(store, folder)
}, '')

// The writes of earlier starts of the program count: after faults it makes up for the time without one.
appendFileSync(diary, '')
const began = statSync(diary).birthtimeMs
let written = readFileSync(diary, 'utf8').split('\n').length - 1

const acknowledged = (words: readonly (string | number)[]): void => {
  appendFileSync(diary, `${words.join(' ')}\n`)
  written++
}

/** How long a lane rests before its next task (ms): not at all while its writes are fewer than wanted, after faults or on a slow machine. */
const rest = (): number => Math.max(0, (written / PACE) * 1000 - (Date.now() - began))

const work = async (lane: number, n: number): Promise<void> => {
  const title = `${start}-${lane}-${n}`
  const draft = { title, personaId: 'tester', dependencies: [Number(blocker)] }
  const { id } = await surely((requestId) => perform(core, createTask, draft, person, { requestId }), `${title} create`)
  acknowledged(['created', id, title])
  const description = `of ${title}`
  await surely(
    (requestId) => perform(core, editTask, { taskId: id, description }, person, { requestId }),
    `${title} edit`,
  )
  acknowledged(['edited', id, title])
  if (n % 2 === 0) {
    const why = { taskId: id, reason: 'not needed' }
    await surely((requestId) => perform(core, cancelTask, why, person, { requestId }), `${title} cancel`)
    acknowledged(['cancelled', id, title])
  }
}

const lanes = Array.from({ length: LANES }, async (_, lane) => {
  for (let n = 0; ; n++) {
    await work(lane, n)
    await sleep(rest())
  }
})
await Promise.all(lanes)
