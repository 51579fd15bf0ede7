import { memo } from 'react'
import { costWords } from '../../domain/budget.ts'
import { inColumns } from '../../domain/series.ts'
import { ours, safeText, type SafeText, spelledOut } from '../../domain/safe-text.ts'
import { Filter, problemLines } from '../../../components/Filter.tsx'
import { Footer } from '../../../components/Footer.tsx'
import { Header } from '../../../components/Header.tsx'
import { Notice } from '../../../components/Notice.tsx'
import { noticeLines } from '../../../components/notice-lines.ts'
import { useConsole, useRows } from '../context.ts'
import { filterHint, refusedHint } from '../filter/hint.ts'
import { inboxNotice } from '../inbox/list.ts'
import { footerOf, keyed } from '../key-table.ts'
import { pastHeader } from '../past/header.ts'
import { PACE_BARS, PACE_COLUMNS } from '../plots/state.ts'
import { approvalIn } from '../review/window.ts'
import type { ConsoleState, Overlay } from '../state.ts'
import { sessionEnd, typingHints } from '../../text/panes.ts'

// The lines above and below the panes.

export interface HeaderLineProps {
  readonly width: number
  readonly name: string
  readonly branch: string
  readonly most: number
}

export const HeaderLine = memo(({ width, name, branch, most }: HeaderLineProps) => {
  const session = useConsole((state) => state.board.session)
  const counts = useConsole((state) => state.board.counts)
  const agents = useConsole((state) => state.board.agents)
  const waiting = useConsole((state) => state.board.attention.length)
  const usage = useConsole((state) => state.board.usage)
  const budget = useConsole((state) => state.board.budget)
  const supervisor = useConsole((state) => state.supervisor)
  const pace = useConsole((state) => state.plots.pace)
  const plain = useConsole((state) => state.plots.plain)
  const past = useRows(pastHeader)
  const running = agents.filter(
    (agent) => agent.status !== 'terminated' && (agent.process === 'wanted' || agent.process === 'started' || (agent.process === 'none' && agent.status === 'active')),
  ).length
  if (past !== null) return <Header {...past} repository={safeText(name)} branch={safeText(branch)} agents={{ running: past.running, most }} width={width} />
  return (
    <Header
      repository={safeText(name)}
      branch={safeText(branch)}
      session={session && { id: safeText(session.id), status: session.status, summary: summaryOf(session.summary) }}
      paused={session?.status === 'running' && session.pausedAt !== null}
      hold={supervisor.hold ? safeText(supervisor.hold) : null}
      supervisedElsewhere={supervisor.here ? null : { pid: supervisor.pid }}
      agents={{ running, most }}
      tasks={{ done: counts['completed'] ?? 0, all: Object.values(counts).reduce((sum, n) => sum + n, 0) }}
      waiting={waiting}
      cost={ours(costWords(budget, usage))}
      pace={width < PACE_COLUMNS || !pace ? null : { completed: inColumns(pace.completed, PACE_BARS), failed: inColumns(pace.failed, PACE_BARS), plain }}
      width={width}
    />
  )
})
HeaderLine.displayName = 'HeaderLine'

/** How a session ended, in a few words. */
const summaryOf = (summary: unknown): SafeText | null => {
  if (typeof summary !== 'object' || summary === null) return null
  const { totalTasks, completed, failed } = summary as Readonly<Record<string, unknown>>
  if (typeof totalTasks !== 'number' || typeof completed !== 'number') return null
  return ours(sessionEnd(completed, totalTasks, typeof failed === 'number' ? failed : 0))
}

/** What was just done or refused; the filter while it is typed. On a narrow screen a sentence takes more lines than one. */
export const NoticeLine = memo(({ width, most }: { readonly width: number; readonly most: number }) => {
  const notice = useConsole((state) => state.view.notice)
  const overlay = useConsole((state) => state.view.overlay)
  const hint = useRows(filterHint)
  const comfort = useConsole((state) => state.comfort)
  const said = (words: string) => refusedHint(notice) ?? { hint: ours(keyed({ comfort }, words)) }
  if (overlay?.kind === 'search') return <Filter text={safeText(overlay.text)} {...said(typingHints.findNext)} width={width} />
  if (overlay?.kind === 'memory-search') return <Filter text={safeText(overlay.text)} {...said(typingHints.lookEverywhere)} width={width} />
  if (overlay?.kind === 'log-search') return <Filter text={safeText(overlay.text)} {...said(typingHints.findInLogs)} width={width} />
  if (overlay?.kind === 'help-search') return <Filter text={safeText(overlay.text)} {...said(typingHints.keepKeys)} width={width} />
  return overlay?.kind === 'filter' ? <Filter text={typedFilter(overlay.text)} {...hint} width={width} most={most} /> : <Notice {...notice} width={width} most={most} />
})
NoticeLine.displayName = 'NoticeLine'

const typedFilter = (text: string): SafeText => ours(spelledOut(text).join(' '))

/** Lines that the notice takes. */
export const noticeHeight = (state: ConsoleState, width: number, most: number): number => {
  const { overlay, notice } = state.view
  if (most <= 1) return 1
  if (overlay?.kind === 'filter') return 1 + problemLines({ text: typedFilter(overlay.text), ...filterHint(state) }, width, most).length
  return noticeLines(notice.text, width, most).length
}

/** Lines that it may take from the panes, or from what is typed below them: a question and what is read stay whole. */
export const noticeRoom = (overlay: Overlay | null, body: number): number => {
  if (overlay?.kind === 'inbox') return inboxNotice(body)
  if (overlay !== null && overlay.kind !== 'filter' && overlay.kind !== 'palette' && (overlay.kind !== 'form' || approvalIn(overlay))) return 1
  if (body < 10) return 2
  return overlay?.kind === 'filter' ? 4 : 3
}

export const FooterLine = memo(({ width }: { readonly width: number }) => {
  // One text says what the footer shows: it is drawn again only when that changes.
  const shown = useConsole((state) => JSON.stringify(footerOf(state)))
  return <Footer {...(JSON.parse(shown) as ReturnType<typeof footerOf>)} width={width} />
})
FooterLine.displayName = 'FooterLine'
