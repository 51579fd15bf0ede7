import { isMap, LineCounter, parseDocument, stringify } from 'yaml'
import type { SettingNow } from '../../contracts/configuration.ts'
import { catalogue } from '../../domain/settings/catalogue.ts'
import { lineFinder } from './place.ts'
import { pathOfSetting } from './edits.ts'

/** The values that the repository or the machine gives to a key that the file lacks. */
export type FoundValues = Readonly<Record<string, string | null>>

/** Keys that count as they are committed on the target branch. */
const committedKeys: ReadonlySet<string> = new Set(['integration.verify', 'integration.approval'])

/** Every setting with its value and its source. `committed`: the text of the file on the target branch, if there is one. */
export const settingsNow = (text: string, found: FoundValues, committed: string | undefined): readonly SettingNow[] => {
  const here = reader(text)
  const there = committed === undefined ? undefined : reader(committed)
  return catalogue.map(({ key, standard }): SettingNow => {
    const own = here(key)
    const now: SettingNow = own
      ? { key, value: own.value, source: 'file', line: own.line }
      : typeof found[key] === 'string'
        ? { key, value: found[key], source: 'found', line: null }
        : { key, value: plain(standard), source: 'default', line: null }
    if (!committedKeys.has(key)) return now
    const counts = there?.(key)?.value ?? plain(standard)
    return counts === now.value
      ? now
      : { key, value: counts, source: there?.(key) ? 'branch' : 'default', line: now.line, inFile: now.value }
  })
}

/** A quoted text is shown without its quotes. */
const plain = (standard: string): string => (standard === '""' ? '' : standard.replace(/^"(.*)"$/, '$1'))

const reader = (text: string): ((key: string) => { readonly value: string; readonly line: number } | undefined) => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineOf = lineFinder(document, lines)
  return (key) => {
    const at = pathOfSetting(key)
    if (!isMap(document.contents) || !document.hasIn(at)) return undefined
    const value = document.getIn(at, true)
    const js = (value as { toJS?: (of: unknown) => unknown } | undefined)?.toJS?.(document) ?? null
    return { value: onOneLine(js), line: lineOf(at) }
  }
}

const onOneLine = (value: unknown): string =>
  typeof value === 'string' && !value.includes('\n')
    ? value
    : stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trimEnd()
