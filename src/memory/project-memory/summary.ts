import { Refusal } from '../../domain/rules/refusal.ts'
import { headingOf, itemText, readDocument } from '../session-files/markdown.ts'
import { phaseName, places, workingLogPath } from './names.ts'
import { alone, archiveMove, type ProjectPlace, readLedger, rewriteAt, textAt, writeLedger } from './store.ts'

/** The parts of `## Phase Status`. */
const phaseStates = ['Completed', 'In Progress', 'Pending'] as const
type PhaseState = (typeof phaseStates)[number]

interface Phase {
  /** `0.1` */
  readonly name: string
  readonly state: PhaseState
  readonly adrs: readonly string[]
  /** From 1. */
  readonly line: number
  /** The number of its lines. */
  readonly length: number
}

/** Phases of a `summary.md`: bullets such as `- Phase 0.1: ADR-004, ADR-005` below `### Completed`. */
export const parsePhases = (text: string): readonly Phase[] => walk(text).phases

/** The text with a phase's lines moved below `### Completed`; undefined if the phase is not in progress. */
export const withPhaseCompleted = (text: string, name: string): string | undefined => {
  const { phases, completed, status } = walk(text)
  const phase = phases.find((one) => one.name === name && one.state !== 'Completed')
  if (!phase || status === undefined) return undefined
  const lines = text.split('\n')
  const moved = lines.slice(phase.line - 1, phase.line - 1 + phase.length)
  const last = phases.findLast((one) => one.state === 'Completed')
  const at = last ? last.line - 1 + last.length : (completed ?? status)
  const added = completed === undefined ? ['### Completed', ...moved] : moved
  const end = phase.line - 1 + phase.length
  return at < phase.line
    ? [...lines.slice(0, at), ...added, ...lines.slice(at, phase.line - 1), ...lines.slice(end)].join('\n')
    : [...lines.slice(0, phase.line - 1), ...lines.slice(end, at), ...added, ...lines.slice(at)].join('\n')
}

/** Phases with the lines (from 1) of `### Completed` and `## Phase Status`. */
const walk = (
  text: string,
): {
  readonly phases: readonly Phase[]
  readonly completed: number | undefined
  readonly status: number | undefined
} => {
  const phases: Phase[] = []
  let [status, completed]: [number?, number?] = []
  let inside = false
  let state: PhaseState | undefined
  for (const block of readDocument(text).blocks) {
    if (block.kind === 'heading') {
      const { depth, text: title } = headingOf(block)
      const word = title.replace(/[*_:]/g, '').trim().toLowerCase()
      if (depth <= 2) inside = word === 'phase status'
      if (depth <= 2 && inside) status ??= block.line
      state =
        depth === 3 && inside ? phaseStates.find((one) => one.toLowerCase() === word) : depth <= 2 ? undefined : state
      if (state === 'Completed' && depth === 3) completed ??= block.line
    } else if (block.kind === 'item' && inside && state !== undefined) {
      const named = phaseOf(itemText(block))
      if (named) phases.push({ ...named, state, line: block.line, length: block.lines.length })
    }
  }
  return { phases, completed, status }
}

const phaseOf = (item: string): Pick<Phase, 'name' | 'adrs'> | undefined => {
  const plain = item.replace(/[*`]/g, '')
  const match = /^(?:phase\s+)?([A-Za-z0-9][\w.-]{0,49}?)\s*(?:\([^)]*\)\s*)?(?::([\s\S]*))?$/i.exec(plain.trim())
  return match ? { name: match[1]!.replace(/\.$/, ''), adrs: idsOf(match[2] ?? '') } : undefined
}

/** Ids in a list such as `ADR-004, ADR-005` or `ADR-004, 005`, each once. */
const idsOf = (list: string): readonly string[] => [
  ...new Set(
    list.split(/[,;\n]/).flatMap((piece) => {
      const match = /^\s*(?:ADR-)?(\d{1,6})(?![\w.])/i.exec(piece)
      return match ? [`ADR-${match[1]}`] : []
    }),
  ),
]

interface CompletedPhase {
  readonly phase: string
  /** The path of its archived working log; null if it had none. */
  readonly archive: string | null
  readonly lines: number
  /** True if `summary.md` listed the phase and now has it below Completed. */
  readonly moved: boolean
}

/** Completes a phase: moves its working log to the archive unchanged, and its line in the summary below Completed. */
export const completePhase = (place: ProjectPlace, given: string): CompletedPhase => {
  const phase = phaseName(given)
  return alone(place, () => {
    const path = workingLogPath(phase)
    const log = textAt(place, path)
    const summary = textAt(place, places.summary)
    const completed = summary === undefined ? undefined : withPhaseCompleted(summary, phase)
    if (log === undefined && completed === undefined) {
      throw new Refusal(
        'not_found',
        `Phase ${phase} has no working log and is not in progress in ${places.summary}; there is nothing to complete.`,
      )
    }
    // The ledger comes first: a crash in between leaves an unrecorded log rather than a false alarm about a moved one.
    const ledger = readLedger(place)
    if (ledger.logs?.[path])
      writeLedger(place, {
        ...ledger,
        logs: Object.fromEntries(Object.entries(ledger.logs).filter(([known]) => known !== path)),
      })
    const archive = log === undefined ? null : archiveMove(place, path)
    if (completed !== undefined) rewriteAt(place, places.summary, completed)
    return {
      phase,
      archive,
      lines: log === undefined ? 0 : log.split('\n').filter((line) => line !== '').length,
      moved: completed !== undefined,
    }
  })
}
