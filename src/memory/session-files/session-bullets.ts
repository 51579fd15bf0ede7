import { FormatError } from './format-error.ts'
import type { Block } from './markdown.ts'
import { keyOf } from './sections.ts'
import { shown, wholeNumberOf } from './values.ts'

/** Bullets with these keys; the first of each counts, and other blocks are kept. */
export const bulletsOf = <K extends string>(
  body: readonly Block[],
  keys: readonly K[],
  keep: (block: Block) => void,
): ReadonlyMap<K, { readonly item: Block; readonly value: string }> => {
  const found = new Map<K, { readonly item: Block; readonly value: string }>()
  const below = body.findIndex(({ kind }) => kind === 'heading')
  for (const [at, block] of body.entries()) {
    const keyed = block.kind === 'item' && (below === -1 || at < below) ? keyOf(block, keys) : undefined
    if (!keyed || found.has(keyed.key)) keep(block)
    else if (keyed.value !== '') found.set(keyed.key, { item: block, value: keyed.value })
  }
  return found
}

export const numberOf = (
  { item, value }: { readonly item: Block; readonly value: string },
  what: string,
  file: string,
): number => {
  const number = wholeNumberOf(value)
  if (number === undefined)
    throw new FormatError(file, item.line, `${shown(value)} is not a valid ${what}; write a whole number.`)
  return number
}
