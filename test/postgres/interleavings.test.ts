import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { type Server, serverAt, type Session } from '../../src/db/postgres/server.ts'
import { person, system } from '../../src/domain/agent/actor.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { terminateAgent } from '../../src/operations/agents/spawn.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { renew } from '../../src/operations/supervision/sweep.ts'
import { cancelTask } from '../../src/operations/tasks/cancel.ts'
import { completeTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { coreOfServer, newAddress, ownCluster } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import { isOfDay, whole } from '../support/dose.ts'
import { fill, withScope, type Write } from '../support/row-writes.ts'
import { endsOrWaits, gateOn } from '../support/interleavings.ts'
import { postgresScripts } from '../support/postgres.ts'

// Every pair of writes that run beside each other, and of these with writes that are alone on the board: the first is
// stopped before each of its messages, the second runs to its end or until it waits, then the first continues. What both
// answer, and the rows afterwards, are those of one write after the other.

const cluster = ownCluster()

/** One schedule in this many runs daily, and fewer in every `npm test`; it shares no factor with the messages, so that every place is met. */
const ONE_IN = Number(process.env['AISWARM_ONE_IN'] ?? 41)

const alone: Readonly<Record<string, Write>> = {
  'a task is made': (core) => perform(core, createTask, { title: 'new', personaId: 'implementer' }, person),
  '1 is cancelled': (core) => perform(core, cancelTask, { taskId: 1 }, person),
  '1 is completed for its agent': (core) => perform(core, completeTask, { taskId: 1 }, person),
  'b is ended': (core) => perform(core, terminateAgent, { agentId: 'b' }, person),
  'leases are renewed': (core) => perform(core, renew, { agentIds: ['a', 'b'] }, system()),
}

const schema = newAddress(cluster).schema
const address = { url: cluster.url(), schema }

interface Table {
  readonly name: string
  /** Its columns, without those that are computed. */
  readonly columns: string
}

/** The tables of the board, each with a copy of its rows of now. */
const keepRows = async (session: Session): Promise<readonly Table[]> => {
  const { rows } = await session.query<Table>(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ',') FILTER (WHERE is_generated = 'NEVER') AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'migration_%' GROUP BY table_name`,
    [],
  )
  for (const { name } of rows) await session.script(`CREATE TABLE "kept ${name}" AS TABLE ${name}`)
  return rows
}

/** The statements that bring the kept rows back, and the next numbers. */
const restoring = async (session: Session, tables: readonly Table[]): Promise<string> => {
  const { rows: numbered } = await session.query<{ name: string; table: string }>(
    "SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) AS name, table_name AS table FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES' AND table_name NOT LIKE 'migration_%'",
    [],
  )
  return [
    'BEGIN; SET LOCAL session_replication_role = replica',
    ...tables.map(({ name }) => `DELETE FROM ${name}`),
    ...tables.map(({ name, columns }) => `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM "kept ${name}"`),
    ...numbered.map(
      ({ name, table }) => `SELECT setval('${name}', (SELECT coalesce(max(id), 0) + 1 FROM ${table}), false)`,
    ),
    'COMMIT',
  ].join('; ')
}

/** The value without its times, hashes and numbers of requests, which differ from run to run. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'instant')
      .replace(/("request"|\\"request\\"):\d+/g, '$1:0')
      .replace(/"hash":"[0-9a-f]{64}"/g, '"hash":""'),
  )

const inOrder = ['events', 'task_logs', 'event_chain']
const unnumbered = [
  'requests',
  'conversations',
  'executions',
  'conversation_texts',
  'execution_texts',
  'conversation_words',
  'execution_words',
]

const rowsOf = async (session: Session, tables: readonly Table[]): Promise<Readonly<Record<string, unknown>>> => {
  const contents: Record<string, unknown> = {}
  for (const { name } of tables.filter(({ name }) => !name.endsWith('_sums') && !name.endsWith('_changes'))) {
    const { rows } = await session.query<Record<string, unknown>>(`SELECT * FROM ${name}`, [])
    if (inOrder.includes(name)) {
      const key = name === 'event_chain' ? 'event_id' : 'id'
      rows.sort((one, other) => Number(one[key]) - Number(other[key]))
      contents[name] = comparable(rows.map((row, at) => ({ ...row, [key]: at })))
    } else {
      const hidden = [
        'ends_ms',
        'duration_ms',
        ...(unnumbered.includes(name) ? ['id', 'conversation_id', 'execution_id', 'rowid'] : []),
      ]
      contents[name] = rows
        .map((row) =>
          JSON.stringify(
            comparable(
              Object.entries(row).filter(
                ([column]) => !hidden.includes(column) && !(row['subject'] === 'request' && column === 'id'),
              ),
            ),
          ),
        )
        .sort()
    }
  }
  return contents
}

/** The answer of a write, or its refusal. */
const answerOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return withoutNumber(comparable(await work))
  } catch (error) {
    if (isRefusal(error)) return { refused: error.code }
    throw error
  }
}

/** Requests are numbered as they come, and another order is as good. */
const withoutNumber = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'tool' in answer ? { ...answer, id: 0 } : answer

/** Two processes on the filled board, which any schedule begins with. */
const openBoth = async () => {
  const root = temporaryFolder()
  const gate = gateOn(serverAt(address))
  const open = async (server: Server): Promise<Core> => {
    const store = await openPostgres(address, { migrations: postgresScripts, server })
    onTestFinished(() => store.close())
    return coreOfServer(store, root)
  }
  const one = await open(gate.server)
  const second = gateOn(serverAt(address))
  const other = await open(second.server)
  await fill(one)
  const plain = serverAt(address)
  onTestFinished(() => plain.end())
  const session = await plain.connect()
  onTestFinished(() => session.release())
  const tables = await keepRows(session)
  const restore = await restoring(session, tables)
  const rows = () => rowsOf(session, tables)
  const deadlocks = () => gate.deadlocks() + second.deadlocks()
  return { one, other, gate, deadlocks, session, reset: () => session.script(restore), rows }
}

type Both = Awaited<ReturnType<typeof openBoth>>

/** The endings of one after the other, in both orders. */
const serialEndings = async ({ one, other, reset, rows }: Both, first: Write, second: Write) => {
  await reset()
  const forward = [await answerOf(first(one)), await answerOf(second(other))]
  const ending = { answers: forward, rows: await rows() }
  await reset()
  const backward = [await answerOf(second(other)), await answerOf(first(one))].reverse()
  return [ending, { answers: backward, rows: await rows() }]
}

/** The ending if the first is stopped before its message `at`; undefined if it has no such message. */
const stoppedEnding = async (both: Both, [first, second]: readonly [Write, Write], at: number) => {
  const { one, other, gate, session, reset, rows } = both
  await reset()
  gate.hold(at)
  const ours = answerOf(first(one))
  if (!(await gate.reached())) {
    await ours
    return undefined
  }
  const theirs = answerOf(second(other))
  const beside = await endsOrWaits(theirs, session)
  gate.letGo()
  return { beside, ending: { answers: [await ours, await theirs], rows: await rows() } }
}

/** No transaction of these has more messages. */
const MOST_MESSAGES = 40

const pairs = (): readonly (readonly [string, string])[] => {
  const names = Object.keys(withScope)
  return [
    ...names.flatMap((first) => [...names, ...Object.keys(alone)].map((second) => [first, second] as const)),
    ...Object.keys(alone).flatMap((first) => ['a completes 1', 'b claims 3'].map((second) => [first, second] as const)),
  ]
}

test(
  'two writes that run beside each other give the answers and the rows of one after the other',
  { timeout: 7_200_000 },
  async () => {
    const both = await openBoth()
    const writes = { ...withScope, ...alone }
    let [schedules, beside] = [0, 0]
    for (const [pair, names] of pairs().entries()) {
      const [first, second] = names.map((name) => writes[name]!) as [Write, Write]
      let serial: readonly unknown[] | undefined
      for (let at = 1; at <= MOST_MESSAGES; at++) {
        if (!isOfDay(pair * MOST_MESSAGES + at, ONE_IN)) continue
        const found = await stoppedEnding(both, [first, second], at)
        if (!found) break
        serial ??= await serialEndings(both, first, second)
        schedules++
        if (found.beside) beside++
        if (!serial.some((ending) => JSON.stringify(ending) === JSON.stringify(found.ending)))
          expect(found.ending, `${names[0]}, stopped before message ${at}, while ${names[1]}`).toEqual(serial[0])
      }
    }
    expect(both.deadlocks()).toBe(0)
    expect(await both.one.store.maintenance.check()).toEqual({ damaged: false, findings: [] })
    expect(schedules).toBeGreaterThan(500 / ONE_IN)
    // Otherwise they did not run beside each other at all.
    expect(beside).toBeGreaterThan(whole ? schedules / 4 : schedules / 10)
    if (whole) console.log(`${schedules} schedules; in ${beside} the second write ended while the first was stopped.`)
  },
)
