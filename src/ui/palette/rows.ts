import { fuzzyScore } from '../../domain/fuzzy.ts'
import { ours, safeText } from '../../domain/safe-text.ts'
import { shellLine } from '../../domain/shell-words.ts'
import type { ConsoleCommand } from '../../operations/kernel/console-command.ts'
import type { PaletteRow } from '../../../components/Palette.tsx'
import type { KeptCommand } from '../kept.ts'
import type { KeyRow } from '../keys.ts'
import type { ConsoleState } from '../state.ts'

/** What the palette offers: what a key does, a command with a form, or one as it was filled in before. */
export type Offer =
  | { readonly kind: 'key'; readonly row: KeyRow }
  | { readonly kind: 'command'; readonly command: ConsoleCommand }
  | { readonly kind: 'past'; readonly command: ConsoleCommand; readonly past: KeptCommand }

/** What answers to the letters that were typed, best first; keys before commands where they answer alike. */
export const offersOf = ({ commands }: ConsoleState, keyRows: readonly KeyRow[], typed: string): readonly Offer[] => {
  const all: readonly { readonly offer: Offer; readonly texts: readonly [string, ...string[]] }[] = [
    ...keyRows.map((row) => ({ offer: { kind: 'key', row } as const, texts: [row.label, row.id, row.help] as const })),
    ...commands.map((command) => ({ offer: { kind: 'command', command } as const, texts: [command.path, command.summary] as const })),
  ]
  if (typed.trim() === '') return all.map(({ offer }) => offer)
  return all
    .flatMap(({ offer, texts }) => {
      const score = fuzzyScore(typed, texts)
      return score === undefined ? [] : [{ offer, score }]
    })
    .sort((a, b) => b.score - a.score)
    .map(({ offer }) => offer)
}

/** Lines of earlier times whose commands there still are, newest first. */
export const pastOf = ({ kept, commands }: ConsoleState): readonly Offer[] =>
  kept.commands.flatMap((past) => {
    const command = commands.find(({ path }) => path === past.path)
    return command ? [{ kind: 'past', command, past } as const] : []
  })

export const commandRow = (offer: Exclude<Offer, { kind: 'key' }>): PaletteRow =>
  offer.kind === 'past'
    ? { keys: ours('↑'), help: safeText(shellLine(offer.command.line(offer.past.values))), blocked: null }
    : { keys: ours('…'), help: ours(`${offer.command.path} · ${offer.command.summary}`), blocked: null }
