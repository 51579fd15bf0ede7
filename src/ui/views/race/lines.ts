import { fit } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { budgetWords, limitWords, usedWords } from '../../../domain/budget/budget.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { factRows, type RaceFacts, type RacerFacts, racerName } from '../../../operations/races/facts.ts'
import type { SheetContent } from '../../core/registry.ts'
import { sheetOfLines } from '../../core/overlays.ts'
import type { ConsoleState } from '../../core/state.ts'
import { heading, longFact, paragraph, widthIn } from '../../rows/lines.ts'
import { raceText as words } from '../../../text/tasks.ts'
import { type RaceOverlay, shownRace } from './race.ts'

/** Columns of the name of a fact, and of a racer at least. */
const LABEL = 13
const LEAST = 15
const MOST = 26

export const raceSheet = (state: ConsoleState, overlay: RaceOverlay): SheetContent => {
  const race = shownRace(state)
  if (!race) return sheetOfLines(safeText(words.title(overlay.taskId, '')), [{ text: ours(words.reading), dim: true }])
  const width = widthIn(state)
  const seen = seenRacers(race.racers, overlay.at, width)
  const some = seen.racers.length < race.racers.length
  return sheetOfLines(
    safeText(
      [
        words.title(race.taskId, race.status),
        ...(some ? [words.some(seen.from + 1, seen.from + seen.racers.length, race.racers.length)] : []),
      ].join(', '),
    ),
    [
      ...paragraph(race.title, width).slice(0, 1),
      headOf(seen, overlay.at),
      ...factRows
        .slice(0, -2)
        .map(({ label, cell }): Line => ({ text: row(label, seen.racers.map(cell), seen.width) })),
      ...moneyLines(race, width),
      ...aboutRacer(race.racers[overlay.at], width),
    ],
  )
}

interface Seen {
  readonly from: number
  readonly racers: readonly RacerFacts[]
  readonly width: number
}

/** As many racers as fit, the selected one among them. */
const seenRacers = (racers: readonly RacerFacts[], at: number, width: number): Seen => {
  const room = Math.max(1, Math.floor((width - LABEL) / LEAST))
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), racers.length - room))
  const seen = racers.slice(from, from + room)
  return { from, racers: seen, width: Math.min(MOST, Math.floor((width - LABEL) / Math.max(1, seen.length))) }
}

const headOf = ({ from, racers, width }: Seen, at: number): Line => ({
  text: row(
    '',
    racers.map((racer, n) => (from + n === at ? `[${racerName(racer)}]` : ` ${racerName(racer)}`)),
    width,
    0,
  ),
  bold: true,
})

/** Cells begin below the name of their racer, one column after its bracket. */
const row = (label: string, cells: readonly string[], width: number, indent = 1): SafeText =>
  ours(
    `${fit(label, LABEL)}${cells.map((cell) => fit(`${' '.repeat(indent)}${safeText(cell)}`, width - 1)).join(' ')}`.trimEnd(),
  )

const moneyLines = ({ budget, usage }: RaceFacts, width: number): readonly Line[] => {
  const text = limitWords(budget) === 'no limit' ? usedWords(usage) : budgetWords(budget, usage)
  return [
    ...(text === '' ? [] : paragraph(words.money(text), width)),
    ...(budget.askedAt === null ? [] : paragraph(words.askedAt, width)),
  ]
}

/** The selected racer with everything that its column truncates. */
const aboutRacer = (racer: RacerFacts | undefined, width: number): readonly Line[] => {
  if (!racer) return []
  const { labels } = words
  const contradicted = (racer.diff?.findings ?? []).filter(({ agrees }) => agrees === false)
  return [
    ...heading(safeText(racerName(racer))),
    ...longFact(labels.task, String(racer.taskId), width),
    ...longFact(labels.worktree, racer.worktree.name, width),
    ...longFact(labels.agent, racer.agentId, width),
    ...longFact(labels.conflicts, racer.conflicts.join(', '), width),
    ...longFact(labels.error, racer.error, width),
    ...contradicted.flatMap(({ says, fact }) => longFact(labels.said, words.contradicts(says, fact), width)),
  ]
}
