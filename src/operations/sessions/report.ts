import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import type { Db } from '../../db/engine/db.ts'
import type { SessionRow } from '../../db/schema/schema.ts'
import {
  type AttemptSpan,
  countClosed,
  countCreated,
  countEndings,
  countIntegrated,
  countLanes,
  selectSomeSpans,
  selectSpans,
  sumUsage,
} from '../../db/session-series.ts'
import { selectLatestSession, selectRunningSession, selectSession } from '../../db/sessions.ts'
import { countByStatus } from '../../db/tasks.ts'
import { cents } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { burnDown, ending, endings, roundedTo, spread, sum } from '../../domain/session/plots.ts'
import { type Span, spanOf, stretchesOf } from '../../domain/session/span.ts'
import { once } from '../../domain/words/once.ts'
import type { Instant } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'
import { sessionView, viewSession } from '../views/sessions.ts'

const whichSession = z.string().min(1).max(200).optional().describe('Default: the running session, else the latest')

const report = lazyObject(() => ({
  session: sessionView(),
  at: z.string(),
  span: z.object({ from: z.string(), to: z.string(), start: z.string(), step: z.int(), buckets: z.int() }),
  /** Attempts by the time and the outcome of their end. */
  attempts: z.object({ completed: series(), failed: series(), stopped: series() }),
  integrated: series(),
  /**
   * The usage of the session's runs by the time of its report; the price of a run is distributed like its tokens. The
   * cost is null if no agent reports it, and lacks the price of `tokensUnpriced`.
   */
  usage: z.object({
    tokensIn: series(),
    tokensOut: series(),
    tokensCached: series(),
    tokensUnpriced: series(),
    costUsd: series().nullable(),
  }),
  /** `open` has a value for the beginning and the end of every bucket: one more than there are buckets. */
  tasks: z.object({ created: series(), closed: series(), open: series() }),
  lanes: z.array(lane()),
  /** Those that appear in no lane. */
  leftOut: z.object({ agents: z.int(), attempts: z.int() }),
}))

/** One number per bucket. */
const series = once(() => z.array(z.number()))

const lane = lazyObject(() => ({
  agentId: z.string(),
  /** The number of its attempts that overlap the session; `spans` may have fewer. */
  attempts: z.int(),
  spans: z.array(
    z.object({
      taskId: z.int(),
      attempt: z.int(),
      title: z.string(),
      from: z.string(),
      to: z.string().nullable(),
      outcome: z.string().nullable(),
      ending: z.enum(endings),
    }),
  ),
}))
export type Lane = z.output<ReturnType<typeof lane>>

export type SessionReport = z.output<ReturnType<typeof report>>

export const readSessionReport = operation({
  name: 'read_session_report',
  summary: 'Read a session as numbers over time: outcomes, tokens, cost, open tasks, the attempts of each agent',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ sessionId: whichSession }),
  output: report,
  run: async ({ db, now }, { sessionId }) => {
    const session = await sessionOf(db, sessionId)
    const span = spanIn(session, now)
    return {
      ...frameOf(session, now, span),
      ...(await parts.attempts(db, session.id, span)),
      ...(await parts.tasks(db, session.id, span)),
      ...(await parts.lanes(db, session.id, span)),
    }
  },
})

export const reportParts = ['attempts', 'tasks', 'lanes'] as const

export const readSessionPart = operation({
  name: 'read_session_part',
  summary: 'Read a part of the report of a session; its reader can do other work between the parts',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      sessionId: whichSession,
      part: z.enum(reportParts),
      at: z.string().optional().describe('Instant of the parts that were read before'),
    }),
  output: () => report().partial().extend({ session: sessionView(), at: z.string() }),
  run: async ({ db, now }, { sessionId, part, at = now }) => {
    const session = await sessionOf(db, sessionId)
    const span = spanIn(session, at)
    return { ...frameOf(session, at, span), ...(await parts[part](db, session.id, span)) }
  },
})

const parts = {
  attempts: async (db: Db, sessionId: string, span: Span) => ({
    attempts: await endingsIn(db, span),
    integrated: [...spread(span.buckets, await countIntegrated(db, span))],
    usage: await usageIn(db, sessionId, span),
  }),
  tasks: async (db: Db, _: string, span: Span) => ({ tasks: await tasksIn(db, span) }),
  lanes: (db: Db, _: string, span: Span) => lanesIn(db, span),
} as const satisfies Record<(typeof reportParts)[number], unknown>

const sessionOf = async (db: Db, sessionId: string | undefined): Promise<SessionRow> => {
  const session =
    sessionId === undefined
      ? ((await selectRunningSession(db)) ?? (await selectLatestSession(db)))
      : await selectSession(db, sessionId)
  if (session) return session
  throw new Refusal(
    'not_found',
    sessionId === undefined
      ? "There is no session yet. 'aiswarm tui' or 'aiswarm run' starts one."
      : `There is no session ${sessionId}.`,
  )
}

const spanIn = (session: SessionRow, at: Instant): Span => spanOf(session.started_at, session.ended_at ?? at)

const frameOf = (session: SessionRow, at: Instant, span: Span) => ({
  session: viewSession(session),
  at,
  span: { ...span },
})

const endingsIn = async (db: Db, span: Span): Promise<SessionReport['attempts']> => {
  const rows = await countEndings(db, span)
  const of = (wanted: string): number[] => [
    ...spread(
      span.buckets,
      rows.filter(({ outcome }) => ending(outcome) === wanted),
    ),
  ]
  return { completed: of('completed'), failed: of('failed'), stopped: of('stopped') }
}

const usageIn = async (db: Db, sessionId: string, span: Span): Promise<SessionReport['usage']> => {
  const rows = await usageRows(db, sessionId, span)
  const of = (column: 'tokens_in' | 'tokens_out' | 'tokens_cached' | 'tokens_unpriced'): number[] => [
    ...spread(
      span.buckets,
      rows.map((row) => ({ bucket: row.bucket, value: row[column] })),
    ),
  ]
  const costs = rows.flatMap(({ bucket, cost_usd }) => (cost_usd === null ? [] : [{ bucket, value: cost_usd }]))
  return {
    tokensIn: of('tokens_in'),
    tokensOut: of('tokens_out'),
    tokensCached: of('tokens_cached'),
    tokensUnpriced: of('tokens_unpriced'),
    costUsd: costs.length === 0 ? null : [...roundedTo(cents, spread(span.buckets, costs))],
  }
}

/** Reads piece by piece, so that the console can answer a key in between. */
const usageRows = async (db: Db, sessionId: string, span: Span) => {
  let { rows, next } = await sumUsage(db, sessionId, span, null)
  while (next !== null) {
    await turn()
    const more = await sumUsage(db, sessionId, span, next)
    rows = [...rows, ...more.rows]
    next = more.next
  }
  return rows
}

/** Computed backwards from the number of open tasks now, so that older tasks need not be read. */
const tasksIn = async (db: Db, span: Span): Promise<SessionReport['tasks']> => {
  const created = spread(span.buckets + 1, await countCreated(db, span))
  const closed = spread(span.buckets + 1, await countClosed(db, span))
  const counts = await countByStatus(db)
  const openNow = counts.pending + counts.claimed + counts.in_progress
  const within = (values: readonly number[]): number[] => values.slice(0, span.buckets)
  return {
    created: within(created),
    closed: within(closed),
    open: [...burnDown(openNow - sum(created) + sum(closed), within(created), within(closed))],
  }
}

/** The most lanes and attempts that a page or a screen can show. The rest is counted, not read. */
export const MOST_LANES = 40
export const MOST_SPANS = 600

const lanesIn = async (db: Db, span: Span): Promise<Pick<SessionReport, 'lanes' | 'leftOut'>> => {
  const all = await countLanes(db, span)
  const shown = all.slice(0, MOST_LANES)
  const fair = Math.floor(MOST_SPANS / Math.max(1, shown.length))
  const few = shown.filter(({ attempts }) => attempts <= fair)
  const many = shown.filter(({ attempts }) => attempts > fair)
  const fewAttempts = sum(few.map(({ attempts }) => attempts))
  const each = Math.floor((MOST_SPANS - fewAttempts) / Math.max(1, many.length))
  const spans = Map.groupBy(
    [
      ...(await selectSpans(db, span, ids(few), MOST_SPANS)),
      ...(await selectSomeSpans(db, span, ids(many), stretchesOf(span, each))),
    ],
    ({ agent_id }) => agent_id,
  )
  const lanes = shown
    .map(({ agent_id, attempts }) => ({
      agentId: agent_id,
      attempts,
      spans: (spans.get(agent_id) ?? []).map(viewSpan),
    }))
    .sort((a, b) => compare(a.spans[0]?.from ?? '~', b.spans[0]?.from ?? '~') || compare(a.agentId, b.agentId))
  const drawn = sum(lanes.map((one) => one.spans.length))
  return {
    lanes,
    leftOut: { agents: all.length - shown.length, attempts: sum(all.map(({ attempts }) => attempts)) - drawn },
  }
}

const ids = (rows: readonly { readonly agent_id: string }[]): string[] => rows.map(({ agent_id }) => agent_id)

const viewSpan = ({ task_id, attempt, title, claimed_at, ended_at, outcome }: AttemptSpan): Lane['spans'][number] => ({
  taskId: task_id,
  attempt,
  title,
  from: claimed_at,
  to: ended_at,
  outcome,
  ending: ending(outcome),
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
