import { memo } from 'react'
import type { Core } from '../../operations/perform/core.ts'
import { costWords } from '../../domain/budget/budget.ts'
import { inColumns } from '../../domain/session/plots.ts'
import { clockTime } from '../../domain/words/time.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { Filter } from '../../../components/Filter.tsx'
import { Footer } from '../../../components/Footer.tsx'
import { Header } from '../../../components/Header.tsx'
import { Notice } from '../../../components/Notice.tsx'
import { useConsole, useRows } from '../panes/context.ts'
import { viewOf } from '../core/overlays.ts'
import { footerOf } from '../keys/help.ts'
import { pastHeader } from '../views/past/rows.ts'
import { PACE_BARS, PACE_COLUMNS } from '../views/plots/plots.ts'
import { sessionEnd } from '../../text/panes.ts'

type Store = Core['store']

// The lines above and below the panes.

export interface HeaderLineProps {
  readonly width: number
  readonly name: string
  readonly branch: string
  readonly board: Pick<Store, 'engine' | 'hears'>
  readonly most: number
}

export const HeaderLine = memo(({ width, name, branch, board, most }: HeaderLineProps) => {
  const session = useConsole((state) => state.board.session)
  const counts = useConsole((state) => state.board.counts)
  const agents = useConsole((state) => state.board.agents)
  const waiting = useConsole((state) => state.board.attention.length)
  const usage = useConsole((state) => state.board.usage)
  const budget = useConsole((state) => state.board.budget)
  const supervisor = useConsole((state) => state.supervisor)
  const cutOff = useConsole((state) => state.cutOff)
  const pace = useConsole((state) => state.plots.pace)
  const plain = useConsole((state) => state.plots.plain)
  // It is known some time after the first frame, and no row of the board says so.
  const polled = useConsole(() => board.hears?.() === false)
  const past = useRows(pastHeader)
  const running = agents.filter(
    (agent) =>
      agent.status !== 'terminated' &&
      (agent.process === 'wanted' ||
        agent.process === 'started' ||
        (agent.process === 'none' && agent.status === 'active')),
  ).length
  if (past !== null)
    return (
      <Header
        {...past}
        repository={safeText(name)}
        branch={safeText(branch)}
        agents={{ running: past.running, most: supervisor.most ?? most }}
        width={width}
      />
    )
  return (
    <Header
      repository={safeText(name)}
      branch={safeText(branch)}
      store={board.engine === 'SQLite' ? null : { engine: ours(board.engine), polled }}
      session={session && { id: safeText(session.id), status: session.status, summary: summaryOf(session.summary) }}
      paused={session?.status === 'running' && session.pausedAt !== null}
      cutOff={cutOff === null ? null : ours(clockTime(cutOff))}
      hold={supervisor.hold ? safeText(supervisor.hold) : null}
      unconfined={supervisor.unconfined ? { ...supervisor.unconfined, why: safeText(supervisor.unconfined.why) } : null}
      supervisedElsewhere={
        supervisor.here ? null : { pid: supervisor.pid, ...(supervisor.hosts ? { hosts: supervisor.hosts } : {}) }
      }
      agents={{ running, most: supervisor.most ?? most }}
      tasks={{ done: counts['completed'] ?? 0, all: Object.values(counts).reduce((sum, n) => sum + n, 0) }}
      waiting={waiting}
      cost={ours(costWords(budget, usage))}
      pace={
        width < PACE_COLUMNS || !pace
          ? null
          : { completed: inColumns(pace.completed, PACE_BARS), failed: inColumns(pace.failed, PACE_BARS), plain }
      }
      width={width}
    />
  )
})
HeaderLine.displayName = 'HeaderLine'

/** The result of a session in a few words. */
const summaryOf = (summary: unknown): SafeText | null => {
  if (typeof summary !== 'object' || summary === null) return null
  const { totalTasks, completed, failed } = summary as Readonly<Record<string, unknown>>
  if (typeof totalTasks !== 'number' || typeof completed !== 'number') return null
  return ours(sessionEnd(completed, totalTasks, typeof failed === 'number' ? failed : 0))
}

/** The last receipt or refusal, or the typed line. On a narrow screen a sentence takes several lines. */
export const NoticeLine = memo(({ width, most }: { readonly width: number; readonly most: number }) => {
  const notice = useConsole((state) => state.view.notice)
  const typed = useRows((state) => {
    const { overlay } = state.view
    return overlay === null ? null : (viewOf(state, overlay).typed?.(state, overlay) ?? null)
  })
  return typed ? <Filter {...typed} width={width} most={most} /> : <Notice {...notice} width={width} most={most} />
})
NoticeLine.displayName = 'NoticeLine'

export const FooterLine = memo(({ width }: { readonly width: number }) => {
  // One text represents the footer: it is drawn again only when that changes.
  const shown = useConsole((state) => JSON.stringify(footerOf(state)))
  return <Footer {...(JSON.parse(shown) as ReturnType<typeof footerOf>)} width={width} />
})
FooterLine.displayName = 'FooterLine'
