import { type AttemptSpan, countLanes, selectSomeSpans, selectSpans } from '../../db/session-series.ts'
import type { Db } from '../../db/engine/db.ts'
import { ending, sum } from '../../domain/session/plots.ts'
import { type Span, stretchesOf } from '../../domain/session/span.ts'
import type { Lane, SessionReport } from './session-report.ts'

/** The most lanes and attempts that a page or a screen can show. The rest is counted, not read. */
export const MOST_LANES = 40
export const MOST_SPANS = 600

export const lanesIn = async (db: Db, span: Span): Promise<Pick<SessionReport, 'lanes' | 'leftOut'>> => {
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
