import { fuzzyScore } from '../../../domain/words/fuzzy-score.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { shellLine } from '../../../domain/words/shell-words.ts'
import type { ConsoleCommand } from '../../../contracts/console.ts'
import type { PaletteRow } from '../../../../components/lines/palette.ts'
import type { KeptCommand } from '../../core/console-memory.ts'
import type { KeyRow } from '../../core/registry.ts'
import type { ConsoleState } from '../../core/state.ts'
import { wordsFor } from '../../../text/palette.ts'

/** An offer of the palette: a key, a command with a form, or an earlier command line. */
export type Offer =
  | { readonly kind: 'key'; readonly row: KeyRow }
  | { readonly kind: 'command'; readonly command: ConsoleCommand }
  | { readonly kind: 'past'; readonly command: ConsoleCommand; readonly past: KeptCommand }

/** The offers that match the typed letters, best first; keys before commands of the same score. */
export const offersOf = ({ commands }: ConsoleState, keyRows: readonly KeyRow[], typed: string): readonly Offer[] => {
  const all: readonly { readonly offer: Offer; readonly texts: readonly [string, ...string[]] }[] = [
    ...keyRows.map((row) => ({ offer: { kind: 'key', row } as const, texts: [row.label, row.id, row.help] as const })),
    ...commands.map((command) => ({
      offer: { kind: 'command', command } as const,
      texts: [command.path, command.summary] as const,
    })),
  ]
  if (typed.trim() === '') return all.map(({ offer }) => offer)
  return all
    .flatMap(({ offer, texts }) => {
      const score = scoreOf(typed, texts)
      return score === undefined ? [] : [{ offer, score }]
    })
    .sort((a, b) => b.score - a.score)
    .map(({ offer }) => offer)
}

/** A word that people type for another one counts half as much as that one. */
const scoreOf = (typed: string, texts: readonly [string, ...string[]]): number | undefined => {
  const [, ...meant] = wordsFor(typed.trim().toLowerCase())
  const scores = [typed, ...meant].map((words, at) => {
    const score = fuzzyScore(words, texts)
    return score === undefined ? -Infinity : at === 0 ? score : score / 2
  })
  const best = Math.max(...scores)
  return best === -Infinity ? undefined : best
}

/** Earlier command lines whose commands still exist, newest first. */
export const pastOf = ({ kept, commands }: ConsoleState): readonly Offer[] =>
  kept.commands.flatMap((past) => {
    const command = commands.find(({ path }) => path === past.path)
    return command ? [{ kind: 'past', command, past } as const] : []
  })

export const commandRow = (offer: Exclude<Offer, { kind: 'key' }>): PaletteRow =>
  offer.kind === 'past'
    ? { keys: ours('↑'), help: safeText(shellLine(offer.command.line(offer.past.values))), blocked: null }
    : { keys: ours('…'), help: ours(`${offer.command.path} · ${offer.command.summary}`), blocked: null }
